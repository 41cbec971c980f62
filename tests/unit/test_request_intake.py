"""Each request that may be answered gets one reply: its answer, or which limit it met."""

import asyncio
from contextlib import suppress

import pytest
from nats.aio.msg import Msg
from nats.errors import OutboundBufferLimitError
from tests.support.request_wire import Wire, opened
from tests.support.wait import eventually

from coatcheck_core.settings.model import RequestsSettings
from coatcheck_workers.intake.request_limits import limits_of, took_too_long


class Desk:
    """Answers `answer`, each once it is let go, or all at once; `taken` has the inboxes in the order of their turns."""

    def __init__(self, wire: Wire, *, held: bool = True) -> None:
        self.wire = wire
        self.taken: list[str] = []
        self.go = asyncio.Event()
        if not held:
            self.go.set()
        self.let_go: dict[str, asyncio.Event] = {}

    async def consume(self, message: Msg) -> None:
        self.taken.append(message.reply)
        event = self.let_go.setdefault(message.reply, asyncio.Event())
        either = {asyncio.ensure_future(event.wait()), asyncio.ensure_future(self.go.wait())}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for waiting in either:
                waiting.cancel()
        await self.wire.publish(message.reply, b"answer")


async def test_five_hundred_requests_of_one_session_do_not_hold_up_another_s_one() -> None:
    wire = Wire()
    desk = Desk(wire)
    requests = await opened(wire, desk.consume, in_flight=4, session_in_flight=2)
    for number in range(500):
        await wire.ask("busy", number)
    quiet = await wire.ask("quiet", 0)
    await eventually(lambda: len(desk.taken) == 3, expecting="two of the busy session and the quiet one's")
    assert quiet in desk.taken
    desk.go.set()
    await requests.finish(10)
    assert set(map(tuple, wire.replies.values())) == {(b"answer",)}
    assert len(wire.replies) == 501


async def test_what_there_is_no_room_for_is_refused_at_once_with_the_setting_s_name() -> None:
    wire = Wire()
    desk = Desk(wire)
    requests = await opened(wire, desk.consume, in_flight=1, waiting=4)
    inboxes = [await wire.ask("s", number) for number in range(10)]
    refused = [inbox for inbox in inboxes if wire.replies.get(inbox) == [b"unavailable requests.waiting"]]
    assert refused == inboxes[3:]
    assert requests.waiting == 2
    desk.go.set()
    await requests.finish(10)
    assert [wire.replies[inbox] for inbox in inboxes[:3]] == [[b"answer"]] * 3


async def test_bytes_that_wait_are_bounded() -> None:
    wire = Wire()
    desk = Desk(wire)
    requests = await opened(wire, desk.consume, in_flight=1, waiting_bytes=65536, body_bytes=50_000)
    inboxes = [await wire.ask("s", number, b"x" * 40_000) for number in range(3)]
    assert wire.replies == {inboxes[2]: [b"unavailable requests.waiting_bytes"]}
    desk.go.set()
    await requests.finish(10)


@pytest.mark.parametrize(("body", "headers"), [(b"x" * 1025, None), (b"{}", {"a": "x" * 1023})])
async def test_a_request_over_the_bound_is_too_large(body: bytes, headers: dict[str, str] | None) -> None:
    wire = Wire()
    desk = Desk(wire)
    await opened(wire, desk.consume, body_bytes=1024)
    inbox = await wire.ask("s", 0, body, headers)
    assert wire.replies == {inbox: [b"too_large requests.body_bytes"]}
    assert desk.taken == []


async def test_a_request_whose_turn_does_not_come_is_answered_without_work() -> None:
    wire = Wire()
    desk = Desk(wire)
    requests = await opened(wire, desk.consume, in_flight=1, patience_seconds=0.02)
    inboxes = [await wire.ask("s", number) for number in range(3)]
    await eventually(lambda: len(wire.replies) == 2, expecting="both that waited to be told")
    assert [wire.replies[inbox] for inbox in inboxes[1:]] == [[b"unavailable requests.patience_seconds"]] * 2
    desk.go.set()
    await requests.finish(10)
    assert desk.taken == inboxes[:1]
    assert wire.replies[inboxes[0]] == [b"answer"]


async def test_an_answer_that_takes_too_long_is_given_up_and_its_place_is_free() -> None:
    wire = Wire()
    desk = Desk(wire)
    requests = await opened(wire, desk.consume, in_flight=1, timeout_seconds=0.5)
    inbox = await wire.ask("s", 0)
    await eventually(lambda: inbox in wire.replies, expecting="the stuck one's reader to be told")
    assert wire.replies[inbox] == [b"unavailable requests.timeout_seconds"]
    desk.go.set()
    after = await wire.ask("s", 1)
    await eventually(lambda: wire.replies.get(after) == [b"answer"], expecting="the next to be answered")
    assert (requests.at_work, requests.waiting) == (0, 0)


async def test_a_handler_that_will_not_end_is_given_up_and_keeps_its_place_till_it_does() -> None:
    wire = Wire()
    go = asyncio.Event()

    async def stubborn(message: Msg) -> None:
        while message.data == b"stuck" and not go.is_set():
            with suppress(asyncio.CancelledError):
                await go.wait()
        if message.data != b"stuck":
            await wire.publish(message.reply, b"answer")

    requests = await opened(wire, stubborn, in_flight=1, timeout_seconds=0.5)
    stuck = await wire.ask("s", 0, b"stuck")
    await eventually(lambda: stuck in wire.replies, expecting="its reader to be told")
    after = await wire.ask("s", 1)
    assert (requests.at_work, requests.waiting) == (1, 1)
    go.set()
    await requests.finish(10)
    assert wire.replies == {stuck: [b"unavailable requests.timeout_seconds"], after: [b"answer"]}


async def test_a_stop_answers_for_a_handler_that_will_not_end() -> None:
    wire = Wire()
    go = asyncio.Event()

    async def stubborn(message: Msg) -> None:
        with suppress(asyncio.CancelledError):
            await go.wait()
        await go.wait()

    requests = await opened(wire, stubborn)
    inbox = await wire.ask("s", 0)
    await eventually(lambda: requests.at_work == 1, expecting="it to be at work")
    await requests.finish(0.01)
    assert wire.replies == {inbox: [b"unavailable"]}
    go.set()
    await eventually(lambda: requests.at_work == 0, expecting="it to end")


async def test_a_stop_answers_for_work_that_has_not_begun() -> None:
    wire = Wire()
    desk = Desk(wire)
    requests = await opened(wire, desk.consume)
    inbox = await wire.ask("s", 0)
    await requests.finish(0)
    assert wire.replies == {inbox: [b"unavailable"]}
    assert desk.taken == []


async def test_an_error_past_every_handler_is_answered_too() -> None:
    wire = Wire()

    async def fail(message: Msg) -> None:
        raise KeyError("unexpected")

    requests = await opened(wire, fail)
    inbox = await wire.ask("s", 0)
    await requests.finish(10)
    assert wire.replies == {inbox: [b"internal"]}


async def test_a_handler_s_own_timeout_is_no_limit_of_the_request() -> None:
    wire = Wire()

    async def fail(message: Msg) -> None:
        raise TimeoutError

    requests = await opened(wire, fail)
    inbox = await wire.ask("s", 0)
    await requests.finish(10)
    assert wire.replies == {inbox: [b"internal"]}


async def test_whoever_has_no_answer_when_a_stop_must_end_is_told_to_ask_again() -> None:
    wire = Wire()
    desk = Desk(wire)
    requests = await opened(wire, desk.consume, in_flight=2)
    inboxes = [await wire.ask("s", number) for number in range(5)]
    await eventually(lambda: len(desk.taken) == 2, expecting="two at work")
    await requests.unsubscribe()
    await requests.finish(0.01)
    assert wire.replies == {inbox: [b"unavailable"] for inbox in inboxes}
    assert desk.taken == inboxes[:2]
    assert (requests.at_work, requests.waiting) == (0, 0)


async def test_nothing_is_left_of_requests_that_are_through() -> None:
    wire = Wire()
    desk = Desk(wire, held=False)
    before = asyncio.all_tasks()
    requests = await opened(wire, desk.consume, in_flight=3)
    for number in range(500):
        await wire.ask(f"s{number % 7}", number)
    await requests.finish(10)
    assert asyncio.all_tasks() == before
    assert (requests.at_work, requests.waiting, requests._line.sessions) == (0, 0, 0)
    assert len(wire.replies) == 500


async def test_a_reply_that_nats_does_not_take_frees_its_place_all_the_same() -> None:
    wire = Wire()
    requests = await opened(wire, Desk(wire, held=False).consume, body_bytes=1024)
    wire.error = OutboundBufferLimitError()
    await wire.ask("s", 0)
    await wire.ask("s", 1, b"x" * 2000)
    await requests.finish(10)
    assert requests.tally.counts["unsent"] == 2
    assert requests.at_work == 0


async def test_what_the_client_library_dropped_is_answered_where_it_may_be() -> None:
    wire = Wire()
    requests = await opened(wire, Desk(wire).consume)
    await requests.refuse_dropped("_INBOX.s.1")
    await requests.refuse_dropped("coat.stubs.s.t.r")
    assert wire.replies == {"_INBOX.s.1": [b"unavailable requests.waiting"]}


@pytest.mark.parametrize("verb", ["read", "search"])
def test_every_limit_of_a_request_follows_its_setting(verb: str) -> None:
    settings = RequestsSettings(
        in_flight=11, session_in_flight=12, searches=13, session_searches=14, waiting=15, waiting_bytes=100_000,
        body_bytes=5000, patience_seconds=17, timeout_seconds=18,
    )  # fmt: skip
    limits = limits_of(settings, verb)
    expected = (13, 14) if verb == "search" else (11, 12)
    assert (limits.bounds.at_work, limits.bounds.session_at_work) == expected
    assert (limits.bounds.waiting, limits.bounds.waiting_bytes) == (15, 100_000)
    assert (limits.body_bytes, limits.patience_seconds, limits.work_seconds) == (5000, 17, 18)


def test_a_deletion_may_take_its_own_time_besides() -> None:
    settings = RequestsSettings(timeout_seconds=8, delete_seconds=20)
    assert limits_of(settings, "delete").work_seconds == 28


@pytest.mark.parametrize(("verb", "goes_on"), [("delete", True), ("read", False), ("search", False)])
def test_whose_answer_is_given_up_is_told_whether_what_was_asked_goes_on(verb: str, goes_on: bool) -> None:
    message = took_too_long(limits_of(RequestsSettings(), verb)).message
    assert ("goes on" in message) is goes_on
    assert ("ask for less" in message) is not goes_on
