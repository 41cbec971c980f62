"""NATS that is away, refuses, or lacks what was provisioned."""

import asyncio
import resource
import time
from pathlib import Path

import msgspec
import pytest
from nats.aio.client import Client
from tests.support.agents import agent
from tests.support.servers import connected, deployed, unprovisioned
from tests.support.wait import eventually
from tests.support.workers import worker_here, worker_process

from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import CoatcheckError
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.provisioning import DURABLE, place_of, provision


async def test_nats_away_for_8_seconds_and_back(own_nats: NatsServer, s3_server: S3Server, tmp_path: Path) -> None:
    async with deployed(own_nats, s3_server) as settings, worker_process(settings, tmp_path) as worker:
        async with agent(settings) as it:
            await it.offload("c1", "before")
        await own_nats.kill()
        away_since = time.monotonic()
        await eventually(lambda: time.monotonic() - away_since > 8, expecting="8 s")
        assert worker.process.returncode is None
        await own_nats.start()
        async with agent(settings) as it:
            assert (await it.offload("c2", "x" * 30_000)).disposition == "offloaded"


async def test_worker_waits_for_a_nats_that_is_away_at_its_start(
    own_nats: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    async with deployed(own_nats, s3_server) as settings:
        await own_nats.kill()
        async with worker_process(settings, tmp_path, ready=False) as worker:
            await eventually(lambda: "NATS" in worker.text(), expecting="a word in the log")
            assert worker.process.returncode is None
            await own_nats.start()
            async with agent(settings) as it:
                assert (await it.offload("c1", "hello")).content == "hello"
            assert await worker.terminate() == 0


async def test_worker_that_waits_for_nats_can_be_stopped(
    own_nats: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    settings = unprovisioned(own_nats, s3_server)
    await own_nats.kill()
    async with worker_process(settings, tmp_path, ready=False) as worker:
        await eventually(lambda: "NATS" in worker.text(), expecting="a word in the log")
        assert await worker.terminate() == 0


async def test_worker_ends_with_a_word_where_nothing_is_provisioned(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    async with worker_process(unprovisioned(nats_server, s3_server), tmp_path, ready=False) as worker:
        assert await asyncio.wait_for(worker.process.wait(), 60) == 1
        assert "coatcheck provision" in worker.text()
        assert "Traceback" not in worker.text()


async def test_worker_takes_user_and_password_from_the_settings(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    """As docker-compose.yml gives them."""
    (tmp_path / "password").write_text(f"{nats_server.credentials.secret}\n")
    async with deployed(nats_server, s3_server) as settings:
        apart = {
            "url": nats_server.address,
            "user": nats_server.credentials.name,
            "password_file": str(tmp_path / "password"),
        }
        theirs = msgspec.structs.replace(settings, nats=msgspec.structs.replace(settings.nats, **apart))
        async with worker_process(theirs, tmp_path), agent(settings) as it:
            assert (await it.offload("c1", "x")).disposition == "inline"


async def test_worker_ends_with_a_word_where_its_password_is_wrong(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    settings = unprovisioned(nats_server, s3_server, nats={"url": f"nats://admin:wrong@127.0.0.1:{nats_server.port}"})
    async with worker_process(settings, tmp_path, ready=False) as worker:
        assert await asyncio.wait_for(worker.process.wait(), 60) == 1
        assert "password" in worker.text()
        assert "Traceback" not in worker.text()


async def test_deleted_consumer_is_noticed_without_a_hot_loop_and_used_again(deployment: Settings) -> None:
    subjects = Subjects(deployment.nats.prefix)
    async with worker_here(deployment) as worker, agent(deployment) as it, connected(deployment) as admin:
        await it.offload("c1", "before")
        await admin.jetstream().delete_consumer(subjects.stream("results"), DURABLE)
        pull = worker._pulls[0]
        assert pull is not None
        await eventually(lambda: pull.waits_for_consumer, expecting="the refusal to be noticed")
        cpu = resource.getrusage(resource.RUSAGE_SELF)
        started = time.monotonic()
        await eventually(lambda: time.monotonic() - started > 2, expecting="two seconds")
        used = resource.getrusage(resource.RUSAGE_SELF)
        assert used.ru_utime - cpu.ru_utime < 1
        await provision(admin.jetstream(), place_of(deployment.storage), deployment)
        # An idle one too: no message need come before the worker is ready again.
        await eventually(lambda: not pull.waits_for_consumer, 30, "a consumer that serves")
        assert (await it.offload("c2", "after")).content == "after"


async def test_full_stub_stream_keeps_the_result_until_there_is_room(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with (
        deployed(nats_server, s3_server, streams={"stubs": {"max_bytes": 1024 * 1024}}) as settings,
        worker_here(settings),
        agent(settings) as it,
        connected(settings) as admin,
    ):
        for number in range(60):
            await it.publish(f"c{number}", "x" * 20_000)
        stream = Subjects(settings.nats.prefix).stream("stubs")
        await eventually(lambda: _is_full(admin, stream), expecting="a full stream")
        assert len(it.events) < 60
        await admin.jetstream().purge_stream(stream)
        await eventually(lambda: len(it.events) == 60, 60, expecting="every stub")
        assert set(it.subject_counts.values()) == {1}


@pytest.mark.parametrize("least", [1024 * 1024])
async def test_bound_below_one_message_is_refused(deployment: Settings, least: int) -> None:
    tree = msgspec.to_builtins(deployment)
    tree["worker"]["in_flight_bytes"] = least
    with pytest.raises(CoatcheckError, match="in_flight_bytes"):
        async with worker_here(msgspec.convert(tree, Settings)):
            pass


async def _is_full(admin: Client, stream: str) -> bool:
    return (await admin.jetstream().stream_info(stream)).state.bytes > 900_000
