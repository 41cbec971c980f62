"""Follow the pieces of one upload in COAT_CHUNKS, in their order, while they come."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from datetime import datetime

from coatcheck_core.assembling import Assembly, Ending, read_ending
from coatcheck_core.encodings import MOST_CUT_BYTES
from coatcheck_schemas.errors import InvalidResult
from coatcheck_workers.clock import Clock
from coatcheck_workers.streams.later import Later
from coatcheck_workers.streams.ports import Kept, Log

READ_BYTES = 1024**2
"""What one request asks for; one more is under way while this much is worked on."""
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.25
MAX_REREADS = 64
"""Each gets some MB further: it bounds what is read of pieces that lie in no order at all."""
IDLE = "upload_idle"
"""The reason of the dead letter of an upload of which nothing more has come."""
LEAST_FOLLOWED_SECONDS = 10.0
"""A worker that has just come to an upload does not give it up at once: its producer may have waited for NATS too."""


def _nothing() -> None:
    """Where pieces are followed to their end."""


class Pieces:
    """The pieces on one subject, whose event NATS received at `opened_at`; `now` is NATS's time.

    `check` is called again and again, and raises where there is no need to go on.
    """

    def __init__(
        self,
        chunks: Log,
        subject: str,
        idle_seconds: float,
        opened_at: datetime,
        now: Clock,
        check: Callable[[], None] = _nothing,
    ) -> None:
        self._chunks = chunks
        self._subject = subject
        self._idle_seconds = idle_seconds
        self._now = now
        self._check = check
        self._last_at = opened_at
        self._begun_at = now()
        self.gives_way: float | None = None
        self._after = 0
        self._last: Kept | None = None
        self._pause = FIRST_PAUSE
        self._rereads = 0
        self._used = 0
        """Whether nothing at all was there when it was last asked what is left over."""
        self._newest = deque[bytes]()
        """Held back: enough that all is in them of a last char that was cut."""
        self.assembly = Assembly()

    def silent_seconds(self) -> float:
        """Since the last piece, or since this worker took the upload up."""
        return (self._now() - max(self._last_at, self._begun_at)).total_seconds()

    @property
    def ended(self) -> Kept:
        """The message that ended them."""
        if self._last is None:
            raise RuntimeError("not all pieces have come")
        return self._last

    async def peek(self) -> Ending | None:
        """How the producer has ended already, as the stream has it."""
        if self.assembly.ending is not None:
            return self.assembly.ending
        last = await self._chunks.last(self._subject)
        try:
            return None if last is None else read_ending(last.headers)
        except InvalidResult:
            return None  # it is told when its turn comes

    @property
    def ends_last(self) -> bool:
        """Whether the end came after all the pieces, as it should."""
        return self._used <= self.ended.sequence

    async def left_over(self) -> Ending | None:
        """The end, where it alone is there: either the pieces have been taken, or they have yet to come."""
        first = await self._chunks.first(self._subject)
        ending = None if first is None else read_ending(first.headers)
        if first is None or ending is None or ending.count == 0:
            return None
        return ending if await self._chunks.first(self._subject, first.sequence) is None else None

    async def follow(self) -> AsyncGenerator[bytes, None]:
        """Each piece once, in order, until all have come; where the producer gave up, the last are left to `take_rest`.

        Raises InvalidResult where they do not go together, or none has come for `idle_seconds`; Later where the upload
        is to give way to another; what `check` raises.
        """
        reading: asyncio.Task[list[Kept]] | None = None
        try:
            while not self.assembly.is_complete:
                self._check()
                batch = await (reading or self._read())
                reading = asyncio.create_task(self._read(batch[-1].sequence)) if batch else None
                for piece in self._take(batch):
                    self._newest.append(piece)
                    while sum(map(len, self._newest)) - len(self._newest[0]) >= MOST_CUT_BYTES:
                        yield self._newest.popleft()
                if batch or self.assembly.is_complete:
                    continue
                if self.assembly.reread is not None:
                    self._go_back()
                else:
                    await self._wait()
        finally:
            await _dropped(reading)
        if self.assembly.ending is not None and self.assembly.ending.error is not None:
            return
        while self._newest:
            yield self._newest.popleft()

    def take_rest(self) -> bytes:
        """What `follow` has left, once: a text's last char may be cut."""
        rest = b"".join(self._newest)
        self._newest.clear()
        return rest

    async def _read(self, after: int | None = None) -> list[Kept]:
        self._after = self._after if after is None else after
        return await self._chunks.read(self._subject, self._after, READ_BYTES)

    def _take(self, batch: list[Kept]) -> list[bytes]:
        ready: list[bytes] = []
        if batch:
            self._last_at = max(self._last_at, batch[-1].at)
        taken = self.assembly.taken
        for message in batch:
            if self.assembly.is_complete:
                break
            self._used = max(self._used, message.sequence)
            ready += filter(None, self.assembly.take(message.sequence, message.headers, message.body))
            if self.assembly.ending is not None and self._last is None:
                self._last = message
        if self.assembly.taken > taken:
            self._pause = FIRST_PAUSE
        return ready

    def _go_back(self) -> None:
        """Read again what came too early to be kept; what was taken by then is passed over."""
        self._rereads += 1
        if self._rereads > MAX_REREADS:
            raise InvalidResult(
                "invalid_upload",
                "the pieces lie too far out of their order in the stream: publish them in order, a few MB at a time",
            )
        self._after = (self.assembly.reread or 1) - 1
        self.assembly.read_again()

    async def _wait(self) -> None:
        now = self._now()
        idle = (now - self._last_at).total_seconds()
        followed = (now - self._begun_at).total_seconds()
        if idle >= self._idle_seconds and followed >= min(self._idle_seconds, LEAST_FOLLOWED_SECONDS):
            raise InvalidResult(IDLE, f"no piece has come for {self._idle_seconds:g} s: {self.assembly.missing()}")
        if self.gives_way is not None:
            raise Later(self.gives_way)
        await asyncio.sleep(self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)


async def _dropped(reading: "asyncio.Task[list[Kept]] | None") -> None:
    if reading is not None:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
