"""Publishing with one inbox for all acknowledgements: each gets its own, in bounded time and number."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast

import pytest
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError
from tests.support.wait import eventually

from coatcheck_workers.streams import sending
from coatcheck_workers.streams.sending import PublishError, Sender, WrongLastSequence

NO_RESPONDERS = {"Status": "503"}


class FakeClient:
    """Remembers what was published under which reply subject; a test answers, or not."""

    def __init__(self) -> None:
        self.subscribed: list[str] = []
        self.published: list[tuple[str, str]] = []
        self.error: Exception | None = None
        self.hear: Callable[[Msg], Awaitable[None]] | None = None

    def new_inbox(self) -> str:
        return "_INBOX.me"

    async def subscribe(self, subject: str, cb: Callable[[Msg], Awaitable[None]]) -> None:
        await asyncio.sleep(0)
        self.subscribed.append(subject)
        self.hear = cb

    async def publish(self, subject: str, body: bytes, reply: str, headers: dict[str, str]) -> None:
        if self.error is not None:
            raise self.error
        self.published.append((subject, reply))

    async def answer(self, number: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        assert self.hear is not None
        _, reply = self.published[number]
        await self.hear(Msg(_client=cast(Any, self), subject=reply, data=data, headers=headers))


@pytest.fixture
def client() -> FakeClient:
    return FakeClient()


def sender_on(client: FakeClient, timeout_seconds: float = 5.0) -> Sender:
    return Sender(cast(Any, client), timeout_seconds)


async def sent(sender: Sender, client: FakeClient, subject: str = "s") -> "asyncio.Task[int]":
    """A publish that is out and waits for its acknowledgement."""
    before = len(client.published)
    task = asyncio.create_task(sender.send(subject, b"x", {}))
    await eventually(lambda: len(client.published) > before or task.done(), expecting="the publish")
    return task


async def answered(client: FakeClient, data: bytes, headers: dict[str, str] | None = None) -> int:
    task = await sent(sender_on(client), client)
    await client.answer(-1, data, headers)
    return await task


async def test_each_publish_gets_its_own_sequence_whatever_the_order_of_the_answers(client: FakeClient) -> None:
    sender = sender_on(client)
    tasks = [await sent(sender, client, f"s{number}") for number in range(3)]
    for number in (2, 0, 1):
        await client.answer(number, b'{"stream": "S", "seq": %d}' % (10 + number))
    assert [await task for task in tasks] == [10, 11, 12]


async def test_many_first_publishes_at_once_make_one_inbox(client: FakeClient) -> None:
    sender = sender_on(client)
    tasks = [asyncio.create_task(sender.send("s", b"x", {})) for _ in range(20)]
    await eventually(lambda: len(client.published) == 20, expecting="all publishes")
    for number in range(20):
        await client.answer(number, b'{"stream": "S", "seq": 1}')
    await asyncio.gather(*tasks)
    assert client.subscribed == ["_INBOX.me.*"]
    assert len({reply for _, reply in client.published}) == 20


@pytest.mark.parametrize("err_code", [10071, 10164])
async def test_failed_expectation_is_told_apart(client: FakeClient, err_code: int) -> None:
    body = b'{"error": {"code": 400, "err_code": %d, "description": "wrong last sequence: 4"}}' % err_code
    with pytest.raises(WrongLastSequence, match="wrong last sequence"):
        await answered(client, body)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b'{"error": {"code": 503, "err_code": 10077, "description": "maximum bytes exceeded"}}', None),
        (b'{"error": {"code": 500}}', None),
        (b"", NO_RESPONDERS),
        (b"", None),
        (b"not JSON", None),
        (b'{"seq": "four"}', None),
        (b'{"stream": "S"}', None),
        (b"[]", None),
    ],
)
async def test_whatever_else_is_no_acknowledgement_is_a_publish_error(
    client: FakeClient, body: bytes, headers: dict[str, str] | None
) -> None:
    with pytest.raises(PublishError) as caught:
        await answered(client, body, headers)
    assert not isinstance(caught.value, WrongLastSequence)


async def test_connection_that_is_closed_is_a_publish_error(client: FakeClient) -> None:
    client.error = ConnectionClosedError()
    with pytest.raises(PublishError, match="connection closed"):
        await sender_on(client).send("s", b"x", {})


async def test_without_an_answer_each_publish_ends_in_its_own_time(client: FakeClient) -> None:
    loop = asyncio.get_running_loop()
    sender = sender_on(client, timeout_seconds=0.2)

    async def timed() -> float:
        started = loop.time()
        with pytest.raises(PublishError, match=r"NATS did not answer within 0\.2 s"):
            await sender.send("s", b"x", {})
        return loop.time() - started

    first = asyncio.create_task(timed())
    began = loop.time()
    await eventually(lambda: loop.time() - began > 0.1, expecting="half of its time")
    second = asyncio.create_task(timed())
    assert min(await first, await second) >= 0.19
    assert sender._waiting == {}


async def test_answer_that_comes_too_late_or_for_nobody_changes_nothing(client: FakeClient) -> None:
    sender = sender_on(client)
    given_up = await sent(sender, client)
    given_up.cancel()
    await asyncio.wait({given_up})
    await client.answer(0, b'{"stream": "S", "seq": 1}')
    waiting = await sent(sender, client)
    await client.answer(0, b'{"stream": "S", "seq": 2}')
    await client.answer(1, b'{"stream": "S", "seq": 3}')
    await client.answer(1, b'{"stream": "S", "seq": 4}')
    assert await waiting == 3
    assert sender._waiting == {}


async def test_only_so_many_are_outstanding_at_a_time(client: FakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "MAX_OUTSTANDING", 3)
    sender = sender_on(client)
    tasks = [asyncio.create_task(sender.send("s", b"x", {})) for _ in range(10)]
    for number in range(10):
        most = min(10, number + 3)
        await eventually(partial(_has_published, client, most), expecting="the next one")
        assert len(client.published) == most
        await client.answer(number, b'{"stream": "S", "seq": %d}' % number)
    assert await asyncio.gather(*tasks) == list(range(10))


def _has_published(client: FakeClient, count: int) -> bool:
    return len(client.published) >= count
