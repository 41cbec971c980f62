"""Faults that people met in systems of this kind, as far as turns, publishing and workers' deaths go."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.agents import Agent, agent, dead_letters, waiting_results
from tests.support.proxy import proxied
from tests.support.s3_proxy import s3_proxied
from tests.support.servers import connected, deployed
from tests.support.wait import eventually
from tests.support.workers import worker_here, worker_process

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import StubEvent, TurnSettled
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.storage import open_store

LINE = "one line of an ordinary log, of some length\n"


def text(chars: int) -> str:
    return (LINE * (chars // len(LINE) + 1))[:chars]


def changed(settings: Settings, section: str, **values: Any) -> Settings:
    tree = msgspec.to_builtins(settings)
    tree[section] |= values
    return msgspec.convert(tree, Settings)


@asynccontextmanager
async def working(
    nats_server: NatsServer, s3_server: S3Server, **sections: Any
) -> AsyncIterator[tuple[Settings, Agent]]:
    async with (
        deployed(nats_server, s3_server, **sections) as settings,
        worker_here(settings),
        agent(settings) as it,
    ):
        yield settings, it


async def stubs_of(it: Agent, sizes: list[int]) -> list[StubEvent]:
    """One turn with a result of each size."""
    for number, size in enumerate(sizes):
        await it.publish(f"c{number:02d}", text(size), turn="t", turn_size=len(sizes))
    return [await it.stub(f"c{number:02d}", "t") for number in range(len(sizes))]


def total(events: list[StubEvent]) -> int:
    return sum(len(str(event.content)) for event in events)


async def test_three_results_each_under_the_limit_do_not_overflow_together(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with working(nats_server, s3_server, result={"threshold": 200_000}) as (_, it):
        events = await stubs_of(it, [38_662, 155_016, 136_693])
        assert [event.disposition for event in events] == ["inline", "offloaded", "offloaded"]
        assert total(events) < 100_000


async def test_twelve_results_give_way_one_by_one_until_the_turn_fits(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with working(nats_server, s3_server) as (_, it):
        events = await stubs_of(it, [9_000] * 12)
        assert [event.disposition for event in events] == ["offloaded"] * 2 + ["inline"] * 10
        assert total(events) < 100_000


async def test_a_turn_that_is_published_again_is_not_decided_again(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with working(nats_server, s3_server, turn={"inline_budget": 12_000}) as (settings, it):
        await stubs_of(it, [6_000, 5_000, 4_000])
        before = dict(it.raw)
        looser = changed(settings, "turn", inline_budget=10**6)
        async with worker_here(looser):
            await stubs_of(it, [6_000, 5_000, 4_000])
            await it.offload("last", "after them")
        assert {subject: body for subject, body in it.raw.items() if subject in before} == before
        assert set(it.subject_counts.values()) == {1}


FAILS_SOON = {"retry_seconds": 0.3, "retry_max_seconds": 0.3, "timeout_seconds": 0.3}


async def test_a_store_that_never_answers_is_told_in_the_stub(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with (
        deployed(nats_server, s3_server, storage=FAILS_SOON) as settings,
        s3_proxied(s3_server.endpoint) as (proxy, endpoint),
        agent(settings) as it,
        worker_here(changed(settings, "storage", endpoint=endpoint)),
    ):
        proxy.hang()
        await it.publish("c1", text(50_000))
        await _told(it)


async def test_a_store_that_denies_since_the_start_is_told_in_the_stub(
    nats_server: NatsServer, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deployed(nats_server, s3_server, storage=FAILS_SOON) as settings, agent(settings) as it:
        store = open_store(changed(settings, "storage", secret_key="wrong").storage)
        monkeypatch.setattr(store, "check", open_store(settings.storage).check)
        async with worker_here(settings, store):
            await it.publish("c1", text(50_000))
            await _told(it)


async def _told(it: Agent) -> None:
    event = await it.stub("c1")
    assert (event.disposition, event.reason) == ("preview_only", "store_failure")
    assert "not stored yet" in str(event.content)
    assert len(str(event.content)) <= 6_000


async def test_a_worker_killed_in_the_middle_of_an_upload_costs_one_ack_wait_and_no_second_stub(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    original = "z" * 900_000
    async with (
        deployed(nats_server, s3_server, worker={"ack_wait_seconds": 2}) as settings,
        s3_proxied(s3_server.endpoint) as (proxy, endpoint),
        agent(settings) as it,
    ):
        async with worker_process(changed(settings, "storage", endpoint=endpoint), tmp_path) as doomed:
            proxy.delay_seconds = 1.5
            await it.publish("c1", original)
            await eventually(lambda: proxy.requests > 2, expecting="the upload to begin")
            await doomed.kill()
        async with worker_here(settings):
            event = await it.stub("c1")
            assert await it.read_all(str(event.ref)) == original
            await it.offload("c2", "next")
        assert set(it.subject_counts.values()) == {1}


async def test_a_stub_whose_acknowledgement_is_lost_is_published_once(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    async with (
        deployed(nats_server, s3_server, worker={"ack_wait_seconds": 2}) as settings,
        proxied(nats_server.url) as (proxy, url),
        worker_process(changed(settings, "nats", url=url), tmp_path),
        agent(settings) as it,
    ):
        await it.offload("c0", "all is well")
        for number in range(5):
            await it.publish(f"c{number + 1}", "small" if number % 2 else text(40_000), turn="t", turn_size=5)
        proxy.stall_answers()
        await passing(3)
        proxy.heal()
        for number in range(5):
            await it.stub(f"c{number + 1}", "t")

        async def none_waits() -> bool:
            return await waiting_results(settings) == 0

        await eventually(none_waits, expecting="an empty queue")
        assert set(it.subject_counts.values()) == {1}


async def passing(seconds: float) -> None:
    """Time passes: longer than a worker waits for an acknowledgement."""
    clock = asyncio.get_running_loop().time
    began = clock()
    await eventually(lambda: clock() - began > seconds, seconds + 10)


async def test_a_server_that_freezes_for_a_while_makes_no_second_stub(
    own_nats: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    async with (
        deployed(own_nats, s3_server, worker={"ack_wait_seconds": 2}) as settings,
        worker_process(settings, tmp_path),
        worker_process(settings, tmp_path),
        agent(settings) as it,
    ):
        calls = [f"c{number}" for number in range(40)]
        publishing = [it.publish(call, text(300), turn="t", turn_size=40) for call in calls]
        await asyncio.gather(*publishing)
        os.kill(own_nats.child.pid, signal.SIGSTOP)
        try:
            await passing(3)
        finally:
            os.kill(own_nats.child.pid, signal.SIGCONT)
        for call in calls:
            await it.stub(call, "t")
        assert set(it.subject_counts.values()) == {1}


async def test_what_can_never_be_processed_leaves_the_queue(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with working(nats_server, s3_server) as (settings, it):
        for number in range(20):
            await it.publish_raw(it.subjects.results(it.address(f"bad{number}", "t")), b"\xff not json")
        await eventually(lambda: len(it.events) == 20, expecting="20 failed stubs")

        async def none_waits() -> bool:
            return await waiting_results(settings) == 0

        await eventually(none_waits, expecting="an empty queue")
        assert len(await dead_letters(settings)) == 20


async def test_settled_turns_and_late_results_leave_nothing_that_grows(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with working(nats_server, s3_server, turn={"deadline_seconds": 1}) as (settings, it):
        manifests: list[TurnSettled] = []

        async def hear(message: Any) -> None:
            manifests.append(msgspec.json.decode(message.data, type=TurnSettled))

        subject = it.subjects.settled(TurnAddress(encode_segment("s1"), "*"))
        await it.client.subscribe(subject, cb=hear)
        await it.client.flush()
        for turn in range(20):
            for call in range(3):
                await it.publish(f"c{call}", text(100), turn=f"t{turn}", turn_size=3 if turn % 2 else 4)
        await eventually(lambda: len(manifests) == 20, expecting="20 manifests")
        for turn in range(20):
            await it.offload("late", text(100), turn=f"t{turn}")

        async def is_empty() -> bool:
            async with connected(settings) as client:
                names = [Subjects(settings.nats.prefix).stream(name) for name in ("results", "held")]
                infos = [await client.jetstream().stream_info(name) for name in names]
            return not any(info.state.messages for info in infos)

        await eventually(is_empty, expecting="empty streams")
        assert {manifest.settled_by for manifest in manifests} == {"size", "deadline"}
