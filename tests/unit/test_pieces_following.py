"""How the pieces of an upload are followed in their stream: what is read, when, and when it is given up."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import datetime

import pytest
from tests.support.simulation.time import BEGINNING, SimulatedLoop, run_simulated
from tests.support.unused_log import UnusedLog

from coatcheck_core.assembling import MAX_EARLY_BYTES
from coatcheck_schemas import pieces
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.refs import sha256_hex
from coatcheck_workers.streams.later import Later
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.uploads.pieces import LEAST_FOLLOWED_SECONDS, MAX_REREADS, Pieces

SUBJECT = "coat.chunks.s.t.c.u"
IDLE_SECONDS = 600.0


class Chunks(UnusedLog):
    """A stream to which messages come at their times, at most `batch` a read; each read takes a millisecond."""

    def __init__(self, loop: SimulatedLoop, batch: int = 100) -> None:
        self._loop = loop
        self._batch = batch
        self.kept: list[Kept] = []
        self.reads: list[int] = []

    def put(self, headers: Mapping[str, str], body: bytes = b"") -> None:
        self.kept.append(Kept(subject=SUBJECT, sequence=self._next(), at=self._loop.now(), headers=headers, body=body))

    def _next(self) -> int:
        return self.kept[-1].sequence + 1 if self.kept else 1

    def send(self, *bodies: bytes, order: list[int] | None = None) -> None:
        for number in order or range(len(bodies)):
            self.put(pieces.piece_headers("m", number), bodies[number])

    def end(self, *bodies: bytes) -> None:
        data = b"".join(bodies)
        self.put(pieces.final_headers("m", count=len(bodies), size=len(data), sha256=sha256_hex(data)))

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        assert pattern == SUBJECT
        self.reads.append(after)
        await _soon(self._loop)
        return [kept for kept in self.kept if kept.sequence > after][: self._batch]


async def _soon(loop: SimulatedLoop) -> None:
    done = loop.create_future()
    loop.call_later(0.001, done.set_result, None)
    await done


def following(
    chunks: Chunks, loop: SimulatedLoop, *, idle: float = IDLE_SECONDS, opened_at: datetime = BEGINNING
) -> Pieces:
    return Pieces(chunks, SUBJECT, idle, opened_at, loop.now)


async def gathered(one: Pieces, into: list[bytes] | None = None) -> list[bytes]:
    got = [] if into is None else into
    async for piece in one.follow():
        got.append(piece)
    return got


Test = Callable[[SimulatedLoop, Chunks], Awaitable[None]]


def simulated(test: Test, batch: int = 100) -> None:
    async def main(loop: SimulatedLoop) -> None:
        await test(loop, Chunks(loop, batch))

    run_simulated(main)


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_each_piece_comes_once_and_in_order_however_they_are_batched(batch: int) -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        bodies = [b"a", b"b", b"c", b"d", b"e"]
        chunks.send(*bodies, order=[1, 0, 0, 4, 3, 1, 2])
        chunks.end(*bodies)
        chunks.send(*bodies)
        one = following(chunks, loop)
        assert await gathered(one) == bodies
        assert one.ended.sequence == 8

    simulated(test, batch)


def test_one_batch_is_read_ahead_and_what_is_on_its_way_at_the_end_is_dropped() -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        bodies = [b"xxx"] * 8
        chunks.send(*bodies)
        async with aclosing(following(chunks, loop).follow()) as following_it:
            async for _ in following_it:
                await _soon(loop)
                break
        assert chunks.reads == [0, 2]

    simulated(test, batch=2)


def test_pieces_that_come_while_it_waits_are_followed_with_few_reads() -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        for number in range(10):
            loop.call_later(60.0 * number, chunks.put, pieces.piece_headers("m", number), b"x")
        loop.call_later(540.0, chunks.end, *[b"x"] * 10)
        assert await gathered(following(chunks, loop)) == [b"x"] * 10
        assert len(chunks.reads) < 540 * 4 + 200

    simulated(test)


def test_an_upload_of_which_nothing_more_comes_is_given_up_by_the_stream_s_time() -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        chunks.send(b"a")
        with pytest.raises(InvalidResult, match="no piece has come for 600 s: 1 pieces have come") as caught:
            await gathered(following(chunks, loop))
        assert caught.value.reason == "upload_idle"
        assert IDLE_SECONDS <= loop.time() < IDLE_SECONDS + 1

    simulated(test)


def test_one_that_has_waited_for_a_worker_for_long_is_not_given_up_at_once() -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        chunks.send(b"a")
        begun = loop.time() + 10 * IDLE_SECONDS
        loop.call_later(begun + LEAST_FOLLOWED_SECONDS / 2 - loop.time(), chunks.end, b"a")
        await _until(loop, begun)
        assert await gathered(following(chunks, loop)) == [b"a"]

    simulated(test)


async def _until(loop: SimulatedLoop, time: float) -> None:
    done = loop.create_future()
    loop.call_at(time, done.set_result, None)
    await done


def test_one_that_is_asked_to_give_way_does_so_once_nothing_is_there_to_take() -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        bodies = [b"abc", b"def", b"ghi"]
        chunks.send(*bodies)
        one = following(chunks, loop)
        one.gives_way = 15.0
        got: list[bytes] = []
        with pytest.raises(Later) as caught:
            await gathered(one, got)
        assert (got, caught.value.seconds) == (bodies[:-1], 15.0)

    simulated(test)


def test_one_whose_pieces_are_all_there_gives_way_to_nobody() -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        chunks.send(b"a", b"b")
        chunks.end(b"a", b"b")
        one = following(chunks, loop)
        one.gives_way = 15.0
        assert await gathered(one) == [b"a", b"b"]

    simulated(test, batch=1)


BLOCK = bytes(MAX_EARLY_BYTES // 4)


def test_of_a_producer_that_gave_up_the_last_bytes_are_left_once() -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        chunks.send(b"abcd", b"efg", b"h", b"", b"i")
        chunks.put(pieces.failed_headers("m", "no"))
        one = following(chunks, loop)
        assert await gathered(one) == [b"abcd"]
        assert [one.take_rest(), one.take_rest()] == [b"efghi", b""]

    simulated(test)


@pytest.mark.parametrize("has_failed", [False, True])
def test_what_came_too_early_to_be_kept_is_read_again(has_failed: bool) -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        bodies = [number.to_bytes(4, "big") + BLOCK for number in range(20)]
        chunks.send(*bodies, order=[*reversed(range(20))])
        if has_failed:
            chunks.put(pieces.failed_headers("m", "no"))
        else:
            chunks.end(*bodies)
        one = following(chunks, loop)
        got = await gathered(one)
        assert [*got, *([one.take_rest()] if has_failed else [])] == bodies
        assert one.ended.sequence == 21

    simulated(test, batch=4)


def test_while_a_piece_is_missing_nothing_is_read_again() -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        chunks.send(*[BLOCK] * 20, order=[*range(1, 20)])
        loop.call_later(300.0, chunks.put, pieces.piece_headers("m", 0), BLOCK)
        loop.call_later(300.0, chunks.end, *[BLOCK] * 20)
        assert await gathered(following(chunks, loop)) == [BLOCK] * 20
        assert chunks.reads[:2] == [0, 19]
        assert set(chunks.reads[2 : 300 * 3]) == {19}

    simulated(test)


def test_pieces_in_no_order_at_all_are_read_again_so_often_and_then_refused() -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        count = (MAX_REREADS + 3) * 4
        chunks.send(*[BLOCK] * count, order=[*reversed(range(count))])
        with pytest.raises(InvalidResult, match="too far out of their order"):
            await gathered(following(chunks, loop))

    simulated(test, batch=1000)


def test_how_an_upload_ended_is_seen_ahead_of_its_pieces() -> None:
    class Seen(Chunks):
        async def last(self, subject: str) -> Kept | None:
            return self.kept[-1] if self.kept else None

        async def first(self, pattern: str, after: int = 0) -> Kept | None:
            return next((kept for kept in self.kept if kept.sequence > after), None)

    async def main(loop: SimulatedLoop) -> None:
        chunks = Seen(loop)
        one = following(chunks, loop)
        assert await one.peek() is None
        assert await one.left_over() is None
        chunks.send(b"a")
        assert await one.peek() is None
        chunks.end(b"a")
        ending = await one.peek()
        assert ending is not None
        assert ending.sha256 == sha256_hex(b"a")
        assert await one.left_over() is None
        del chunks.kept[0]
        assert await one.left_over() == ending
        chunks.send(b"a")
        assert await one.left_over() is None

    run_simulated(main)


def test_an_end_that_cannot_be_read_is_not_seen_ahead_but_told_in_its_turn() -> None:
    class Seen(Chunks):
        async def last(self, subject: str) -> Kept | None:
            return self.kept[-1]

    async def main(loop: SimulatedLoop) -> None:
        chunks = Seen(loop)
        chunks.put({pieces.FINAL: "true"})
        one = following(chunks, loop)
        assert await one.peek() is None
        with pytest.raises(InvalidResult, match="must be 64 hex digits"):
            await gathered(one)

    run_simulated(main)


@pytest.mark.parametrize(("order", "ends_last"), [([0, 1, -1, 0], True), ([0, -1, 1], False), ([1, 0, -1], True)])
def test_whether_the_end_came_last_of_what_was_used(order: list[int], ends_last: bool) -> None:
    async def test(loop: SimulatedLoop, chunks: Chunks) -> None:
        bodies = [b"a", b"b"]
        for number in order:
            if number < 0:
                chunks.end(*bodies)
            else:
                chunks.send(*bodies, order=[number])
        one = following(chunks, loop)
        assert await gathered(one) == bodies
        assert one.ends_last is ends_last

    simulated(test)
