"""A result that is written while its tool runs: one event where it fits one message, in pieces where it does not."""

import asyncio
from types import TracebackType
from typing import Self

import msgspec

from coatcheck_schemas.errors import InvalidInput, RequestError
from coatcheck_schemas.events import MESSAGE_RESERVE_BYTES, StubEvent

from .carrying import carry
from .encoding import Envelope, Outgoing, to_utf8
from .persisting import Progress, persist
from .sending import Published, published
from .submitting import Awaited
from .uploading import Edges, Upload, check_opening

ALIVE_SECONDS = 60.0
"""A tool that prints nothing for long is no dead producer: after so much silence an empty piece says so."""
FLUSH_SECONDS = 2.0
"""What a slow tool writes arrives so soon, once it has written more than one message carries."""
SUBMIT_SECONDS = 60.0
SLICE_CHARS = 256 * 1024
SLICE_BYTES = 1024 * 1024


class ResultStream:
    """One result, within `async with`. Made by `Client.stream` and `Turn.stream`.

    What is written is sent as it comes, once it is more than one message carries; `write` waits where it cannot be sent
    as fast. Leaving the block publishes the result; leaving it by an exception says that it failed and why, where a
    part of it is sent already, and that part is kept as incomplete: else nothing is published. `submit` publishes it
    within the block, and waits for its stub.

    `is_error` may be set until the end, and `failure` to why the result is not whole: then it is kept as incomplete,
    where it went in pieces. Several tasks may write, each write as a whole after the others.
    """

    def __init__(self, edges: Edges, envelope: Envelope, stall_seconds: float, known: Outgoing | None = None) -> None:
        self.is_error = bool(envelope.event.get("is_error"))
        self.failure: str | None = None
        self._edges = edges
        self._known_as = known
        self._envelope = envelope
        self._progress = Progress(stall_seconds, asyncio.get_running_loop().time)
        self._buffer = bytearray()
        self._written = 0
        self._upload: Upload | None = None
        self._lock = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._broken: str | None = None
        self._is_ending = False
        self._published: Published | None = None

    @property
    def call_id(self) -> str:
        """The call's id; one was made up where none was given."""
        return self._envelope.call_id

    @property
    def written(self) -> int:
        """The bytes that were written until now."""
        return self._written

    @property
    def stored(self) -> int:
        """The bytes of pieces that their stream has."""
        return 0 if self._upload is None else self._upload.pieces.stored

    @property
    def is_open(self) -> bool:
        """Whether it goes in pieces, some of which may be there already."""
        return self._upload is not None and self._upload.is_open

    @property
    def published(self) -> Published | None:
        """What it is known by, once it is published: None before, and where the block was left by an exception."""
        return self._published

    async def write(self, data: bytes | bytearray | memoryview | str) -> None:
        """Append; a text as UTF-8.

        Raises RequestError where the streams take nothing for `stall_seconds`, InvalidInput for what is no data or
        comes after the end. After an error, or a write that was cancelled, the result can only be given up.
        """
        if not isinstance(data, (bytes, bytearray, memoryview, str)):
            raise InvalidInput(f"a stream takes bytes or a text, not {type(data).__name__}")
        async with self._lock:
            self._check_writable()
            try:
                if isinstance(data, str):
                    for start in range(0, len(data), SLICE_CHARS):
                        await self._append(memoryview(to_utf8(data[start : start + SLICE_CHARS])))
                else:
                    await self._append(_flat(data))
            except BaseException as error:
                self._broken = f"a write ended in {type(error).__name__}"
                raise

    async def finish(self) -> Published:
        """Publish the result, and take no more. Leaving the block does it. Raises RequestError as `write` does."""
        async with self._lock:
            if self._published is not None:
                return self._published
            return await self._send_last(await self._send_all_but_the_last())

    async def submit(self, timeout: float = SUBMIT_SECONDS) -> StubEvent:  # noqa: ASYNC109 - from when it is published
        """Publish the result, take no more, and wait for its stub event: its `content` goes into the tool message.

        Raises as `Client.submit` does; `timeout` counts in seconds from when all of it is sent.
        """
        async with self._lock:
            result = await self._send_all_but_the_last()
            awaited = self._awaited()
            async with awaited.listening(result, timeout):
                done = await self._send_last(result)
                return await awaited.stub(done, timeout, timeout)

    async def submit_or_publish(self, timeout: float = SUBMIT_SECONDS) -> StubEvent | Published:  # noqa: ASYNC109
        """As `submit`; where this user may not hear the stub, which is a tool's lot, as `finish`."""
        async with self._lock:
            result = await self._send_all_but_the_last()
            async with self._awaited().listening_if_allowed(result, timeout) as awaited:
                done = await self._send_last(result)
                return done if awaited is None else await awaited.stub(done, timeout, timeout)

    async def publish_all(self, content: str | bytes) -> Published:
        """Write, and publish."""
        async with self:
            await self.write(content)
            return await self.finish()

    async def submit_all(self, content: str | bytes, timeout: float) -> StubEvent:  # noqa: ASYNC109
        """Write, publish, and wait for the stub."""
        async with self:
            await self._awaited().check_heard(timeout)
            await self.write(content)
            return await self.submit(timeout)

    async def __aenter__(self) -> Self:
        check_opening(self._edges, self._envelope)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                await self.finish()
        except BaseException as problem:
            error = problem
            raise
        finally:
            try:
                if error is not None and self._upload is not None:
                    rest = None if self._broken else bytes(self._buffer)
                    self._buffer.clear()
                    await self._upload.give_up(error, rest, is_error=self.is_error, failure=self.failure)
            finally:
                await self._close()

    def _awaited(self) -> Awaited:
        return self._upload.awaited if self._upload is not None else self._edges.awaited(self._envelope)

    async def _append(self, data: memoryview) -> None:
        if self._upload is None and len(self._buffer) + len(data) <= self._room():
            self._buffer += data
            self._written += len(data)
            return
        upload = self._upload or await self._open()
        size = upload.pieces.piece_bytes
        for start in range(0, len(data), SLICE_BYTES):
            part = data[start : start + SLICE_BYTES]
            self._buffer += part
            self._written += len(part)
            while len(self._buffer) >= size:
                await self._send_piece(upload, size)
        self._set_timer()

    def _room(self) -> int:
        """No less than what one message carries of the content; whether it does is seen at the end."""
        return self._edges.connection.max_payload - MESSAGE_RESERVE_BYTES

    async def _open(self) -> Upload:
        """From here on there are pieces; `_upload` is set where the opening fails too, for the event may be there."""
        self._upload = Upload(self._edges, self._known(), self._progress, self._known_as)
        await self._upload.open()
        return self._upload

    def _known(self) -> Envelope:
        """With what is known by now."""
        if self.is_error == bool(self._envelope.event.get("is_error")):
            return self._envelope
        event = {**self._envelope.event, "is_error": self.is_error}
        return msgspec.structs.replace(self._envelope, event=event)

    async def _send_piece(self, upload: Upload, size: int) -> None:
        self._stop_timer()
        body = bytes(self._buffer[:size])
        del self._buffer[:size]
        await upload.pieces.send(body)

    def _set_timer(self) -> None:
        """Until what there is goes out, or the next sign of life; the earlier one stands."""
        loop = asyncio.get_running_loop()
        due = loop.time() + (FLUSH_SECONDS if self._buffer else ALIVE_SECONDS)
        if self._timer is None or self._timer.when() > due:
            self._stop_timer()
            self._timer = loop.call_at(due, self._flush)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _flush(self) -> None:
        self._timer = None
        self._flushing = asyncio.create_task(self._flush_rest())

    async def _flush_rest(self) -> None:
        async with self._lock:
            if self._upload is None or self._is_ending or self._broken:
                return
            try:
                await self._send_piece(self._upload, len(self._buffer))
            except RequestError:
                return  # the next write raises it
            self._set_timer()

    async def _send_all_but_the_last(self) -> Outgoing:
        """All that comes before the message by which the result is published; what it will be known by."""
        self._check_writable()
        self._is_ending = True
        self._stop_timer()
        if self._upload is None and (whole := self._whole()) is not None:
            return whole
        upload = self._upload or await self._open()
        while self._buffer:
            await self._send_piece(upload, min(len(self._buffer), upload.pieces.piece_bytes))
        await upload.pieces.drain()
        return upload.result

    def _whole(self) -> Outgoing | None:
        """The one message that carries it all, if one does."""
        carried = carry(self._edges.connection, self._known(), bytes(self._buffer))
        return carried if isinstance(carried, Outgoing) else None

    async def _send_last(self, result: Outgoing) -> Published:
        if self._upload is not None:
            self._published = await self._upload.end(is_error=self.is_error, failure=self.failure)
            return self._published
        subject = self._edges.subjects.results(result.at)
        self._progress.renew()
        ack = await persist(self._edges.connection, subject, result.headers, result.body, self._progress)
        self._published = published(result, subject, ack)
        return self._published

    async def _close(self) -> None:
        self._is_ending = True
        self._stop_timer()
        self._buffer.clear()
        if self._flushing is not None:
            self._flushing.cancel()
        if self._upload is not None:
            await self._upload.close()

    def _check_writable(self) -> None:
        if self._upload is not None and self._upload.pieces.failure is not None:
            raise self._upload.pieces.failure
        if self._broken is not None:
            raise InvalidInput(f"the result cannot go on, for {self._broken}: leave the block, and publish it anew")
        if self._is_ending:
            raise InvalidInput("the result has ended: nothing more can be written to it, nor can it end twice")


def _flat(data: bytes | bytearray | memoryview) -> memoryview:
    view = memoryview(data)
    return view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
