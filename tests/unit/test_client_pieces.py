"""Pieces on their way: as many as the way bears, each until it is acknowledged, and an end to patience."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import nats.errors
import pytest
from nats.aio.msg import Msg
from tests.support.wait import eventually

from coatcheck.client import persisting
from coatcheck.client import pieces as sending_pieces
from coatcheck.client.persisting import Progress, persist
from coatcheck.client.pieces import MOST_IN_FLIGHT, Pieces
from coatcheck.client.sending import NO_STREAM_SECONDS, Refused
from coatcheck_schemas.errors import Code, RequestError

SUBJECT = "coat.chunks.s.t.c.u"
TAKEN = b'{"stream": "COAT_CHUNKS", "seq": 1}'
FULL = b'{"error": {"code": 503, "err_code": 10077, "description": "maximum bytes exceeded"}}'
WRONG = b'{"error": {"code": 400, "err_code": 10054, "description": "message size exceeds maximum allowed"}}'


class FakeConnection:
    """Remembers the headers of what was asked; answers as `answer` says, once `may_answer` is set."""

    max_payload = 1024 * 1024
    is_clustered = False
    closed = None

    def __init__(self, answer: Callable[[dict[str, str]], bytes] = lambda _: TAKEN) -> None:
        self.asked: list[dict[str, str]] = []
        self.waiting = 0
        self.most_waiting = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.answer = answer

    async def request(self, subject: str, body: bytes, headers: dict[str, str], *, timeout: float) -> Msg:  # noqa: ASYNC109
        self.asked.append(headers)
        self.waiting += 1
        self.most_waiting = max(self.most_waiting, self.waiting)
        try:
            await self.may_answer.wait()
            return Msg(_client=cast(Any, self), subject="", data=self.answer(headers))
        finally:
            self.waiting -= 1


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persisting, "FIRST_DELAY", 0.001)
    monkeypatch.setattr(persisting, "LONGEST_DELAY", 0.01)


def pieces_on(connection: FakeConnection, stall_seconds: float = 60.0) -> Pieces:
    progress = Progress(stall_seconds, asyncio.get_running_loop().time)
    return Pieces(cast(Any, connection), SUBJECT, "u", progress)


async def test_pieces_are_numbered_in_the_order_in_which_they_were_given() -> None:
    connection = FakeConnection()
    pieces = pieces_on(connection)
    for number in range(5):
        await pieces.send(b"%d" % number)
    await pieces.drain()
    await pieces.finish(is_error=None)
    assert [headers.get("Coat-Seq") for headers in connection.asked] == ["0", "1", "2", "3", "4", None]
    assert (pieces.count, pieces.size, pieces.stored) == (5, 5, 5)


async def test_no_more_are_on_their_way_than_the_way_bears() -> None:
    connection = FakeConnection()
    pieces = pieces_on(connection)
    for _ in range(20):
        await pieces.send(b"x")
    await pieces.drain()
    connection.may_answer.clear()
    sending = asyncio.create_task(_send(pieces, 3 * MOST_IN_FLIGHT))
    await eventually(lambda: connection.waiting == MOST_IN_FLIGHT)
    assert not sending.done()
    connection.may_answer.set()
    await sending
    await pieces.drain()
    assert connection.most_waiting <= MOST_IN_FLIGHT


async def _send(pieces: Pieces, count: int) -> None:
    for _ in range(count):
        await pieces.send(b"x")


async def test_on_a_slow_way_one_piece_at_a_time_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending_pieces, "SLOW_SECONDS", -1.0)
    connection = FakeConnection()
    pieces = pieces_on(connection)
    await _send(pieces, 4)
    await pieces.drain()
    connection.may_answer.clear()
    sending = asyncio.create_task(_send(pieces, 3))
    await eventually(lambda: connection.waiting == 1)
    await asyncio.sleep(0)
    assert connection.waiting == 1
    connection.may_answer.set()
    await sending


async def test_a_piece_is_sent_again_under_its_own_id_until_it_is_taken() -> None:
    answers = iter([FULL, FULL, TAKEN])
    connection = FakeConnection(lambda _: next(answers))
    pieces = pieces_on(connection)
    await pieces.send(b"x")
    await pieces.drain()
    assert len(connection.asked) == 3
    assert len({headers["Nats-Msg-Id"] for headers in connection.asked}) == 1


async def test_each_piece_has_an_id_that_no_other_tells() -> None:
    connection = FakeConnection()
    pieces = pieces_on(connection)
    await _send(pieces, 3)
    await pieces.drain()
    await pieces.finish(is_error=None)
    ids = [headers["Nats-Msg-Id"] for headers in connection.asked]
    assert len({one[:8] for one in ids} | {one[-8:] for one in ids}) == 8


async def test_where_one_piece_is_refused_the_others_are_not_sent_on() -> None:
    connection = FakeConnection(lambda headers: WRONG if headers["Coat-Seq"] == "1" else FULL)
    pieces = pieces_on(connection)
    await pieces.send(b"x")
    await pieces.send(b"y")
    with pytest.raises(RequestError, match="message size exceeds"):
        await pieces.drain()
    asked = len(connection.asked)
    with pytest.raises(RequestError, match="message size exceeds"):
        await pieces.send(b"z")
    assert (len(connection.asked), connection.waiting) == (asked, 0)


async def test_a_stream_that_stays_full_ends_in_an_error_that_names_its_setting() -> None:
    connection = FakeConnection(lambda _: FULL)
    progress = Progress(0.5, asyncio.get_running_loop().time)
    with pytest.raises(RequestError, match=r"for 0\.5 s nothing was taken.*streams\.chunks\.max_bytes") as caught:
        await persist(cast(Any, connection), SUBJECT, {}, b"x", progress)
    assert caught.value.code is Code.UNAVAILABLE
    assert len(connection.asked) > 1


async def test_what_is_taken_elsewhere_renews_the_patience_of_all() -> None:
    connection = FakeConnection()
    clock = Clock()
    progress = Progress(10, clock)
    clock.now += 9
    assert progress.left == 1
    await persist(cast(Any, connection), "other", {}, b"x", progress)
    assert progress.left == 10


def refused(why: Any) -> Refused:
    return Refused(RequestError(Code.UNAVAILABLE, "x"), why)


@pytest.mark.parametrize(
    ("why", "after", "gives_up"),
    [
        ("refused", 0, True),
        ("full", 9, False),
        ("full", 10, True),
        ("busy", 9, False),
        ("no_answer", 9, False),
        ("no_answer", 10, True),
        ("no_stream", NO_STREAM_SECONDS - 1, False),
        ("no_stream", NO_STREAM_SECONDS, True),
    ],
)
def test_patience_depends_on_what_time_may_mend(why: str, after: float, gives_up: bool) -> None:
    clock = Clock()
    progress = Progress(10, clock)
    clock.now += after
    assert progress.gives_up(refused(why), SUBJECT, 0.0, NO_STREAM_SECONDS) is gives_up


def test_a_stream_that_was_there_may_come_back() -> None:
    clock = Clock()
    progress = Progress(10, clock)
    progress.mark(SUBJECT)
    clock.now += 9
    assert not progress.gives_up(refused("no_stream"), SUBJECT, 0.0, NO_STREAM_SECONDS)
    assert progress.gives_up(refused("no_stream"), "other", 0.0, NO_STREAM_SECONDS)


async def test_the_last_message_waits_for_an_acknowledgement_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persisting, "TRY_SECONDS", 0.01)
    connection = FakeConnection()
    tries = 0

    def answer(_: dict[str, str]) -> bytes:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise nats.errors.TimeoutError
        return TAKEN

    connection.answer = answer
    await pieces_on(connection).finish(is_error=True)
    assert len(connection.asked) == 3
    assert len({headers["Nats-Msg-Id"] for headers in connection.asked}) == 1
    assert connection.asked[0]["Coat-Is-Error"] == "true"
