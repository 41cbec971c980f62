"""What a deployment has to show after a load: what was heard and stored, what its refs give, what its streams hold."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal

import msgspec
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig
from nats.js.errors import Error as JetStreamError
from nats.js.errors import NotFoundError
from tests.support.chaos.load_sending import patient_client
from tests.support.wait import eventually

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.refs import parse_ref, sha256_hex
from coatcheck_schemas.subjects import Subjects

STREAMS = ("results", "held", "stubs", "dlq", "ledger")
READS_AT_ONCE = 8
_BATCH = 200
_READ_SECONDS = 20.0
_READ_TRIES = 3


class Letter(msgspec.Struct, frozen=True):
    """A dead letter."""

    subject: str
    headers: dict[str, str]
    body: bytes


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """`heard` is what a core subscription heard from before the load on, `stored` what COAT_STUBS has, both in order.

    `read` has the sha256 of what each ref of the stub events reads back to, `read_errors` why one does not. `messages`
    are those of each stream, by its name in the contract (`results`), None of one that is not there; `held_ever` is how
    many COAT_HELD has taken in its life.
    """

    heard: list[tuple[str, bytes]]
    stored: list[tuple[str, bytes]]
    letters: list[Letter]
    read: dict[str, str]
    read_errors: dict[str, str]
    messages: dict[str, int | None]
    held_ever: int


class Ears:
    """A core subscription to every stub event and manifest of a deployment."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, bytes]] = []

    async def hear(self, message: Msg) -> None:
        self.heard.append((message.subject, message.data))


@asynccontextmanager
async def listening(settings: Settings) -> AsyncIterator[Ears]:
    """Hears from now on; a connection that breaks comes back, and has then missed what went by."""
    prefix = settings.nats.prefix
    ears = Ears()
    async with patient_client(settings) as client:
        for what in ("stubs", "settled"):
            await client.subscribe(f"{prefix}.{what}.>", cb=ears.hear, pending_bytes_limit=-1, pending_msgs_limit=-1)
        await client.flush()
        yield ears


async def settled_down(settings: Settings, seconds: float) -> bool:
    """Wait until nothing waits any more, neither in COAT_RESULTS nor in COAT_HELD; false where that does not come.

    What then still waits, the audit finds.
    """
    async with patient_client(settings) as client:

        async def idle() -> bool:
            try:
                return not any([await _messages(client, settings, name) for name in ("results", "held")])
            except (JetStreamError, nats.errors.Error, TimeoutError):  # a cluster that elects its leaders
                return False

        try:
            await eventually(idle, seconds, expecting="empty queues")
        except AssertionError:
            return False
        return True


async def gather(settings: Settings, ears: Ears, seed: int) -> Evidence:
    """Everything that there is to see, once the load has settled down; the refs are read through the workers."""
    subjects = Subjects(settings.nats.prefix)
    async with patient_client(settings) as client:
        stored = [(one.subject, one.data) for one in await _all(client, subjects.stream("stubs"))]
        letters = [
            Letter(one.subject, one.headers or {}, one.data) for one in await _all(client, subjects.stream("dlq"))
        ]
        messages = {name: await _messages(client, settings, name) for name in STREAMS}
        held_ever = (await client.jetstream().stream_info(subjects.stream("held"))).state.last_seq
        # What is stored is heard a moment later.
        await client.flush()
        heard = list(ears.heard)
        reading = _Reading(client, subjects, seed)
        await reading.run(stored)
    return Evidence(
        heard=heard,
        stored=stored,
        letters=letters,
        read=reading.read,
        read_errors=reading.errors,
        messages=messages,
        held_ever=held_ever,
    )


class _Reading:
    """Reads the originals and parts that stub events name, some at a time, each once."""

    def __init__(self, client: Client, subjects: Subjects, seed: int) -> None:
        self.read: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self._client = client
        self._subjects = subjects
        self._seed = seed
        self._places = asyncio.Semaphore(READS_AT_ONCE)

    async def run(self, stored: list[tuple[str, bytes]]) -> None:
        refs: dict[str, Literal["bytes", "chars"]] = {}
        for subject, data in stored:
            if subject.startswith(f"{self._subjects.prefix}.stubs."):
                refs |= _refs(msgspec.json.decode(data, type=StubEvent))
        await asyncio.gather(*(self._note(ref, unit) for ref, unit in refs.items()))

    async def _note(self, ref: str, unit: Literal["bytes", "chars"]) -> None:
        async with self._places:
            try:
                self.read[ref] = sha256_hex(await self._whole(ref, unit))
            except (nats.errors.Error, TimeoutError, LookupError, ValueError) as error:
                self.errors[ref] = repr(error)

    async def _whole(self, ref: str, unit: Literal["bytes", "chars"]) -> bytes:
        pages: list[bytes] = []
        place: dict[str, Any] | None = {"unit": unit, "offset": 0}
        while place is not None:
            page = await self._page(ref, place)
            content = page["content"]
            pages.append(base64.b64decode(content) if place["unit"] == "bytes" else content.encode())
            place = page["next"]
        return b"".join(pages)

    async def _page(self, ref: str, place: dict[str, Any]) -> dict[str, Any]:
        subject = self._subjects.request("read", parse_ref(ref).session or "")
        body = msgspec.json.encode({"ref": ref, "limit": -1, **place})
        reply = msgspec.json.decode(await self._answer(subject, body))
        if "error" in reply:
            raise LookupError(f"{reply['error']['code']}: {reply['error']['message']}")
        page: dict[str, Any] = reply["ok"]
        return page

    async def _answer(self, subject: str, body: bytes) -> bytes:
        """Asked again where none comes, as any client does: who asks a worker that ends hears nothing."""
        for _ in range(_READ_TRIES - 1):
            with suppress(nats.errors.Error, TimeoutError):
                return (await self._client.request(subject, body, timeout=_READ_SECONDS)).data
        return (await self._client.request(subject, body, timeout=_READ_SECONDS)).data


def _refs(event: StubEvent) -> dict[str, Literal["bytes", "chars"]]:
    """The refs of an event and of its parts, and the unit to read each in; text is read now as chars, now as bytes."""
    if event.ref is None and event.parts is None:
        return {}
    unit: Literal["bytes", "chars"] = "bytes"
    if event.original_chars is not None and event.original_chars % 2:
        unit = "chars"
    refs: dict[str, Literal["bytes", "chars"]] = {}
    if event.ref is not None:
        refs[event.ref] = "bytes" if event.reason == "source_read" else unit
    for part in event.parts or []:
        if part.ref is not None:
            refs[part.ref] = "bytes"
            # Structured content keeps its result, also where the event names no ref of the whole.
            refs.setdefault(part.ref.rpartition("/")[0], unit)
    return refs


async def _messages(client: Client, settings: Settings, name: str) -> int | None:
    stream = Subjects(settings.nats.prefix).stream(name)
    try:
        return int((await client.jetstream().stream_info(stream)).state.messages)
    except NotFoundError:
        return None


async def _all(client: Client, stream: str) -> list[Msg]:
    """Every message of the stream, oldest first."""
    jetstream = client.jetstream()
    count = (await jetstream.stream_info(stream)).state.messages
    found: list[Msg] = []
    if not count:
        return found
    config = ConsumerConfig(ack_policy=AckPolicy.NONE, inactive_threshold=60)
    pull = await jetstream.pull_subscribe(">", stream=stream, config=config)
    while len(found) < count:
        found += await pull.fetch(min(_BATCH, count - len(found)), timeout=10)
    await pull.unsubscribe()
    return found
