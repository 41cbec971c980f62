"""A stream put as a multipart upload, in memory of a few parts."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import obstore
from obstore.store import ObjectStore

from coatcheck_schemas.errors import StoreRejected

from .pace import MAX_PARTS, PART_BYTES, PARTS_AT_ONCE

log = logging.getLogger("coatcheck.storage")

ABORT_SECONDS = 5.0
"""How long one who gives up waits for the store to forget the parts that it has."""


class GivenUp(Exception):
    """What the upload is told where its source raised or was cancelled: it then aborts what it has sent."""


class _Handover:
    """An async iterator of what is handed over, one piece at a time: whoever hands over waits for the upload."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[bytes | GivenUp | None] = asyncio.Queue(1)

    def __aiter__(self) -> "_Handover":
        return self

    async def __anext__(self) -> bytes:
        piece = await self._queue.get()
        if piece is None:
            raise StopAsyncIteration
        if isinstance(piece, GivenUp):
            raise piece
        return piece

    async def hand(self, piece: bytes | None) -> None:
        """None ends the iteration."""
        await self._queue.put(piece)

    def give_up(self) -> None:
        """Drop what waits; the upload's next step ends it."""
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait(GivenUp())


async def put_parts(client: ObjectStore, key: str, first: list[bytes], rest: AsyncIterator[bytes]) -> None:
    """Put `first` and then `rest` as one object in parts.

    The source is read in the caller's own task, so that cancelling it ends a source that waits. What the source raises
    is raised; obstore's errors come as they are. obstore aborts an upload whose source raises, but leaves the parts of
    one that is cancelled, so this never cancels it while it can be told.
    """
    handover = _Handover()
    upload = asyncio.ensure_future(
        obstore.put_async(
            client, key, handover, use_multipart=True, chunk_size=PART_BYTES, max_concurrency=PARTS_AT_ONCE
        )
    )
    try:
        size = 0
        for piece in first:
            size += len(piece)
            await _hand(handover, upload, piece)
        async for piece in rest:
            size += len(piece)
            if size > MAX_PARTS * PART_BYTES:
                raise StoreRejected(f"{key!r}: a stream ends at {MAX_PARTS * PART_BYTES} bytes, {MAX_PARTS} parts")
            await _hand(handover, upload, piece)
        await _hand(handover, upload, None)
        await asyncio.shield(upload)
    except BaseException:
        if not upload.done():
            handover.give_up()
        await _end(upload, key)
        raise


async def _hand(handover: _Handover, upload: "asyncio.Future[Any]", piece: bytes | None) -> None:
    """Raises what the upload failed with, where it has ended."""
    handing = asyncio.ensure_future(handover.hand(piece))
    try:
        await asyncio.wait({handing, upload}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        handing.cancel()
    if upload.done():
        upload.result()


async def _end(upload: "asyncio.Future[Any]", key: str) -> None:
    """Wait until it has aborted; what does not in time is left for `abandon` and the bucket's own rule."""
    _, pending = await asyncio.wait({upload}, timeout=ABORT_SECONDS)
    if pending:
        log.warning("an upload to %r did not end within %.0f s: its parts may be left", key, ABORT_SECONDS)
        upload.cancel()
    elif not upload.cancelled():
        upload.exception()  # or asyncio logs that nobody looked
