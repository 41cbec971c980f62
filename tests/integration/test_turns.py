"""Turns on real servers: who waits, what is offloaded, one manifest, one stub each; with two workers throughout."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from tests.support.agents import Agent, agent, dead_letters
from tests.support.servers import connected, deployed
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import TurnSettled
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.embedded import NatsServer, S3Server

BUDGET = 20_000
LINE = "alpha beta gamma\n"


def text(chars: int, seed: str = "") -> str:
    return (seed + LINE * (chars // len(LINE) + 1))[:chars]


class Watcher:
    """An agent that hears its session's manifests too."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.manifests: list[TurnSettled] = []

    async def hear(self, message: Any) -> None:
        self.manifests.append(msgspec.json.decode(message.data, type=TurnSettled))

    async def end(self, turn: str, body: bytes = b"") -> None:
        at = TurnAddress(encode_segment(self.agent.session), encode_segment(turn))
        await self.agent.publish_raw(self.agent.subjects.turn_end(at), body)

    async def manifest(self, turn: str) -> TurnSettled:
        """Fails where none comes."""
        await eventually(lambda: any(m.turn_id == turn for m in self.manifests), expecting=f"the manifest of {turn}")
        (one,) = [m for m in self.manifests if m.turn_id == turn]
        return one

    async def dispositions(self, turn: str, calls: list[str]) -> dict[str, tuple[str, str | None]]:
        events = [await self.agent.stub(call, turn) for call in calls]
        return {event.call_id: (event.disposition, event.reason) for event in events}


@asynccontextmanager
async def watcher(settings: Settings, session: str = "s1") -> AsyncIterator[Watcher]:
    async with agent(settings, session) as one:
        watching = Watcher(one)
        await one.client.subscribe(f"{settings.nats.prefix}.settled.{encode_segment(session)}.*", cb=watching.hear)
        await one.client.flush()
        yield watching


@asynccontextmanager
async def turns(
    nats_server: NatsServer, s3_server: S3Server, *, deadline_seconds: float = 300, **sections: Any
) -> AsyncIterator[Settings]:
    """A deployment with two workers; whatever was done in it, nothing waits at the end, and nothing was heard twice."""
    turn = {"inline_budget": BUDGET, "deadline_seconds": deadline_seconds}
    async with (
        deployed(nats_server, s3_server, turn=turn, **sections) as settings,
        worker_here(settings),
        worker_here(settings),
    ):
        yield settings
        async with connected(settings) as client:
            jetstream, subjects = client.jetstream(), Subjects(settings.nats.prefix)

            async def is_empty() -> bool:
                infos = [await jetstream.stream_info(subjects.stream(name)) for name in ("results", "held")]
                return not any(info.state.messages for info in infos)

            await eventually(is_empty, expecting="nothing waits any more")


INLINE = ("inline", None)
BUDGETED = ("offloaded", "turn_budget")


async def test_of_a_known_turn_the_largest_give_way_and_ties_go_by_result_id(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with turns(nats_server, s3_server) as settings, watcher(settings) as it:
        sizes = {"a": 4_000, "b": 9_000, "c": 9_000, "d": 3_000}
        for call, size in sizes.items():
            await it.agent.publish(call, text(size), turn="t1", turn_size=4)
        came = await it.dispositions("t1", list(sizes))
        assert came == {"a": INLINE, "b": BUDGETED, "c": INLINE, "d": INLINE}
        manifest = await it.manifest("t1")
        assert (manifest.settled_by, manifest.turn_size, manifest.received) == ("size", 4, 4)
        assert manifest.inline_total == sum(one.inline_size for one in manifest.results) < BUDGET
        read = await it.agent.read_all(str((await it.agent.stub("b", "t1")).ref))
        assert read == text(9_000)


async def test_nothing_of_a_known_turn_comes_before_all_have_arrived(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with turns(nats_server, s3_server) as settings, watcher(settings) as it:
        await it.agent.publish("a", "first", turn="t1", turn_size=2)
        await it.agent.offload("other", "passes by")
        assert [event.call_id for event in it.agent.events] == ["other"]
        await it.agent.publish("b", "second", turn="t1", turn_size=2)
        assert await it.dispositions("t1", ["a", "b"]) == {"a": INLINE, "b": INLINE}


async def test_what_is_over_its_threshold_is_offloaded_at_once_and_counts(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with turns(nats_server, s3_server, result={"threshold": 10_000}) as settings, watcher(settings) as it:
        await it.agent.publish("large", text(50_000), turn="t1", turn_size=3)
        large = await it.agent.stub("large", "t1")
        assert (large.disposition, large.reason) == ("offloaded", "single_threshold")
        await it.agent.publish("a", text(9_500), turn="t1", turn_size=3)
        await it.agent.publish("b", text(9_400), turn="t1", turn_size=3)
        assert await it.dispositions("t1", ["a", "b"]) == {"a": BUDGETED, "b": INLINE}
        sizes = {one.call_id: one.inline_size for one in (await it.manifest("t1")).results}
        assert sizes["large"] == len(str(large.content))


async def test_a_dead_letter_of_the_turn_counts_as_arrived(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with turns(nats_server, s3_server) as settings, watcher(settings) as it:
        await it.agent.publish("a", "fine", turn="t1", turn_size=2)
        await it.agent.publish_raw(it.agent.subjects.results(it.agent.address("bad", "t1")), b"no json")
        assert await it.dispositions("t1", ["a", "bad"]) == {"a": INLINE, "bad": ("failed", "invalid")}
        manifest = await it.manifest("t1")
        failed = next(one for one in manifest.results if one.call_id == "bad")
        assert (failed.disposition, failed.reason, failed.result_id) == ("failed", "invalid", None)
        assert failed.inline_size == len(str((await it.agent.stub("bad", "t1")).content))
        assert len(await dead_letters(settings)) == 1


async def test_of_an_unknown_turn_each_is_decided_as_it_arrives_and_the_end_settles_it(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with turns(nats_server, s3_server) as settings, watcher(settings) as it:
        for number in range(4):
            event = await it.agent.offload(f"c{number}", text(9_000, str(number)), turn="t1")
            assert (event.disposition, event.reason) == (INLINE if number < 2 else BUDGETED)
        assert it.manifests == []
        await it.end("t1", b"{}")
        manifest = await it.manifest("t1")
        assert (manifest.settled_by, manifest.turn_size, manifest.received) == ("end", None, 4)
        assert manifest.inline_total == sum(one.inline_size for one in manifest.results)


async def test_an_end_without_a_size_waits_for_what_is_older_in_the_queue(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with turns(nats_server, s3_server) as settings, watcher(settings) as it:
        publishing = [it.agent.publish(f"c{number}", text(200, str(number)), turn="t1") for number in range(40)]
        await asyncio.gather(*publishing)
        await it.end("t1")
        assert (await it.manifest("t1")).received == 40


async def test_an_end_with_a_size_replaces_what_the_results_said(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with turns(nats_server, s3_server) as settings, watcher(settings) as it:
        await it.agent.publish("a", "one", turn="t1", turn_size=9)
        await it.agent.publish("b", "two", turn="t1", turn_size=3)
        await it.end("t1", b'{"turn_size": 2}')
        assert await it.dispositions("t1", ["a", "b"]) == {"a": INLINE, "b": INLINE}
        manifest = await it.manifest("t1")
        assert (manifest.settled_by, manifest.turn_size) == ("size", 2)


async def test_what_is_there_is_settled_when_the_deadline_passes_after_the_last_arrival(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with turns(nats_server, s3_server, deadline_seconds=3) as settings, watcher(settings) as it:
        await it.agent.publish("a", "one", turn="t1", turn_size=3)
        await it.agent.publish("b", text(25_000), turn="t1", turn_size=3)
        assert await it.dispositions("t1", ["a"]) == {"a": INLINE}
        manifest = await it.manifest("t1")
        assert (manifest.settled_by, manifest.turn_size, manifest.received) == ("deadline", 3, 2)


async def test_a_turn_of_only_large_results_meets_its_deadline_too(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with turns(nats_server, s3_server, deadline_seconds=3) as settings, watcher(settings) as it:
        await it.agent.publish("a", text(25_000), turn="t1", turn_size=2)
        assert (await it.manifest("t1")).received == 1


async def test_a_late_result_gets_what_is_left_of_the_budget_and_is_in_no_manifest(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with turns(nats_server, s3_server) as settings, watcher(settings) as it:
        await it.agent.offload("a", text(12_000), turn="t1", turn_size=1)
        assert (await it.agent.offload("b", text(9_000), turn="t1", turn_size=1)).reason == "turn_budget"
        assert (await it.agent.offload("c", text(3_000), turn="t1")).disposition == "inline"
        assert (await it.manifest("t1")).received == 1


async def test_the_same_result_again_changes_nothing(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with turns(nats_server, s3_server) as settings, watcher(settings) as it:
        for _ in range(3):
            await it.agent.publish("a", "same", turn="t1", turn_size=2)
        await it.agent.publish("b", "other", turn="t1", turn_size=2)
        await it.dispositions("t1", ["a", "b"])
        await it.agent.publish("a", "same", turn="t1", turn_size=2)
        await it.agent.offload("last", "after all")
        assert set(it.agent.subject_counts.values()) == {1}
        assert (await it.manifest("t1")).received == 2


async def test_the_same_turn_id_in_two_sessions_is_two_turns(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with (
        turns(nats_server, s3_server) as settings,
        watcher(settings, "s1") as one,
        watcher(settings, "s2") as two,
    ):
        for it in (one, two):
            for call in ("a", "b"):
                await it.agent.publish(call, text(9_500), turn="t", turn_size=2)
        for it in (one, two):
            assert await it.dispositions("t", ["a", "b"]) == {"a": INLINE, "b": INLINE}
            assert (await it.manifest("t")).session_id == it.agent.session


async def test_a_tool_that_is_never_offloaded_counts_in_the_turn_all_the_same(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with turns(nats_server, s3_server, tools={"pin": {"never": True}}) as settings, watcher(settings) as it:
        await it.agent.publish("a", text(15_000), turn="t1", turn_size=2, tool="pin")
        await it.agent.publish("b", text(9_000), turn="t1", turn_size=2)
        assert await it.dispositions("t1", ["a", "b"]) == {"a": INLINE, "b": BUDGETED}


@pytest.mark.parametrize("size", [1, 500])
async def test_a_turn_may_have_one_result_or_many(size: int, nats_server: NatsServer, s3_server: S3Server) -> None:
    async with turns(nats_server, s3_server) as settings, watcher(settings) as it:
        calls = [f"c{number}" for number in range(size)]
        await asyncio.gather(*(it.agent.publish(call, text(300, call), turn="t1", turn_size=size) for call in calls))
        came = await it.dispositions("t1", calls)
        manifest = await it.manifest("t1")
        assert (manifest.settled_by, manifest.received, len(manifest.results)) == ("size", size, size)
        assert {one.call_id: (one.disposition, one.reason) for one in manifest.results} == came
        assert max(it.agent.subject_counts.values()) == 1


@pytest.mark.parametrize(
    ("body", "reason"), [(b"[]", "invalid_field"), (b"{", "invalid_json"), (b'{"turn_id": "x"}', "id_mismatch")]
)
async def test_a_bad_end_is_a_dead_letter_and_nobody_s_stub(
    body: bytes, reason: str, nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with turns(nats_server, s3_server) as settings, watcher(settings) as it:
        await it.end("t1", body)
        await eventually(lambda: dead_letters(settings), expecting="the dead letter")
        (letter,) = await dead_letters(settings)
        assert letter.headers["Coat-Reason"] == reason
        assert letter.subject.endswith(".dlq.s1.t1.end")
        await it.agent.offload("a", "still works", turn="t1")
        assert [event.call_id for event in it.agent.events] == ["a"]
