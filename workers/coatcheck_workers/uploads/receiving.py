"""A result whose content comes by an upload, from its opening event to the last of its pieces being taken away."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime

import msgspec

from coatcheck_core.arrival import check_names
from coatcheck_core.assembling import Ending
from coatcheck_core.uploaded import Uploaded
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.refs import result_id
from coatcheck_schemas.results import Received, decode_result
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import CallAddress, Subjects
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.ports import Log
from coatcheck_workers.uploads.pieces import Pieces
from coatcheck_workers.uploads.taking import Route, Taken, Taking

log = logging.getLogger("coatcheck.uploads")

_NAMES_UPLOAD = b'"upload"'
"""What an opening event has in it; decoding each result twice would cost more than this look."""


class Opening(msgspec.Struct, frozen=True):
    """An event that names an upload."""

    address: CallAddress
    received: Received
    upload: str


class Receiving(msgspec.Struct, frozen=True, kw_only=True):
    """`is_known` says whether the result of that id was handled before: its turn's ledger or its stub has it."""

    subjects: Subjects
    keys: Keys
    chunks: Log
    store: Store
    taking: Taking
    idle_seconds: float
    is_known: Callable[[CallAddress, str], Awaitable[bool]]

    def opening(self, arrived: Arrived) -> Opening | None:
        """The upload that the event opens; None where it bears its content itself, or is wrong otherwise."""
        if _NAMES_UPLOAD not in arrived.body or arrived.uploaded is not None:
            return None
        try:
            received = decode_result(arrived.headers, arrived.body)
            address = self.subjects.parse_result(arrived.subject)
        except InvalidInput:
            return None
        return None if received.upload is None else Opening(address, received, received.upload)

    @asynccontextmanager
    async def whole(self, arrived: Arrived) -> AsyncIterator[Arrived | None]:
        """The result once all of it has come, or None where it was handled before.

        Once it is handled its pieces are taken away, but for the last message: by that a redelivery knows. Raises
        InvalidInput for an upload that will never be whole, StoreError and PublishError for what may be later.
        """
        opening = self.opening(arrived)
        if opening is None:
            yield arrived
            return
        check_names(opening.received)
        pieces = Pieces(self.chunks, self._subject(opening), self.idle_seconds)
        if await self._is_done(opening, pieces):
            yield None
            return
        taken, ending, ended_at = await self._take(opening, pieces)
        uploaded = Uploaded(
            contents=taken.contents, synopsis=taken.synopsis, error=ending.error, is_error=ending.is_error
        )
        yield msgspec.structs.replace(arrived, uploaded=uploaded, received_at=ended_at)
        if (placed := taken.contents.placed) is not None and placed.key.startswith(self.keys.passing()):
            await self.store.delete(placed.key)
        await self.chunks.purge(self._subject(opening), pieces.ended.sequence - 1)

    async def forget(self, arrived: Arrived) -> None:
        """Take away all pieces of an upload that is done with, whichever way it went."""
        if (opening := self.opening(arrived)) is not None:
            await self.chunks.purge(self._subject(opening))

    async def _is_done(self, opening: Opening, pieces: Pieces) -> bool:
        """The last message alone is left of what was handled before the worker died, or of what never was whole."""
        if not await pieces.is_only_ending():
            return False
        ending = await pieces.peek()
        return (
            ending is not None
            and ending.sha256 is not None
            and await self.is_known(opening.address, result_id(opening.address.call, ending.sha256))
        )

    async def _take(self, opening: Opening, pieces: Pieces) -> tuple[Taken, Ending, datetime]:
        at, upload = opening.address, opening.upload

        def check(sha256: str, size: int) -> None:
            pieces.assembly.check(sha256)

        def place(sha256: str) -> str:
            return self.keys.output(at.session, result_id(at.call, sha256))

        async def foresee() -> str:
            ending = await pieces.peek()
            if ending is not None and ending.sha256 is not None:
                return place(ending.sha256)
            return self.keys.incoming(at.session, at.turn, at.call, upload)

        mime_type, route = opening.received.mime_type, Route(place, foresee)
        taken = await self.taking.take(pieces.follow(), mime_type=mime_type, check=check, route=route)
        ending = pieces.assembly.ending
        if ending is None:
            raise RuntimeError("pieces without an end")
        return taken, ending, pieces.ended.at

    def _subject(self, opening: Opening) -> str:
        return self.subjects.chunks(opening.address, opening.upload)
