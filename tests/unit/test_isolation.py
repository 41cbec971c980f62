"""What runs in a child process: what it returns and raises comes back, what kills it kills nobody else."""

import asyncio
import functools
import operator
import os
import signal
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
from tests.support import poison
from tests.support.processes import cpu_ticks, is_alive
from tests.support.wait import eventually

from coatcheck_core.arrival import Result, identify
from coatcheck_core.decision import Case, decide
from coatcheck_core.rules import Decision, Rules
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import Code, InvalidResult, RequestError
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.subjects import CallAddress
from coatcheck_workers.isolation import Isolated, NoChild, WorkerKilled
from coatcheck_workers.isolation.isolated import CALLS_PER_CHILD

MEMORY = 1024 * poison.MIB


@pytest_asyncio.fixture
async def isolated() -> AsyncIterator[Isolated]:
    isolated = Isolated(30, MEMORY)
    yield isolated
    await isolated.close()


async def test_returns_what_the_function_returns_from_another_process(isolated: Isolated) -> None:
    assert await isolated.run(poison.count, "harmless") == 8
    assert await isolated.run(os.getpid) != os.getpid()


async def test_child_is_used_again_while_it_lives(isolated: Isolated) -> None:
    assert len({await isolated.run(os.getpid) for _ in range(5)}) == 1


async def test_child_is_replaced_after_so_many_calls(isolated: Isolated) -> None:
    pids = [await isolated.run(os.getpid) for _ in range(CALLS_PER_CHILD + 1)]
    assert len(set(pids[:CALLS_PER_CHILD])) == 1
    assert pids[CALLS_PER_CHILD] != pids[0]


@pytest.mark.parametrize(
    ("marker", "reason"),
    [
        (poison.EXIT, "ended with code 3"),
        (poison.SEGFAULT, "was killed by SIGSEGV"),
        (poison.LEAVE, "ended with code 5"),
        (poison.ALLOCATE, f"needed more than {MEMORY} bytes of memory"),
    ],
)
async def test_text_that_kills_is_blamed_and_the_next_one_passes(isolated: Isolated, marker: str, reason: str) -> None:
    with pytest.raises(WorkerKilled) as caught:
        await isolated.run(poison.count, f"some text {marker}")
    assert caught.value.reason == reason
    assert await isolated.run(poison.count, "next") == 4


async def test_endless_loop_is_ended_at_the_limit() -> None:
    isolated = Isolated(0.5, MEMORY)
    with pytest.raises(WorkerKilled, match=r"took longer than 0\.5 s"):
        await isolated.run(poison.count, poison.LOOP)
    await isolated.close()


async def test_endless_loop_ends_by_itself_where_the_parent_does_not_look() -> None:
    """The kernel counts the CPU that one call takes; here the parent's own limit is never reached."""
    isolated = Isolated(1.0, MEMORY)
    pid = await isolated.run(os.getpid)
    isolated._timeout_seconds = 60
    with pytest.raises(WorkerKilled, match="SIGXCPU"):
        await isolated.run(poison.count, poison.LOOP)
    assert not is_alive(pid)
    await isolated.close()


async def test_event_loop_goes_on_while_the_child_is_busy() -> None:
    isolated = Isolated(0.5, MEMORY)
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0.01)

    beating = asyncio.create_task(beat())
    with pytest.raises(WorkerKilled):
        await isolated.run(poison.count, poison.LOOP)
    beating.cancel()
    assert beats > 10
    await isolated.close()


async def test_neighbours_of_a_text_that_kills_are_not_blamed(isolated: Isolated) -> None:
    texts = [poison.EXIT if number % 3 == 1 else "x" * number for number in range(12)]
    outcomes = await asyncio.gather(*(isolated.run(poison.count, text) for text in texts), return_exceptions=True)
    for number, outcome in enumerate(outcomes):
        if number % 3 == 1:
            assert isinstance(outcome, WorkerKilled)
        else:
            assert outcome == number


async def test_child_that_died_idle_is_replaced_and_nobody_blamed(isolated: Isolated) -> None:
    pid = await isolated.run(os.getpid)
    os.kill(pid, signal.SIGKILL)
    assert await isolated.run(os.getpid) != pid


async def test_idle_child_is_ended() -> None:
    isolated = Isolated(30, MEMORY, idle_seconds=0.05)
    pid = await isolated.run(os.getpid)
    await eventually(lambda: not is_alive(pid), expecting="the end of the idle child")
    assert await isolated.run(os.getpid) != pid
    await isolated.close()


async def test_close_ends_the_child_and_what_runs_in_it_is_not_blamed(isolated: Isolated) -> None:
    pid = await isolated.run(os.getpid)
    running = asyncio.create_task(isolated.run(poison.count, poison.LOOP))
    await eventually(lambda: cpu_ticks(pid) > 20, expecting="the loop")
    await isolated.close()
    with pytest.raises(NoChild):
        await running
    assert not is_alive(pid)
    with pytest.raises(NoChild):
        await isolated.run(os.getpid)


async def test_cancelled_call_ends_its_child_and_the_next_has_another(isolated: Isolated) -> None:
    pid = await isolated.run(os.getpid)
    running = asyncio.create_task(isolated.run(poison.count, poison.LOOP))
    await eventually(lambda: cpu_ticks(pid) > 20, expecting="the loop")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await eventually(lambda: not is_alive(pid), expecting="the end of the child")
    assert await isolated.run(poison.count, "next") == 4


async def test_child_that_cannot_be_started_is_no_fault_of_the_message() -> None:
    """Here for want of memory: blamed on the message, the first suspect of all would be a dead letter."""
    isolated = Isolated(30, 32 * poison.MIB)
    with pytest.raises(NoChild):
        await isolated.run(os.getpid)
    await isolated.close()


def raise_invalid() -> None:
    raise InvalidResult("invalid_json", "no JSON")


def raise_request_error() -> None:
    raise RequestError(Code.GONE, "deleted", deleted_at="2026-01-01")


def raise_unicode_error() -> None:
    b"\xff".decode()


class Holding(Exception):
    def __init__(self) -> None:
        super().__init__("holds what has no pickle")
        self.held = lambda: None


def raise_holding() -> None:
    raise Holding


async def test_function_s_own_exception_comes_back_with_its_facts_and_its_traceback(isolated: Isolated) -> None:
    with pytest.raises(InvalidResult, match="no JSON") as invalid:
        await isolated.run(raise_invalid)
    assert invalid.value.reason == "invalid_json"
    assert "in raise_invalid" in invalid.value.__notes__[0]
    with pytest.raises(RequestError) as gone:
        await isolated.run(raise_request_error)
    assert (gone.value.code, gone.value.details) == (Code.GONE, {"deleted_at": "2026-01-01"})
    with pytest.raises(UnicodeDecodeError, match="can't decode byte 0xff"):
        await isolated.run(raise_unicode_error)


async def test_exception_that_has_no_pickle_comes_back_as_text(isolated: Isolated) -> None:
    with pytest.raises(RuntimeError, match="Holding: holds what has no pickle"):
        await isolated.run(raise_holding)


def return_lambda() -> object:
    return lambda: None


async def test_what_cannot_be_pickled_is_said_and_the_child_lives_on(isolated: Isolated) -> None:
    pid = await isolated.run(os.getpid)
    with pytest.raises(Exception, match="pickle"):
        await isolated.run(return_lambda)
    with pytest.raises(Exception, match="pickle"):
        await isolated.run(lambda: None)
    assert await isolated.run(os.getpid) == pid


def open_and_read(path: str) -> str:
    return Path(path).read_text()


def print_and_write() -> str:
    print("noise", file=sys.stdout, flush=True)
    os.write(1, b"more noise\n")
    return sys.stdin.read()


async def test_what_the_function_prints_or_reads_does_not_disturb_the_talk(isolated: Isolated) -> None:
    assert await isolated.run(print_and_write) == ""
    assert await isolated.run(poison.count, "next") == 4


async def test_large_arguments_and_answers_pass(isolated: Isolated) -> None:
    data = os.urandom(20_000_000)
    assert await isolated.run(operator.concat, data, b"!") == data + b"!"


def uri(key: str) -> str:
    return f"s3://bucket/{key}"


def rules() -> Rules:
    return Rules(
        settings=msgspec.convert({"result": {"threshold": 100}}, Settings),
        keys=Keys("coatcheck"),
        count=poison.count,
        uri=uri,
        max_event_bytes=1_000_000,
    )


def arrived(event: dict[str, object]) -> Result:
    received = decode_result({}, msgspec.json.encode({"tool_name": "kubectl", **event}))
    return identify(CallAddress("s", "t", "c"), received, datetime(2026, 1, 1, tzinfo=UTC))


EVENTS: dict[str, dict[str, object]] = {
    "text": {"content": "small"},
    "offloaded": {"content": '{"a": [1, 2, 3]}' + " " * 5000, "mime_type": "application/json"},
    "media": {"content": [{"type": "text", "text": "t"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]},
    "structured": {"content": "text", "structured_content": {"rows": [[1, None], ["é", 2.5]]}},
}


@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
async def test_decision_made_in_the_child_is_the_one_made_here(isolated: Isolated, event: dict[str, object]) -> None:
    result = arrived(event)
    decision: Decision = await isolated.run(decide, result, rules())
    here = decide(result, rules())
    assert decision.encoded == here.encoded
    assert msgspec.json.encode(decision.event) == here.encoded
    assert (decision.stored is None) == (here.stored is None)
    if decision.stored is not None and here.stored is not None:
        assert decision.stored.output == here.stored.output
        assert decision.stored.parts == here.stored.parts
        assert decision.stored.entry == here.stored.entry
        assert msgspec.json.encode(decision.stored.metadata) == msgspec.json.encode(here.stored.metadata)


async def test_whatever_is_computed_of_a_case_can_be_computed_in_the_child(isolated: Isolated) -> None:
    case = Case(arrived(EVENTS["offloaded"]), rules())
    assert await isolated.run(case.entry) == case.entry()
    assert (await isolated.run(case.keep_only)).stored == case.keep_only().stored
    squeezed = functools.partial(case.carry_out, "offloaded", "turn_budget")
    assert (await isolated.run(squeezed)).encoded == squeezed().encoded


async def test_case_that_kills_is_blamed(isolated: Isolated) -> None:
    case = Case(arrived({"content": f"{poison.SEGFAULT} {'x' * 5000}"}), rules())
    with pytest.raises(WorkerKilled, match="SIGSEGV"):
        await isolated.run(case.decide)


async def test_kernel_short_of_memory_takes_the_child_before_its_parent(isolated: Isolated) -> None:
    assert await isolated.run(open_and_read, "/proc/self/oom_score_adj") == "1000\n"
