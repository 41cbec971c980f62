"""Each request is told once to the observer, whatever became of it."""

import asyncio
from time import perf_counter
from typing import Any, cast

import pytest
import uvloop
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError
from tests.support.request_wire import Wire, opened
from tests.support.wait import eventually

from coatcheck_schemas.errors import Code
from coatcheck_schemas.requests import ERROR_CODE_HEADER, ERROR_HEADER
from coatcheck_workers.intake.answered import DROPPED, OTHER, UNSENT, Answered, Watch
from coatcheck_workers.subscribers import Replied

NOT_FOUND = Replied(b"{}", {ERROR_CODE_HEADER: "404", ERROR_HEADER: "no such result"})


async def told_of(reply: Replied | Exception, *, body: bytes = b"{}", **settings: Any) -> list[Answered]:
    """What the observer hears of one request that is handled so."""

    async def consume(message: Msg) -> Replied:
        if isinstance(reply, Exception):
            raise reply
        return reply

    told: list[Answered] = []
    wire = Wire()
    requests = await opened(wire, consume, observe=told.append, **settings)
    await wire.ask("s", 1, body)
    await requests.finish(5)
    return told


async def test_an_answer_is_told_with_its_sizes_and_without_an_error() -> None:
    (told,) = await told_of(Replied(b"12345", {}), body=b"{ }")
    assert (told.verb, told.operation, told.error_code, told.error_message) == ("read", "", None, None)
    assert (told.bytes_in, told.bytes_out) == (3, 5)
    assert told.work_seconds is not None
    assert told.seconds >= told.work_seconds > 0


def test_work_of_less_than_a_millisecond_is_told_on_the_loop_that_workers_run_on() -> None:
    """uvloop's own clock stands still meanwhile."""
    seconds = 0.0003

    async def work() -> Answered:
        told: list[Answered] = []

        async def consume(message: Msg) -> Replied:
            until = perf_counter() + seconds
            while perf_counter() < until:
                pass
            return NOT_FOUND

        wire = Wire()
        requests = await opened(wire, consume, observe=told.append)
        await wire.ask("s", 1)
        await requests.finish(5)
        return told[0]

    told = uvloop.run(work())
    assert told.work_seconds is not None
    assert told.seconds >= told.work_seconds >= seconds


async def test_an_error_s_code_and_words_are_those_of_its_headers() -> None:
    (told,) = await told_of(NOT_FOUND)
    assert (told.error_code, told.error_message) == (Code.NOT_FOUND, "no such result")


async def test_what_a_limit_refuses_is_told_without_any_work() -> None:
    (told,) = await told_of(NOT_FOUND, body=b"x" * 2000, body_bytes=1024)
    assert (told.error_code, told.work_seconds) == (Code.TOO_LARGE, None)


async def test_an_error_past_every_handler_is_told_as_internal() -> None:
    (told,) = await told_of(ValueError("anything"))
    assert told.error_code == Code.INTERNAL


async def test_a_reply_that_nats_does_not_take_is_told_as_unsent() -> None:
    (told,) = await told_of(ConnectionClosedError())
    assert (told.error_code, told.bytes_out) == (UNSENT, 0)


async def test_a_request_whose_reply_would_go_astray_is_told_as_dropped() -> None:
    told: list[Answered] = []
    wire = Wire()

    async def consume(message: Msg) -> Replied:
        raise AssertionError("nothing is let in")

    await opened(wire, consume, observe=told.append)
    assert wire.receive is not None
    await wire.receive(Msg(cast(Any, wire), subject="coat.read.s", reply="coat.results.s.t.c", data=b"{}"))
    assert [one.error_code for one in told] == [DROPPED]


async def test_what_is_given_up_is_told_once_though_its_handler_answers_after_all() -> None:
    told: list[Answered] = []
    wire = Wire()
    ended = asyncio.Event()

    async def consume(message: Msg) -> Replied:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.wait_for(ended.wait(), 60)  # longer than a cancelled handler is waited for
        return Replied(b"late", {})

    requests = await opened(wire, consume, observe=told.append, timeout_seconds=0.01)
    await wire.ask("s", 1)
    await eventually(lambda: len(told) == 1, expecting="it is told that it was given up")
    ended.set()
    await requests.finish(5)
    assert [one.error_code for one in told] == [Code.UNAVAILABLE]


async def test_those_that_a_stop_leaves_without_their_turn_are_told_each() -> None:
    told: list[Answered] = []
    wire = Wire()

    async def consume(message: Msg) -> Replied:
        await asyncio.sleep(60)
        return NOT_FOUND

    requests = await opened(wire, consume, observe=told.append, in_flight=1)
    for number in range(3):
        await wire.ask("s", number)
    await requests.finish(0)
    assert [one.error_code for one in told] == [Code.UNAVAILABLE] * 3


@pytest.mark.parametrize(("named", "told_as"), [("grep", "grep"), ("evil-\x00", OTHER), ("", OTHER)])
def test_an_operation_on_files_is_one_of_few(named: str, told_as: str) -> None:
    told: list[Answered] = []
    message = Msg(cast(Any, None), subject=f"coat.fs.s.{named}", reply="_INBOX.1", data=b"")
    Watch("fs", told.append).replied(message, 0.0, 0.0, NOT_FOUND)
    assert told[0].operation == told_as


def test_a_code_that_there_is_not_counts_as_internal() -> None:
    told: list[Answered] = []
    message = Msg(cast(Any, None), subject="coat.read.s", reply="_INBOX.1", data=b"")
    Watch("read", told.append).replied(message, 0.0, 0.0, Replied(b"", {ERROR_CODE_HEADER: "418"}))
    assert told[0].error_code == Code.INTERNAL
