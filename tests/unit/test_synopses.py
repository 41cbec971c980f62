"""Where a synopsis is made, what its limit does, and that no trouble with it costs a result."""

import asyncio
import itertools
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import msgspec
import pytest
from tests.support.deciding import address, arrived, rules
from tests.support.late import late
from tests.support.wait import eventually

from coatcheck.testing import MemoryStore
from coatcheck_core import sizes
from coatcheck_core.arrival import Result
from coatcheck_core.decision import Case, decide
from coatcheck_core.synopsis import synopsize
from coatcheck_core.synopsis.effort import OutOfTime, Step
from coatcheck_schemas.subjects import Subjects
from coatcheck_schemas.synopsis import Synopsis, UnknownFacts
from coatcheck_workers.flow.delivery import Delivery
from coatcheck_workers.flow.telling_apart import TellingApart
from coatcheck_workers.isolation import IsolatedPool, NoChild, WorkerKilled, synopses
from coatcheck_workers.isolation.synopses import Synopses, Unhurried, synopsize_within
from coatcheck_workers.streams.ports import Publishing

TEXT = b"words of a result\n" * 5000
THREADS = ThreadPoolExecutor(1)


class Pool:
    """Runs at once, or raises what it was told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.calls = 0

    async def run(self, function: Callable[..., Any], *args: Any) -> Any:
        self.calls += 1
        if self.error is not None:
            raise self.error
        return function(*args)


def made_by(pool: Pool, seconds: float = 5.0) -> Synopses:
    return Synopses(cast(IsolatedPool, pool), seconds, asyncio.get_running_loop())


def why(synopsis: Synopsis | None) -> str | None:
    assert synopsis is not None
    return synopsis.facts.why if isinstance(synopsis.facts, UnknownFacts) else None


def test_within_the_limit_it_is_the_one_that_has_no_limit() -> None:
    assert synopsize_within(60, TEXT, None) == synopsize(TEXT)


def test_past_the_limit_it_is_the_plain_one() -> None:
    synopsis = synopsize_within(1e-9, TEXT, None)
    assert (synopsis.kind, why(synopsis)) == ("unknown", "time_limit")


@pytest.mark.parametrize(("used", "expected"), [(1.9, None), (2.1, "time_limit")])
def test_the_limit_is_of_cpu_and_not_of_time(monkeypatch: pytest.MonkeyPatch, used: float, expected: str) -> None:
    """A worker on a busy machine waits for its turn; that must not change a stub."""
    cpu = itertools.chain([100.0], itertools.repeat(100.0 + used))
    monkeypatch.setattr(time, "thread_time", cpu.__next__)
    assert why(synopsize_within(2.0, TEXT, None)) == expected


def test_a_fault_of_ours_gives_a_plain_one_and_its_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(data: bytes, mime_type: str | None, *, step: Step) -> Synopsis:
        raise RecursionError("deeper than anybody thought")

    monkeypatch.setattr(synopses, "synopsize", broken)
    assert why(synopsize_within(2.0, TEXT, None)) == "fault"
    assert "deeper than anybody thought" in caplog.text


async def test_what_is_made_far_is_what_is_made_here() -> None:
    made = made_by(Pool())
    assert await made.far(TEXT, None) == made.here(TEXT, None) == synopsize(TEXT)


async def test_a_child_that_dies_of_it_leaves_a_plain_one_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    made = made_by(Pool(WorkerKilled("was killed by SIGSEGV")))
    assert why(await made.far(TEXT, None)) == "time_limit"
    assert await made.far(TEXT, None) is not None
    assert [record.getMessage() for record in caplog.records] == [
        f"no synopsis of {len(TEXT)} bytes: the process that worked on it was killed by SIGSEGV"
    ]


async def test_without_a_child_it_is_made_here(caplog: pytest.LogCaptureFixture) -> None:
    assert await made_by(Pool(NoChild("no child process can be started"))).far(TEXT, None) is None
    assert "no child process can be started" in caplog.text


async def test_that_the_limit_struck_is_told_from_any_thread(caplog: pytest.LogCaptureFixture) -> None:
    made = made_by(Pool(), 1e-9)
    with caplog.at_level(logging.WARNING):
        await asyncio.to_thread(made.here, TEXT, None)
        await eventually(lambda: "a plain one, time_limit" in caplog.text, expecting="the word of it")


@pytest.mark.parametrize("data", [b'{"a": 1', b'{"a": 1}\n{"a": 2}\n', b"[INFO] started\n[1]", b"[" * 100_000])
async def test_what_is_no_whole_json_is_not_even_tried_soon(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(synopses, "synopsize", None)
    assert made_by(Pool()).soon(data, None) is None


# the case and the delivery


def large() -> Result:
    return arrived(TEXT.decode(), at=address("s", "", "c"))


class Elsewhere(Unhurried):
    """Makes what `far` gives, and tells it by its format; `soon` as it is told."""

    def __init__(self, *, is_anywhere: bool = True, is_soon: bool = True) -> None:
        self.is_anywhere = is_anywhere
        self.is_soon = is_soon
        self.asked: list[str] = []

    def soon(self, data: bytes, mime_type: str | None) -> Synopsis | None:
        self.asked.append("soon")
        return Synopsis(kind="json", format="made soon") if self.is_soon else None

    async def far(self, data: bytes, mime_type: str | None) -> Synopsis | None:
        self.asked.append("far")
        made = synopsize(data, mime_type)
        return msgspec.structs.replace(made, format="from far away") if self.is_anywhere else None


async def described(case: Case, elsewhere: Elsewhere) -> Elsewhere:
    delivery = Delivery(
        rules=case.rules,
        subjects=Subjects("coat"),
        store=MemoryStore(),
        publisher=cast(Publishing, None),
        executor=THREADS,
        synopses=elsewhere,
        late=late(),
        apart=cast(TellingApart, None),
    )
    await delivery.entry(case)
    return elsewhere


@pytest.fixture
def _large_is_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "LARGE_BYTES", 50_000)


@pytest.mark.usefixtures("_large_is_less")
async def test_of_a_large_result_it_is_made_far_away_once() -> None:
    case = Case(large(), rules("result.threshold=100"))
    assert (await described(case, Elsewhere())).asked == ["far"]
    assert case.synopsis.format == "from far away"
    assert (await described(case, Elsewhere())).asked == []


@pytest.mark.usefixtures("_large_is_less")
async def test_where_none_comes_from_there_it_is_made_here() -> None:
    case = Case(large(), rules("result.threshold=100"))
    assert (await described(case, Elsewhere(is_anywhere=False))).asked == ["far"]
    assert case.synopsis == synopsize(TEXT)


@pytest.mark.usefixtures("_large_is_less")
@pytest.mark.parametrize("setting", ["tools.tool.never=true", "result.threshold=100000"])
async def test_of_what_stays_inline_none_is_made_far_away(setting: str) -> None:
    case = Case(large(), rules("result.threshold=100", setting))
    assert (await described(case, Elsewhere())).asked == []


@pytest.mark.usefixtures("_large_is_less")
async def test_in_a_turn_what_is_under_the_threshold_may_give_way_too() -> None:
    case = Case(arrived(TEXT.decode(), at=address("s", "t", "c")), rules("result.threshold=100000"))
    assert (await described(case, Elsewhere())).asked == ["far"]


@pytest.mark.parametrize(("is_soon", "is_on_the_loop"), [(True, True), (False, False)])
async def test_json_is_decided_on_the_event_loop_if_it_can_be_soon(is_soon: bool, is_on_the_loop: bool) -> None:
    threads = set[int]()

    def count(text: str) -> int:
        threads.add(threading.get_ident())
        return len(text)

    by = msgspec.structs.replace(rules("result.threshold=100"), count=count)
    case = Case(arrived('{"a": "' + "x" * 9000 + '"}'), by)
    assert (await described(case, Elsewhere(is_soon=is_soon))).asked == ["soon"]
    assert (threads == {threading.get_ident()}) is is_on_the_loop
    assert case.synopsis.kind == "json"


async def test_what_is_not_made_soon_is_no_plain_one(caplog: pytest.LogCaptureFixture) -> None:
    made = made_by(Pool(), 60)
    assert made.soon(b'{"a": 1}', None) == synopsize(b'{"a": 1}')
    assert made_by(Pool(), 1e-9).soon(msgspec.json.encode([{"key": number} for number in range(20_000)]), None) is None
    assert caplog.text == ""


def test_a_result_that_passed_the_limit_is_offloaded_with_its_size_and_its_ends() -> None:
    def out_of_time(data: bytes, mime_type: str | None) -> Synopsis:
        def step() -> None:
            raise OutOfTime

        return synopsize(data, mime_type, step=step)

    by = msgspec.structs.replace(rules("result.threshold=100"), synopsize=out_of_time)
    event = decide(arrived("start\n" + "words\n" * 5000 + "exit code 2\n"), by).event
    assert (event.disposition, event.kind) == ("offloaded", "unknown")
    content = str(event.content)
    assert "- not analysed: it took too long" in content
    assert "original_chars: 30018\n" in content
    assert "  start\n" in content
    assert "  exit code 2\n" in content


@pytest.mark.parametrize("seconds", [1e-9, 60.0])
def test_the_setting_takes_effect(seconds: float) -> None:
    assert (why(synopsize_within(seconds, TEXT, None)) == "time_limit") == (seconds < 1)
