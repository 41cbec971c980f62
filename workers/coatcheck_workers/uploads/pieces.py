"""Follow the pieces of one upload in COAT_CHUNKS, in their order, while they come."""

import asyncio
from collections.abc import AsyncGenerator

from coatcheck_core.assembling import Assembly, Ending, read_ending
from coatcheck_schemas.errors import InvalidResult
from coatcheck_workers.streams.ports import Kept, Log

READ_BYTES = 2 * 1024**2
"""What one request asks for; one more is under way while this much is worked on."""
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.25


class Pieces:
    """The pieces on one subject. `idle_since` is when the last of them came, by the event loop's clock."""

    def __init__(self, chunks: Log, subject: str, idle_seconds: float) -> None:
        self._chunks = chunks
        self._subject = subject
        self._idle_seconds = idle_seconds
        self._after = 0
        self._last: Kept | None = None
        self._pause = FIRST_PAUSE
        self.assembly = Assembly()
        self.idle_since = asyncio.get_running_loop().time()

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

    async def is_only_ending(self) -> bool:
        """Whether nothing but the last message is there: the pieces were taken before."""
        first = await self._chunks.first(self._subject)
        if first is None:
            return False
        ending = read_ending(first.headers)
        return ending is not None and ending.count != 0

    async def follow(self) -> AsyncGenerator[bytes, None]:
        """Each piece once, in order, until all have come.

        Raises InvalidResult where they do not go together, or none has come for `idle_seconds`.
        """
        reading: asyncio.Task[list[Kept]] | None = None
        try:
            while not self.assembly.is_complete:
                batch = await (reading or self._read())
                reading = asyncio.create_task(self._read(batch[-1].sequence)) if batch else None
                if not batch:
                    await self._wait()
                for piece in self._take(batch):
                    yield piece
                if self.assembly.reread is not None and (not batch or not self.assembly.is_complete):
                    await self._go_back(reading)
                    reading = None
        finally:
            await _dropped(reading)

    async def _read(self, after: int | None = None) -> list[Kept]:
        self._after = self._after if after is None else after
        return await self._chunks.read(self._subject, self._after, READ_BYTES)

    def _take(self, batch: list[Kept]) -> list[bytes]:
        ready: list[bytes] = []
        if batch:
            self.idle_since = asyncio.get_running_loop().time()
            self._pause = FIRST_PAUSE
        for message in batch:
            ready += filter(None, self.assembly.take(message.sequence, message.headers, message.body))
            if self.assembly.ending is not None and self._last is None:
                self._last = message
        return ready

    async def _go_back(self, reading: "asyncio.Task[list[Kept]] | None") -> None:
        """Read again what came too early to be kept; what was taken by then is passed over."""
        await _dropped(reading)
        self._after = (self.assembly.reread or 1) - 1
        self.assembly.reread = None

    async def _wait(self) -> None:
        idle = asyncio.get_running_loop().time() - self.idle_since
        if idle >= self._idle_seconds:
            raise InvalidResult(
                "upload_idle", f"no piece has come for {self._idle_seconds:g} s: {self.assembly.missing()}"
            )
        await asyncio.sleep(min(self._pause, self._idle_seconds - idle))
        self._pause = min(2 * self._pause, LONGEST_PAUSE)


async def _dropped(reading: "asyncio.Task[list[Kept]] | None") -> None:
    if reading is not None:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
