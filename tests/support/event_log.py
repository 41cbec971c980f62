"""A stand-in for the stub stream of one session, for tests of how a client follows it."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import nats
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg

from coatcheck.client.stubs import StubStream
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.requests import Replayed, ReplayReply
from coatcheck_workers.embedded import NatsServer

SESSION = "s1"


class Log:
    """A stand-in for the stub stream and the workers' `replay`: events in order, cursors that count them.

    `silent` lets it answer `unavailable`; it does not answer at all while `answers` is cleared.
    """

    def __init__(self, nats_client: Nats, prefix: str) -> None:
        self.prefix = prefix
        self.requests = 0
        self.silent = False
        self.answers = asyncio.Event()
        self.answers.set()
        self._nats = nats_client
        self._events: list[Replayed] = []

    async def publish(self, call: str, *, heard: bool = True) -> None:
        """With `heard` false nobody hears it: a stream whose leader dies with it repeats it to nobody."""
        event = StubEvent(
            session_id=SESSION,
            turn_id="",
            call_id=call,
            tool_name="cat",
            disposition="inline",
            content=call,
            created_at="",
        )
        subject = f"{self.prefix}.stubs.{SESSION}.=.{call}-x"
        body = msgspec.json.encode(event)
        self._events.append(Replayed(subject=subject, event=msgspec.Raw(body)))
        if heard:
            await self._nats.publish(subject, body)

    async def answer(self, message: Msg) -> None:
        self.requests += 1
        await self.answers.wait()
        if self.silent:
            problem = {"error": {"code": "unavailable", "message": "not now", "details": {}}}
            await message.respond(msgspec.json.encode(problem))
            return
        request = msgspec.json.decode(message.data)
        limit = request.get("limit", 100)
        start = int(request.get("after") or 0)
        if limit == 0:
            start = len(self._events)
        page = self._events[start : start + limit]
        reply = ReplayReply(events=page, has_more=start + limit < len(self._events), cursor=str(start + len(page)))
        await message.respond(msgspec.json.encode({"ok": reply}))


@asynccontextmanager
async def logging_events(server: NatsServer) -> AsyncIterator[Log]:
    """Under a prefix of its own."""
    connection = await nats.connect(server.url, connect_timeout=30)
    one = Log(connection, f"t{secrets.token_hex(6)}")
    await connection.subscribe(f"{one.prefix}.replay.{SESSION}", cb=one.answer)
    await connection.flush()
    yield one
    await connection.close()


async def take(stubs: StubStream, count: int, seconds: float = 60) -> list[str]:
    """The call ids of the next events."""
    async with asyncio.timeout(seconds):
        return [(await anext(stubs)).call_id for _ in range(count)]


async def nothing_more(stubs: StubStream, log: Log) -> None:
    """One more event is published, and is the next one to come."""
    await log.publish("the-last")
    assert await take(stubs, 1) == ["the-last"]
