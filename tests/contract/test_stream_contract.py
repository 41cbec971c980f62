"""What the flow of turns relies on in JetStream, on a real server and on the streams of the simulation alike."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Protocol

import nats
import pytest
import pytest_asyncio
from nats.aio.client import Client
from tests.support.simulation.streams import Stream, fires_at
from tests.support.wait import eventually

from coatcheck_core.settings import Settings
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.streams.ledger import EXPECTED_LAST_SUBJECT
from coatcheck_workers.streams.log import JetStreamLog
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.publishing import EXPECTED_LAST, Publisher, WrongLastSequence

AT, OTHER = TurnAddress("s", "t"), TurnAddress("s", "u")
NOTHING = {EXPECTED_LAST: "0"}
SOON, LATER = 1.5, 2.5
"""Seconds after which something falls due; what a test does before takes a hundredth of that, on a quiet machine."""


class Streams(Protocol):
    """The streams of one deployment by their short names."""

    subjects: Subjects

    async def append(self, subject: str, body: bytes, headers: dict[str, str]) -> int: ...

    async def read(self, name: str, pattern: str, after: int = 0) -> list[Kept]: ...

    async def purge(self, name: str, pattern: str, through: int | None = None) -> None: ...


class RealStreams:
    def __init__(self, client: Client, settings: Settings) -> None:
        self.subjects = Subjects(settings.nats.prefix)
        self._client = client
        self._publisher = Publisher(client, self.subjects, 30.0)

    async def append(self, subject: str, body: bytes, headers: dict[str, str]) -> int:
        return await self._publisher.append(subject, body, headers)

    async def read(self, name: str, pattern: str, after: int = 0) -> list[Kept]:
        return await self._log(name).read(pattern, after, 1024 * 1024)

    async def purge(self, name: str, pattern: str, through: int | None = None) -> None:
        await self._log(name).purge(pattern, through)

    def _log(self, name: str) -> JetStreamLog:
        return JetStreamLog(self._client, self.subjects.stream(name), 30.0)


class SimulatedStreams:
    """Those of the simulation, on the real time."""

    def __init__(self) -> None:
        self.subjects = Subjects()
        self._streams = {name: Stream(name, one_a_subject=name == "ledger") for name in ("ledger", "held")}
        self._streams["held"].on_stored = self._arm

    async def append(self, subject: str, body: bytes, headers: Mapping[str, str]) -> int:
        name = "held" if ".held." in subject else "ledger"
        return self._streams[name].publish(subject, body, headers, datetime.now(UTC))

    async def read(self, name: str, pattern: str, after: int = 0) -> list[Kept]:
        return [kept for kept in self._streams[name].under(pattern) if kept.sequence > after]

    async def purge(self, name: str, pattern: str, through: int | None = None) -> None:
        self._streams[name].purge(pattern, through)

    def _arm(self, kept: Kept) -> None:
        if (at := fires_at(kept)) is not None:
            seconds = max(0.2, (at - datetime.now(UTC)).total_seconds())
            fire = self._streams["held"].fire
            asyncio.get_running_loop().call_later(seconds, lambda: fire(kept.sequence, datetime.now(UTC)))


@pytest_asyncio.fixture(params=["real", "simulated"])
async def streams(request: pytest.FixtureRequest, deployment: Settings) -> AsyncIterator[Streams]:
    if request.param == "simulated":
        yield SimulatedStreams()
        return
    client = await nats.connect(deployment.nats.url, connect_timeout=30)
    try:
        yield RealStreams(client, deployment)
    finally:
        await client.close()


def schedule(streams: Streams, name: str, seconds: float, at: TurnAddress = AT) -> dict[str, str]:
    due = datetime.now(UTC) + timedelta(seconds=seconds)
    return {
        "Nats-Schedule": f"@at {due:%Y-%m-%dT%H:%M:%S.%f}Z",
        "Nats-Schedule-Target": streams.subjects.due(at, "turn", name),
    }


async def bodies(streams: Streams, name: str, pattern: str) -> list[bytes]:
    return [kept.body for kept in await streams.read(name, pattern)]


async def test_what_expects_nothing_under_its_subject_is_stored_once(streams: Streams) -> None:
    subject = streams.subjects.ledger(AT, "result", "a")
    await streams.append(subject, b"first", NOTHING)
    with pytest.raises(WrongLastSequence):
        await streams.append(subject, b"second", NOTHING)
    assert await bodies(streams, "ledger", subject) == [b"first"]


async def test_an_expectation_may_be_of_all_entries_of_a_turn(streams: Streams) -> None:
    def expecting(last: int) -> dict[str, str]:
        return {EXPECTED_LAST: str(last), EXPECTED_LAST_SUBJECT: streams.subjects.ledger_of(AT)}

    first = await streams.append(streams.subjects.ledger(AT, "result", "a"), b"a", expecting(0))
    await streams.append(streams.subjects.ledger(OTHER, "result", "a"), b"other", {})
    second = await streams.append(streams.subjects.ledger(AT, "result", "b"), b"b", expecting(first))
    for stale in (0, first):
        with pytest.raises(WrongLastSequence):
            await streams.append(streams.subjects.ledger(AT, "end", "1"), b"c", expecting(stale))
    found = await streams.read("ledger", streams.subjects.ledger_of(AT))
    assert [(kept.sequence, kept.body) for kept in found] == [(first, b"a"), (second, b"b")]
    assert await streams.read("ledger", streams.subjects.ledger_of(AT), second) == []


async def test_a_count_takes_the_place_of_the_one_before(streams: Streams) -> None:
    subject = streams.subjects.failures("COAT_RESULTS", 1)
    for body in (b"1", b"2"):
        await streams.append(subject, body, {})
    assert await bodies(streams, "ledger", subject) == [b"2"]


async def test_what_is_scheduled_goes_to_its_target_at_its_time_with_its_body_and_its_own_headers(
    streams: Streams,
) -> None:
    held, due = (make(AT, "turn", "a") for make in (streams.subjects.held, streams.subjects.due))
    await streams.append(held, b"body", schedule(streams, "a", SOON) | NOTHING | {"Coat-Tries": "3"})
    assert await bodies(streams, "held", held) == [b"body"]
    [fired] = await eventually(lambda: streams.read("held", due))
    assert (fired.body, fired.headers["Coat-Tries"]) == (b"body", "3")
    assert EXPECTED_LAST not in fired.headers
    assert await streams.read("held", held) == []


async def test_a_schedule_takes_the_place_of_the_one_on_its_subject(streams: Streams) -> None:
    held, due = (make(AT, "turn", "a") for make in (streams.subjects.held, streams.subjects.due))
    first = await streams.append(held, b"first", schedule(streams, "a", SOON))
    with pytest.raises(WrongLastSequence):
        await streams.append(held, b"refused", schedule(streams, "a", SOON) | NOTHING)
    second = await streams.append(held, b"second", schedule(streams, "a", LATER))
    assert second > first
    assert await bodies(streams, "held", held) == [b"second"]
    await eventually(lambda: streams.read("held", due))
    assert await bodies(streams, "held", due) == [b"second"]


async def test_what_is_purged_never_falls_due_and_others_stay(streams: Streams) -> None:
    held, due = streams.subjects.held, streams.subjects.due
    await streams.append(held(AT, "turn", "a"), b"a", schedule(streams, "a", SOON))
    last = await streams.append(held(AT, "turn", "b"), b"b", schedule(streams, "b", SOON))
    await streams.append(held(AT, "turn", "c"), b"c", schedule(streams, "c", LATER))
    await streams.append(held(OTHER, "turn", "d"), b"d", schedule(streams, "d", LATER, OTHER))
    await streams.append(held(AT, "letter", "1"), b"e", schedule(streams, "e", LATER))
    await streams.purge("held", held(AT, "turn", "*"), last)
    everything = streams.subjects.everything_held
    assert await bodies(streams, "held", everything) == [b"c", b"d", b"e"]
    await streams.purge("held", held(AT, "turn", "*"))
    assert await bodies(streams, "held", everything) == [b"d", b"e"]
    await eventually(lambda: streams.read("held", due(OTHER, "turn", "d")))
    assert b"a" not in await bodies(streams, "held", streams.subjects.everything_due)
