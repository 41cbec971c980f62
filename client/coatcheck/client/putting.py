"""A file straight into object storage, by a presigned URL, and the event that names it."""

import asyncio
import hashlib
import http.client
import os
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import BinaryIO, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from coatcheck_schemas.errors import Code, InvalidInput, RequestError
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.refs import result_id
from coatcheck_schemas.requests import UploadReply, UploadRequest

from .encoding import Envelope, Outgoing, encode_opening
from .sending import PUBLISH_SECONDS, Published, published, store
from .uploading import Edges, check_opening

CHUNK = 1024 * 1024
SILENCE_SECONDS = 60.0
"""Of the store, in the middle of a request."""
TRIES = 3
FIRST_DELAY = 0.5
MOST_ANSWER_BYTES = 2000

_Ok = TypeVar("_Ok")


class Ask(Protocol):
    """A request of the session."""

    def __call__(self, verb: str, session: str, request: msgspec.Struct, ok: type[_Ok]) -> Awaitable[_Ok]: ...


async def upload_file(
    edges: Edges,
    ask: Ask,
    session: str,
    envelope: Envelope,
    file: str | os.PathLike[str] | BinaryIO,
    timeout: float,  # noqa: ASYNC109
    progress: Callable[[int], None] | None,
    tls: ssl.SSLContext | None = None,
) -> StubEvent:
    """Raises as `Client.upload` says."""
    check_opening(edges, envelope)
    awaited = edges.awaited(envelope)
    await awaited.check_heard(timeout)
    named = await _put_named(ask, session, envelope, file, progress, tls)
    async with awaited.listening(named.result, timeout):
        return await awaited.stub(await named.publish(edges), timeout, timeout)


async def publish_file(
    edges: Edges,
    ask: Ask,
    session: str,
    envelope: Envelope,
    file: str | os.PathLike[str] | BinaryIO,
    timeout: float,  # noqa: ASYNC109
    progress: Callable[[int], None] | None,
    tls: ssl.SSLContext | None = None,
) -> Published:
    """Raises as `Client.publish_file` says."""
    check_opening(edges, envelope)
    named = await _put_named(ask, session, envelope, file, progress, tls)
    return await named.publish(edges, timeout)


class _Named(msgspec.Struct, frozen=True):
    """What is put, and the event that names it."""

    result: Outgoing
    upload: str

    async def publish(self, edges: Edges, seconds: float = PUBLISH_SECONDS) -> Published:
        result, subject = self.result, edges.subjects.results(self.result.at)
        ack = await store(edges.connection, subject, result.headers, result.body, seconds)
        return msgspec.structs.replace(published(result, subject, ack), upload=self.upload)


async def _put_named(
    ask: Ask,
    session: str,
    envelope: Envelope,
    file: str | os.PathLike[str] | BinaryIO,
    progress: Callable[[int], None] | None,
    tls: ssl.SSLContext | None,
) -> _Named:
    async with _opened(file) as (data, size):
        event = envelope.event
        request = UploadRequest(call_id=event["call_id"], turn_id=event.get("turn_id"), bytes=size)
        target = await ask("upload", session, request, UploadReply)
        sha256 = await _put(Putting(data, size, target, progress, tls))
    headers, body = encode_opening(envelope, target.upload)
    at = envelope.at
    result = Outgoing(
        at=at,
        call_id=envelope.call_id,
        message_id=envelope.message_id,
        result_id=result_id(at.call, sha256),
        headers=headers,
        body=body,
    )
    return _Named(result, target.upload)


class Putting:
    """The PUT of a file, in a thread. `sha256` is that of what was put last."""

    def __init__(
        self,
        file: BinaryIO,
        size: int,
        target: UploadReply,
        progress: Callable[[int], None] | None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.sha256 = ""
        self._file = file
        self._size = size
        self._target = target
        self._progress = progress
        self._tls = tls
        self._is_given_up = threading.Event()

    def give_up(self) -> None:
        """Let the thread end; from another one."""
        self._is_given_up.set()

    def put(self) -> str | None:
        """None once it is there, or why it is not and may be the next time. Raises RequestError, OSError."""
        where = urlsplit(self._target.url)
        if where.scheme not in ("http", "https"):
            raise RequestError(Code.INTERNAL, f"the URL to upload to is no HTTP one, but {where.scheme[:20]!r}")
        self._file.seek(0)
        headers = {"Content-Type": "application/octet-stream", **self._target.headers}
        headers["Content-Length"] = str(self._size)
        request = urllib.request.Request(  # noqa: S310 - its scheme is looked at
            self._target.url, data=self._chunks(), headers=headers, method="PUT"
        )
        store_name = f"{where.scheme}://{where.netloc.rpartition('@')[2]}"
        try:
            with urllib.request.urlopen(request, timeout=SILENCE_SECONDS, context=self._tls) as answer:  # noqa: S310
                answer.read(MOST_ANSWER_BYTES)
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(MOST_ANSWER_BYTES).decode("utf-8", "replace")
            problem = f"object storage at {store_name} answers {error.code}: {' '.join(said.split())[:300]}"
            if error.code < 500 and error.code != 429:
                raise RequestError(Code.UNAVAILABLE, f"{problem}; ask for another URL, or publish in pieces") from None
            return problem
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError) as error:
            why = getattr(error, "reason", None) or error
            if isinstance(why, _ReadError):
                raise why.cause from None
            if isinstance(why, ssl.SSLCertVerificationError):
                raise RequestError(
                    Code.UNAVAILABLE,
                    f"the certificate of object storage at {store_name} is not trusted"
                    f" ({why.verify_message.rstrip('.')}): name the authority that signed it in storage.ca_file, or"
                    " connect(storage_tls=...); or publish in pieces",
                ) from None
            return f"object storage at {store_name} did not take it ({why}): does this host reach it?"
        return None

    def _chunks(self) -> Iterator[bytes]:
        digest, done = hashlib.sha256(), 0
        while done < self._size:
            if self._is_given_up.is_set():
                raise _ReadError(OSError("given up"))
            try:
                data = self._file.read(min(CHUNK, self._size - done))
            except OSError as error:
                raise _ReadError(error) from None
            if not data:
                raise _ReadError(OSError(f"the file has become shorter: {done} bytes of {self._size}"))
            digest.update(data)
            done += len(data)
            yield data
            if self._progress is not None:
                self._progress(done)
        self.sha256 = digest.hexdigest()


class _ReadError(OSError):
    """The file cannot be read, which urllib would take for the connection's fault."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(str(cause))
        self.cause = cause


async def _put(putting: Putting) -> str:
    """The sha256 of what is there now."""
    delay = FIRST_DELAY
    try:
        for _ in range(TRIES - 1):
            if await asyncio.to_thread(putting.put) is None:
                return putting.sha256
            await asyncio.sleep(delay)
            delay *= 4
        problem = await asyncio.to_thread(putting.put)
    except asyncio.CancelledError:
        putting.give_up()
        raise
    if problem is not None:
        raise RequestError(Code.UNAVAILABLE, problem)
    return putting.sha256


@asynccontextmanager
async def _opened(file: str | os.PathLike[str] | BinaryIO) -> AsyncIterator[tuple[BinaryIO, int]]:
    """The file, open, and its size. Raises InvalidInput for what cannot be sought in, as a pipe."""
    if not isinstance(file, (str, os.PathLike)):
        yield file, await asyncio.to_thread(_size, file)
        return
    data = await asyncio.to_thread(open, file, "rb")
    try:
        yield data, await asyncio.to_thread(_size, data)
    finally:
        data.close()


def _size(file: BinaryIO) -> int:
    try:
        return file.seek(0, os.SEEK_END)
    except (OSError, AttributeError):
        raise InvalidInput(
            "what is uploaded must have a size and a start to go back to: publish it in pieces"
        ) from None
