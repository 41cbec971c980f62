"""An agent of the plainest kind: a NATS connection that publishes results and collects its session's stub events."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError

from coatcheck_core.settings import Settings
from coatcheck_schemas.anybytes import hear_any_bytes
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import CallAddress, Subjects

WAIT_SECONDS = 50.0
"""Less than a turn waits for its last results."""


class Agent:
    """One session. `events` has every stub event in the order of its arrival, `raw` their bytes by subject."""

    def __init__(self, client: Client, settings: Settings, session: str) -> None:
        self.client = client
        self.session = session
        self.subjects = Subjects(settings.nats.prefix)
        self.events: list[StubEvent] = []
        self.raw: dict[str, bytes] = {}
        self.subject_counts: dict[str, int] = {}
        self._news = asyncio.Condition()

    def address(self, call: str, turn: str = "") -> CallAddress:
        return CallAddress(encode_segment(self.session), encode_segment(turn), encode_segment(call))

    async def publish(self, call: str, content: Any, *, turn: str = "", tool: str = "cat", **fields: Any) -> None:
        """A JSON result, as any producer would publish it."""
        body = msgspec.json.encode({"tool_name": tool, "content": content, **fields})
        await self.publish_raw(self.subjects.results(self.address(call, turn)), body)

    async def publish_raw(self, subject: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        # A busy machine may take its time to acknowledge.
        await self.client.jetstream(timeout=30).publish(subject, body, headers=headers)

    async def stub(self, call: str, turn: str = "") -> StubEvent:
        """The first stub event of the call; fails where none comes."""

        def find() -> StubEvent | None:
            return next((e for e in self.events if e.call_id == call and e.turn_id == turn), None)

        async with self._news:
            await asyncio.wait_for(self._news.wait_for(lambda: find() is not None), WAIT_SECONDS)
        found = find()
        assert found is not None
        return found

    async def offload(self, call: str, content: Any, **fields: Any) -> StubEvent:
        """Publish and wait for the stub event."""
        await self.publish(call, content, **fields)
        return await self.stub(call, fields.get("turn", ""))

    async def request(self, verb: str, body: Any = None, *, session: str | None = None) -> dict[str, Any]:
        """A request's whole reply; a `bytes` body goes as it is."""
        segment = encode_segment(self.session if session is None else session)
        encoded = body if isinstance(body, bytes) else msgspec.json.encode(body or {})
        reply = await self.client.request(self.subjects.request(verb, segment), encoded, timeout=WAIT_SECONDS)
        decoded: dict[str, Any] = msgspec.json.decode(reply.data)
        return decoded

    async def read_all(self, ref: str) -> str:
        """The whole original, page by page."""
        pages: list[str] = []
        place: dict[str, Any] | None = {"unit": "chars", "offset": 0}
        while place is not None:
            page = (await self.request("read", {"ref": ref, "limit": -1, **place}))["ok"]
            pages.append(page["content"])
            place = page["next"]
        return "".join(pages)

    async def hear(self, message: Msg) -> None:
        async with self._news:
            self.events.append(msgspec.json.decode(message.data, type=StubEvent))
            self.raw[message.subject] = message.data
            self.subject_counts[message.subject] = self.subject_counts.get(message.subject, 0) + 1
            self._news.notify_all()


@asynccontextmanager
async def agent(settings: Settings, session: str = "s1", *, url: str | None = None) -> AsyncIterator[Agent]:
    """An agent that hears its session's stubs; `url` where it goes through a proxy."""
    client = await nats.connect((url or settings.nats.url).split(","), connect_timeout=30, max_reconnect_attempts=-1)
    hear_any_bytes(client)
    try:
        one = Agent(client, settings, session)
        await client.subscribe(one.subjects.session_stubs(encode_segment(session)), cb=one.hear)
        await client.flush()
        yield one
    finally:
        await client.close()


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """A dead letter as it lies in its stream."""

    sequence: int
    subject: str
    data: bytes
    headers: dict[str, str]


async def dead_letters(settings: Settings) -> list[Letter]:
    """Every dead letter of the deployment, oldest first."""
    client = await nats.connect(settings.nats.url.split(","), connect_timeout=30)
    try:
        stream, jetstream = Subjects(settings.nats.prefix).stream("dlq"), client.jetstream(timeout=30)
        state = (await jetstream.stream_info(stream)).state
        found = [await _letter(jetstream, stream, seq) for seq in range(max(1, state.first_seq), state.last_seq + 1)]
        return [letter for letter in found if letter is not None]
    finally:
        await client.close()


async def _letter(jetstream: JetStreamContext, stream: str, sequence: int) -> Letter | None:
    """None where it is gone: workers take letters away meanwhile."""
    try:
        raw = await jetstream.get_msg(stream, sequence)
    except NotFoundError:
        return None
    return Letter(sequence=sequence, subject=raw.subject or "", data=raw.data or b"", headers=dict(raw.headers or {}))


async def waiting_results(settings: Settings) -> int:
    """How many results the queue still holds."""
    client = await nats.connect(settings.nats.url.split(","), connect_timeout=30)
    try:
        info = await client.jetstream().stream_info(Subjects(settings.nats.prefix).stream("results"))
        return int(info.state.messages)
    finally:
        await client.close()
