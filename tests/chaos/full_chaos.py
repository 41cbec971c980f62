"""The full set, of `make chaos`; the name keeps it out of `make test`, which has test_chaos_short.py.

Each scenario publishes about 2,000 results in 200 turns over four worker processes, of which one is killed each second
from the first result to the last, and has something else go wrong besides. All end in the same audit.

The sleeps are the schedule of the faults: when, into the load, one begins, and how long it lasts. What comes of it is
waited for by its condition.
"""

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.chaos.audit import Allowed
from tests.support.chaos.load import plan_load
from tests.support.chaos.running import behind, chosen_seed, run_chaos, sections
from tests.support.chaos.uploads import plan_uploads
from tests.support.chaos.uploads_running import run_chaos_with_uploads
from tests.support.cluster import nats_cluster
from tests.support.s3_proxy import S3Proxy, s3_proxied
from tests.support.servers import deployed

from coatcheck_core.settings import Settings
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer, S3Server

RESULTS = 2000
TURNS = 200
LARGEST_TURN = 150
AWAY_SECONDS = 10.0

# nats-py drops the socket of a server that takes a connection and dies before it says a word, and does not close it.
pytestmark = [pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]


@pytest.fixture(autouse=True)
def dropped_sockets() -> Iterator[None]:
    """Collects them while the filter holds, and the event loop lives."""
    yield
    gc.collect()


async def _run(settings: Settings, folder: Path, **options: Any) -> None:
    plan = plan_load(settings, chosen_seed(), results=RESULTS, turns=TURNS, largest_turn=LARGEST_TURN)
    await run_chaos(settings, plan, folder, **options)


async def test_workers_are_killed_each_second(own_nats: NatsServer, own_s3: S3Server, tmp_path: Path) -> None:
    async with deployed(own_nats, own_s3, **sections()) as settings:
        await _run(settings, tmp_path)


async def test_one_turn_of_500_over_workers_that_are_killed(
    own_nats: NatsServer, own_s3: S3Server, tmp_path: Path
) -> None:
    async with deployed(own_nats, own_s3, **sections()) as settings:
        plan = plan_load(settings, chosen_seed(), results=700, turns=9, largest_turn=500)
        await run_chaos(settings, plan, tmp_path, spread_seconds=10)


async def test_storage_is_away_for_10_seconds(own_nats: NatsServer, own_s3: S3Server, tmp_path: Path) -> None:
    async def away() -> None:
        await asyncio.sleep(5)
        await own_s3.kill()
        await asyncio.sleep(AWAY_SECONDS)
        await own_s3.start()

    async with deployed(own_nats, own_s3, **sections()) as settings:
        await _run(settings, tmp_path, faults=away)


async def test_storage_hangs_for_10_seconds(own_nats: NatsServer, own_s3: S3Server, tmp_path: Path) -> None:
    async with _behind_proxy(own_nats, own_s3) as (settings, workers, proxy):

        async def hanging() -> None:
            await asyncio.sleep(5)
            proxy.hang()
            await asyncio.sleep(AWAY_SECONDS)
            proxy.heal()

        await _run(settings, tmp_path, workers_settings=workers, faults=hanging)


async def test_storage_answers_503_to_a_third_of_the_requests(
    own_nats: NatsServer, own_s3: S3Server, tmp_path: Path
) -> None:
    async with _behind_proxy(own_nats, own_s3) as (settings, workers, proxy):

        async def busy() -> None:
            proxy.fail(1 / 3)
            await asyncio.sleep(40)
            proxy.heal()

        await _run(settings, tmp_path, workers_settings=workers, faults=busy)
        assert proxy.failed > 100


async def test_storage_is_away_for_longer_than_it_is_tried(
    own_nats: NatsServer, own_s3: S3Server, tmp_path: Path
) -> None:
    """Stubs that say so go out meanwhile; once it is back each original is stored, and no letter is left."""

    async def away() -> None:
        await asyncio.sleep(5)
        await own_s3.kill()
        await asyncio.sleep(2 * AWAY_SECONDS)
        await own_s3.start()

    async with deployed(own_nats, own_s3, **sections(storage={"retry_seconds": 5})) as settings:
        await _run(settings, tmp_path, faults=away, allowed=Allowed(store_failures=True))


async def test_nats_is_killed_and_comes_back_twice(own_nats: NatsServer, own_s3: S3Server, tmp_path: Path) -> None:
    async def restarts() -> None:
        for seconds in (5, 8):
            await asyncio.sleep(seconds)
            await own_nats.kill()
            await asyncio.sleep(2)
            await own_nats.start()

    async with deployed(own_nats, own_s3, **sections()) as settings:
        await _run(settings, tmp_path, faults=restarts, allowed=Allowed(nats_away=True))


async def test_cluster_loses_the_leader_of_each_stream(own_s3: S3Server, tmp_path: Path) -> None:
    async with (
        nats_cluster(tmp_path / "cluster", size=3) as cluster,
        deployed(cluster, own_s3, **sections(nats={"replicas": 3})) as settings,
    ):
        subjects = Subjects(settings.nats.prefix)

        async def losses() -> None:
            for name in ("results", "stubs", "ledger"):
                await asyncio.sleep(4)
                stream = subjects.stream(name)
                lost = await cluster.leader(stream)
                await lost.kill()
                await asyncio.sleep(3)
                await lost.start()
                await cluster.healthy(stream)

        await _run(settings, tmp_path, faults=losses, allowed=Allowed(nats_away=True), spread_seconds=40)


async def test_results_in_pieces_while_storage_fails_and_hangs(
    own_nats: NatsServer, own_s3: S3Server, tmp_path: Path
) -> None:
    """Of 100 kB to 40 MB, some of whose producers fail, fall silent, repeat, shuffle or lie, among others."""
    async with _behind_proxy(own_nats, own_s3, upload={"idle_seconds": 15}) as (settings, workers, proxy):

        async def trouble() -> None:
            await asyncio.sleep(5)
            proxy.fail(1 / 3)
            await asyncio.sleep(10)
            proxy.heal()
            await asyncio.sleep(2)
            proxy.hang()
            await asyncio.sleep(AWAY_SECONDS)
            proxy.heal()

        plan = plan_load(settings, chosen_seed(), results=400, turns=40, largest_turn=40)
        uploads = plan_uploads(chosen_seed(), count=40, largest=40_000_000)
        await run_chaos_with_uploads(
            settings,
            plan,
            uploads,
            tmp_path,
            workers=3,
            workers_settings=workers,
            spread_seconds=25,
            kill_each_seconds=3,
            faults=trouble,
            allowed=Allowed(),
            quiet_seconds=180,
        )
        assert proxy.failed > 20


@asynccontextmanager
async def _behind_proxy(
    nats: NatsServer, s3: S3Server, **changes: dict[str, Any]
) -> AsyncIterator[tuple[Settings, Settings, S3Proxy]]:
    """A deployment's settings, those of workers that reach its store through the proxy, and the proxy."""
    async with s3_proxied(s3.endpoint) as (proxy, endpoint), deployed(nats, s3, **sections(**changes)) as settings:
        yield settings, behind(settings, storage={"endpoint": endpoint}), proxy
