"""The pieces of one result, numbered and hashed; several are on their way at a time, and no more."""

import asyncio
import hashlib

from coatcheck_schemas.errors import RequestError
from coatcheck_schemas.pieces import failed_headers, final_headers, piece_headers

from .connection import Connection, header_bytes
from .message_ids import new_message_id
from .persisting import Progress, persist

PIECE_BYTES = 512 * 1024
MOST_IN_FLIGHT = 8
FIRST_IN_FLIGHT = 2
QUICK_SECONDS = 1.0
SLOW_SECONDS = 4.0
"""Where a piece takes this long, fewer are sent at a time: the pings of a connection that is busy longer than three of
them come too late, and it would be taken for dead."""
HASHED_ASIDE_BYTES = 32 * 1024


class Pieces:
    """Each piece is published until its stream has it, under an id of its own, so that it is there once.

    `send` waits while as many are on their way as may be; so a stream that is full slows whoever sends.
    """

    def __init__(self, connection: Connection, subject: str, upload: str, progress: Progress) -> None:
        self.upload = upload
        self.size = 0
        self.count = 0
        self.stored = 0
        self.failure: RequestError | None = None
        self._connection = connection
        self._subject = subject
        self._progress = progress
        self._hash = hashlib.sha256()
        self._tasks: set[asyncio.Task[None]] = set()
        self._in_flight = FIRST_IN_FLIGHT

    @property
    def piece_bytes(self) -> int:
        """The bytes of a piece that is not the last one."""
        return min(PIECE_BYTES, self._connection.max_payload - header_bytes(piece_headers(new_message_id(), 10**12)))

    @property
    def sha256(self) -> str:
        """Of all that was sent."""
        return self._hash.hexdigest()

    async def send(self, body: bytes) -> None:
        """Number it, and publish it in the background. Raises RequestError where one before it could not be."""
        if len(body) > HASHED_ASIDE_BYTES:
            await asyncio.to_thread(self._hash.update, body)
        else:
            self._hash.update(body)
        while len(self._tasks) >= self._in_flight:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        self._check()
        if not self._tasks:
            self._progress.renew()
        task = asyncio.create_task(self._store(self.count, body))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.count += 1
        self.size += len(body)

    async def drain(self) -> None:
        """Until the stream has all of them. Raises RequestError where it does not take one."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        self._check()

    async def cancel(self) -> None:
        """Send none of those any more that are on their way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def finish(self, *, is_error: bool | None) -> None:
        """Say how much there was, once the stream has it all. Raises RequestError."""
        self._progress.renew()
        headers = final_headers(
            new_message_id(), count=self.count, size=self.size, sha256=self.sha256, is_error=is_error
        )
        await persist(self._connection, self._subject, headers, b"", self._progress)

    async def fail(self, reason: str, *, is_error: bool | None) -> None:
        """Say that no more comes, and why. Raises RequestError."""
        self._progress.renew()
        headers = failed_headers(new_message_id(), reason, is_error=is_error)
        await persist(self._connection, self._subject, headers, b"", self._progress)

    async def _store(self, seq: int, body: bytes) -> None:
        clock = asyncio.get_running_loop().time
        started = clock()
        try:
            await persist(self._connection, self._subject, piece_headers(new_message_id(), seq), body, self._progress)
        except RequestError as error:
            self._fail(error)
            return
        self.stored += len(body)
        self._adapt(clock() - started)

    def _adapt(self, seconds: float) -> None:
        if seconds > SLOW_SECONDS:
            self._in_flight = max(1, self._in_flight // 2)
        elif seconds < QUICK_SECONDS:
            self._in_flight = min(MOST_IN_FLIGHT, self._in_flight + 1)

    def _fail(self, error: RequestError) -> None:
        """The first failure ends them all: without this piece the others are worth nothing."""
        if self.failure is None:
            self.failure = error
            for task in self._tasks - {asyncio.current_task()}:
                task.cancel()

    def _check(self) -> None:
        if self.failure is not None:
            raise self.failure
