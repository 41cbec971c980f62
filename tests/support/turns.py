"""Stand-ins for workers, for tests of what a client makes of a turn."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import nats
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from coatcheck_schemas.events import SettledResult, StubEvent, TurnEnd, TurnSettled
from coatcheck_schemas.refs import failed_id
from coatcheck_schemas.requests import Problem, Replayed, ReplayReply
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.embedded import NatsServer

SESSION, TURN = "s1", "t1"
AT = TurnAddress(SESSION, TURN)


class Workers:
    """Stand-ins for the workers of a deployment: a real results stream, stub events at the test's word, `replay`.

    A `refusal` is what every replay is answered with, `no_manifest` one that asks for a manifest. What is not `live` is
    stored, and heard by nobody.
    """

    def __init__(self, connection: Nats, jetstream: JetStreamContext, prefix: str) -> None:
        self.subjects = Subjects(prefix)
        self.prefix = prefix
        self.stream = self.subjects.stream("results")
        self._nats = connection
        self._jetstream = jetstream
        self.refusal: Problem | None = None
        self.no_manifest: Problem | None = None
        self.refused = 0
        self._events: list[Replayed] = []
        self._manifests: list[Replayed] = []

    async def published(self, pattern: str = "results") -> list[Msg]:
        """The messages in the results stream, those of turns' ends with `turns`."""
        pull = await self._jetstream.pull_subscribe(f"{self.prefix}.{pattern}.>", stream=self.stream)
        count = (await pull.consumer_info()).num_pending
        return await pull.fetch(count, timeout=30) if count else []

    async def ends(self) -> list[int | None]:
        """The size that each end of the turn says."""
        messages = await self.published("turns")
        assert {message.subject for message in messages} <= {self.subjects.turn_end(AT)}
        return [msgspec.json.decode(message.data, type=TurnEnd).turn_size for message in messages]

    async def stub(self, call: str, result_id: str, *, live: bool = True, kept: bool = True) -> None:
        failed = result_id == failed_id(call)
        event = StubEvent(
            session_id=SESSION,
            turn_id=TURN,
            call_id=call,
            tool_name=None,
            disposition="failed" if failed else "inline",
            content=f"stub of {result_id}",
            result_id=None if failed else result_id,
            created_at="",
        )
        body = msgspec.json.encode(event)
        subject = self.subjects.stubs(SESSION, TURN, result_id)
        if kept:
            self._events.append(Replayed(subject=subject, event=msgspec.Raw(body)))
        if live:
            await self._nats.publish(subject, body)

    async def settle(self, *calls: str, live: bool = True) -> TurnSettled:
        manifest = TurnSettled(
            session_id=SESSION,
            turn_id=TURN,
            settled_by="size",
            turn_size=len(calls),
            received=len(calls),
            budget=100,
            inline_total=len(calls),
            results=[
                SettledResult(
                    call_id=call, result_id=None, disposition="inline", reason=None, original_chars=1, inline_size=1
                )
                for call in calls
            ],
        )
        body = msgspec.json.encode(manifest)
        self._manifests.append(Replayed(subject=self.subjects.settled(AT), event=msgspec.Raw(body)))
        if live:
            await self.tell(body)
        return manifest

    async def tell(self, manifest: bytes) -> None:
        await self._nats.publish(self.subjects.settled(AT), manifest)

    async def answer(self, message: Msg) -> None:
        request = msgspec.json.decode(message.data)
        if (refusal := self.refusal or (self.no_manifest if "settled" in request else None)) is not None:
            self.refused += 1
            await message.respond(msgspec.json.encode({"error": refusal}))
            return
        events = self._manifests if request.get("settled") else self._events
        start, limit = int(request.get("after") or 0), request.get("limit", 100)
        assert request["turn_id"] == TURN
        page = events[start : start + limit]
        reply = ReplayReply(events=page, has_more=start + limit < len(events), cursor=str(start + len(page)))
        await message.respond(msgspec.json.encode({"ok": reply}))


@asynccontextmanager
async def standing_in(server: NatsServer) -> AsyncIterator[Workers]:
    """Under a prefix of their own."""
    connection = await nats.connect(server.url, connect_timeout=30)
    jetstream = connection.jetstream()
    one = Workers(connection, jetstream, f"t{secrets.token_hex(6)}")
    subjects = [f"{one.prefix}.results.>", f"{one.prefix}.turns.>"]
    await jetstream.add_stream(name=one.stream, subjects=subjects, discard="new")
    await connection.subscribe(f"{one.prefix}.replay.{SESSION}", cb=one.answer)
    await connection.flush()
    yield one
    await jetstream.delete_stream(one.stream)
    await connection.close()
