"""What is asked of JetStream: states of streams and consumers, the letters' reasons, the time. It changes nothing."""

from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import msgspec
from nats.aio.client import Client
from nats.js.errors import NotFoundError

from coatcheck_core.settings import Settings
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import Subjects

from ..provisioning import DURABLE
from ..provisioning.asking import asked
from ..streams.letters import Letters
from .states import EVICTS, NEAR_FULL, ConsumerState, StreamState

STREAMS = ("results", "chunks", "stubs", "dlq", "ledger", "held", "deleted")
CONSUMED = ("results", "held")
MOST_LETTERS = 1000
"""So many are looked at for their reasons."""
ASK_SECONDS = 5.0
MOST_HOLDERS = 3
_NO_SESSIONS = "failures"
"""What lies in COAT_LEDGER beside ledgers is of messages, by their places."""


class _State(msgspec.Struct, frozen=True):
    messages: int = 0
    bytes: int = 0
    first_ts: datetime | None = None
    subjects: dict[str, int] | None = None


class _Config(msgspec.Struct, frozen=True):
    max_bytes: int = -1


class _Peer(msgspec.Struct, frozen=True):
    name: str = ""
    current: bool = True
    offline: bool = False


class _Cluster(msgspec.Struct, frozen=True):
    replicas: list[_Peer] = []


class _Told(msgspec.Struct, frozen=True):
    """A reply of `STREAM.INFO`; `ts` is the server's time."""

    config: _Config = _Config()
    state: _State = _State()
    cluster: _Cluster | None = None
    ts: datetime | None = None


class JetStreamStates:
    """Reads, and changes nothing. Raises ProvisionError where JetStream does not answer."""

    def __init__(self, client: Client, settings: Settings) -> None:
        self._client = client
        self._subjects = Subjects(settings.nats.prefix)
        self._js = client.jetstream(timeout=ASK_SECONDS)

    async def streams(self) -> dict[str, StreamState]:
        """Of those that are there, by design's names."""
        found = {}
        for name in STREAMS:
            told = await self._stream(name)
            if told is None:
                continue
            state = self._state(name, told)
            if state.fill >= NEAR_FULL and name != EVICTS:
                state = msgspec.structs.replace(state, holders=await self._holders(name))
            found[name] = state
        return found

    async def _holders(self, name: str) -> tuple[tuple[str, int], ...]:
        """By the subjects, of which the server names 100,000 at most."""
        told = await self._stream(name, subjects_filter=">")
        sessions: Counter[str] = Counter()
        for subject, count in ((told and told.state.subjects) or {}).items():
            _, kind, session, *_ = (*subject.removeprefix(self._subjects.prefix).split("."), "", "", "")
            if session and kind != _NO_SESSIONS:
                sessions[session] += count
        return tuple(sessions.most_common(MOST_HOLDERS))

    async def consumers(self) -> list[ConsumerState]:
        """The workers', where they are there."""
        found = []
        for name in CONSUMED:
            stream = self._subjects.stream(name)
            try:
                info = await asked(
                    f"looking at {stream}", partial(self._js.consumer_info, stream, DURABLE), ASK_SECONDS
                )
            except NotFoundError:
                continue
            numbers = (info.num_pending, info.num_ack_pending, info.num_redelivered, info.num_waiting)
            pending, ack_pending, redelivered, waiting = (number or 0 for number in numbers)
            found.append(
                ConsumerState(
                    stream=stream,
                    pending=pending,
                    ack_pending=ack_pending,
                    redelivered=redelivered,
                    waiting=waiting,
                )
            )
        return found

    async def time(self) -> tuple[datetime, datetime, datetime] | None:
        """The server's time, and ours before and after asking; None where it does not tell."""
        before = datetime.now(UTC)
        told = await self._stream("results")
        after = datetime.now(UTC)
        return None if told is None or told.ts is None else (told.ts, before, after)

    async def reasons(self, store: Callable[[], Store]) -> dict[str, int]:
        """Of the first letters, how many for each reason. Raises LettersAway."""
        counted: Counter[str] = Counter()
        letters = Letters(self._client, self._subjects, store)
        async with aclosing(letters.scan()) as each:
            async for letter in each:
                counted[letter.reason or "unknown"] += 1
                if counted.total() >= MOST_LETTERS:
                    break
        return dict(counted)

    async def _stream(self, name: str, **asking: str) -> _Told | None:
        stream = self._subjects.stream(name)
        request = msgspec.json.encode(asking) if asking else b""

        async def ask() -> dict[str, Any]:
            return await self._js._api_request(f"$JS.API.STREAM.INFO.{stream}", request, timeout=ASK_SECONDS)

        try:
            reply = await asked(f"looking at stream {stream}", ask, ASK_SECONDS)
        except NotFoundError:
            return None
        return msgspec.convert(reply, _Told, strict=False)

    def _state(self, name: str, told: _Told) -> StreamState:
        behind = (
            [] if told.cluster is None else [one for one in told.cluster.replicas if one.offline or not one.current]
        )
        return StreamState(
            name=name,
            stream=self._subjects.stream(name),
            messages=told.state.messages,
            bytes=told.state.bytes,
            max_bytes=told.config.max_bytes,
            first_at=told.state.first_ts if told.state.messages else None,
            replicas_behind=tuple(one.name for one in behind),
        )


def oldest_of(queue: StreamState | None, now: datetime) -> timedelta | None:
    """How long the oldest of the queue is in it. Pure."""
    return None if queue is None or queue.first_at is None else now - queue.first_at
