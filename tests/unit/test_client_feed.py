"""The bounded buffer between a subscription and its reader."""

import asyncio

from nats.aio.client import Client
from nats.aio.msg import Msg

from coatcheck.client.feed import Feed


def message(data: bytes) -> Msg:
    return Msg(Client(), "s", "", data)


async def test_messages_come_out_in_their_order() -> None:
    feed = Feed()
    for data in (b"1", b"2"):
        await feed.receive(message(data))
    taken = [feed.take(), feed.take(), feed.take()]
    assert [one and one.data for one in taken] == [b"1", b"2", None]


async def test_an_overflow_in_number_drops_all_and_is_an_interruption() -> None:
    feed = Feed(max_messages=2)
    for data in (b"1", b"2", b"3"):
        await feed.receive(message(data))
    assert (feed.take(), feed.interruptions) == (None, 1)


async def test_an_overflow_in_bytes_drops_all_and_room_comes_back() -> None:
    feed = Feed(max_bytes=10)
    for data in (b"x" * 6, b"y" * 6, b"z" * 6):
        await feed.receive(message(data))
    left = feed.take()
    assert left is not None
    assert (left.data, feed.interruptions) == (b"z" * 6, 1)


async def test_waiting_ends_with_a_message_an_interruption_or_the_time() -> None:
    feed = Feed()
    for wake in (lambda: feed.interrupt(), lambda: asyncio.ensure_future(feed.receive(message(b"x")))):
        waiting = asyncio.ensure_future(feed.wait())
        await asyncio.sleep(0)
        assert not waiting.done()
        wake()
        await asyncio.wait_for(waiting, 60)
    assert feed.take() is not None
    await feed.wait(0.001)
