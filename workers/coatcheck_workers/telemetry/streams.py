"""How full the streams are and how much waits in them, asked of NATS now and then."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence

import msgspec
from nats.errors import Error as NatsError
from nats.js import JetStreamContext

from coatcheck_workers.process.recurring import Kind, Recurring
from coatcheck_workers.streams.words import in_words

log = logging.getLogger("coatcheck.telemetry")

EVERY_SECONDS = 10.0
STALE_SECONDS = 60.0
"""Older figures are given to nobody: a full stream that stopped answering would look as it once was."""


class StreamState(msgspec.Struct, frozen=True, kw_only=True):
    messages: int
    bytes: int
    max_bytes: int


class ConsumerState(msgspec.Struct, frozen=True, kw_only=True):
    """What no worker has taken yet, and what some worker has in hand."""

    pending: int
    unacknowledged: int


class StreamFigures:
    """The last figures of each stream and consumer, by their short names."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._streams: dict[str, StreamState] = {}
        self._consumers: dict[str, ConsumerState] = {}
        self._polled_at: float | None = None
        self._troubles = Recurring(log.warning)

    @property
    def age_seconds(self) -> float | None:
        """None where there have never been any."""
        return None if self._polled_at is None else self._clock() - self._polled_at

    @property
    def streams(self) -> dict[str, StreamState]:
        return self._streams if self._is_fresh else {}

    @property
    def consumers(self) -> dict[str, ConsumerState]:
        return self._consumers if self._is_fresh else {}

    async def poll_for_ever(
        self, jetstream: JetStreamContext, streams: Sequence[str], consumers: Sequence[tuple[str, str]], prefix: str
    ) -> None:
        """`streams` by their names in NATS, `consumers` with theirs; `prefix` is what the names begin with."""
        while True:
            try:
                await self._poll(jetstream, streams, consumers, prefix)
            except (NatsError, OSError) as error:
                told = f"no figures of streams: {in_words(error)}"
                self._troubles.happened(Kind("streams", type(error).__name__), told)
            await asyncio.sleep(EVERY_SECONDS)

    async def _poll(
        self, jetstream: JetStreamContext, streams: Sequence[str], consumers: Sequence[tuple[str, str]], prefix: str
    ) -> None:
        found, waiting = dict[str, StreamState](), dict[str, ConsumerState]()
        for name in streams:
            info = await jetstream.stream_info(name)
            found[short(name, prefix)] = StreamState(
                messages=info.state.messages, bytes=info.state.bytes, max_bytes=info.config.max_bytes or 0
            )
        for name, durable in consumers:
            consumer = await jetstream.consumer_info(name, durable)
            waiting[short(name, prefix)] = ConsumerState(
                pending=consumer.num_pending or 0, unacknowledged=consumer.num_ack_pending or 0
            )
        self._streams, self._consumers, self._polled_at = found, waiting, self._clock()

    @property
    def _is_fresh(self) -> bool:
        age = self.age_seconds
        return age is not None and age <= STALE_SECONDS


def short(stream: str, prefix: str) -> str:
    """`COAT_RESULTS` is `results`: the prefix says nothing that a label has to."""
    return stream.removeprefix(f"{prefix}_".upper()).lower()
