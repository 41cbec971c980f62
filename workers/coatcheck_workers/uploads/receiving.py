"""A result whose content comes by an upload, from its opening event to the last of its pieces being taken away."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime

import msgspec

from coatcheck_core.arrival import check_names
from coatcheck_core.assembling import Ending
from coatcheck_core.uploaded import Uploaded, ordinary_event
from coatcheck_schemas.errors import CoatcheckError, InvalidInput, StoreError
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.refs import result_id
from coatcheck_schemas.results import Received, decode_result
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import CallAddress, Subjects
from coatcheck_workers.clock import Clock
from coatcheck_workers.flow.later import Later
from coatcheck_workers.intake.lending import lending
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.ports import Log
from coatcheck_workers.uploads.pieces import Pieces
from coatcheck_workers.uploads.seats import Seats
from coatcheck_workers.uploads.taking import Route, Taken, Taking

log = logging.getLogger("coatcheck.uploads")

_NAMES_UPLOAD = b'"upload"'
"""What an opening event has in it; decoding each result twice would cost more than this look."""
NO_SEAT_SECONDS = 1.0
"""When an upload is looked at again for which there was no seat."""


class NotTaken(CoatcheckError):
    """The store failed while it was to take an upload, whose pieces are where they were."""

    def __init__(self, cause: StoreError) -> None:
        super().__init__(str(cause))
        self.cause = cause


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
    seats: Seats
    idle_seconds: float
    is_known: Callable[[CallAddress, str], Awaitable[bool]]
    now: Clock

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

    def opens_upload(self, arrived: Arrived) -> bool:
        return self.opening(arrived) is not None

    @asynccontextmanager
    async def whole(self, arrived: Arrived, *, without_store: bool = False) -> AsyncIterator[Arrived | None]:
        """The result once all of it has come, or None where it was handled before.

        Once it is handled its pieces are taken away, but for the last message: by that a redelivery knows. Raises
        InvalidInput for an upload that will never be whole, Later, PublishError, and NotTaken where the store fails;
        with `without_store` what came is then looked at alone, so that its session can be told.
        """
        opening = self.opening(arrived)
        if opening is None:
            yield arrived
            return
        check_names(opening.received)
        pieces = self._pieces(opening, arrived)
        if await self._is_done(opening, pieces):
            yield None
            return
        async with self._seat(pieces):
            taken, pieces = await self._take_or_scan(opening, pieces, arrived, without_store=without_store)
        yield _whole(arrived, opening, taken, _ending(pieces), pieces.ended.at)
        await self._leave_nothing(opening)
        await self.chunks.purge(self._subject(opening), pieces.ended.sequence - 1)

    async def forget(self, arrived: Arrived) -> None:
        """Take away all that is left of an upload that is done with, whichever way it went."""
        if (opening := self.opening(arrived)) is not None:
            await self.chunks.purge(self._subject(opening))

    @asynccontextmanager
    async def _seat(self, pieces: Pieces) -> AsyncIterator[None]:
        if not self.seats.take(pieces):
            raise Later(NO_SEAT_SECONDS)
        try:
            with lending():
                yield
        finally:
            self.seats.leave(pieces)

    async def _is_done(self, opening: Opening, pieces: Pieces) -> bool:
        """The last message alone is left of what was handled before the worker died, or of what never was whole."""
        return await pieces.is_only_ending() and await self._is_known(opening, pieces)

    async def _is_known(self, opening: Opening, pieces: Pieces) -> bool:
        ending = await pieces.peek()
        if ending is None or ending.sha256 is None:
            return False
        return await self.is_known(opening.address, result_id(opening.address.call, ending.sha256))

    async def _take_or_scan(
        self, opening: Opening, pieces: Pieces, arrived: Arrived, *, without_store: bool
    ) -> tuple[Taken, Pieces]:
        try:
            return await self._take(opening, pieces), pieces
        except StoreError as error:
            if not without_store or await self._is_known(opening, pieces):
                raise NotTaken(error) from error
        except InvalidInput:
            await self._clean_up(opening)
            raise
        again = self._pieces(opening, arrived)
        check = _check_of(again)
        mime_type = opening.received.mime_type
        return await self.taking.scan(again.follow(), mime_type=mime_type, check=check, key="", version=None), again

    async def _take(self, opening: Opening, pieces: Pieces) -> Taken:
        at = opening.address

        def place(sha256: str) -> str:
            return self.keys.output(at.session, result_id(at.call, sha256))

        async def foresee() -> str:
            ending, incoming = await pieces.peek(), self._incoming(opening)
            if ending is None or ending.sha256 is None:
                return incoming
            await self.store.abandon(incoming)
            return place(ending.sha256)

        mime_type, route = opening.received.mime_type, Route(place, foresee)
        if opening.received.is_blocks:
            return await self.taking.gather(pieces.follow(), check=_check_of(pieces))
        return await self.taking.take(pieces.follow(), mime_type=mime_type, check=_check_of(pieces), route=route)

    async def _leave_nothing(self, opening: Opening) -> None:
        """What was copied to its place, by this try or an earlier one, is not needed where it was."""
        await self.store.delete(self._incoming(opening))

    async def _clean_up(self, opening: Opening) -> None:
        """Of an upload that fails for good; what cannot be reached now goes by the bucket's rule."""
        incoming = self._incoming(opening)
        outcomes = await asyncio.gather(
            self.store.abandon(incoming), self.store.delete(incoming), return_exceptions=True
        )
        for error in outcomes:
            if error is not None:
                log.warning("%s could not be freed: %s", incoming, error)

    def _pieces(self, opening: Opening, arrived: Arrived) -> Pieces:
        return Pieces(self.chunks, self._subject(opening), self.idle_seconds, arrived.received_at, self.now)

    def _subject(self, opening: Opening) -> str:
        return self.subjects.chunks(opening.address, opening.upload)

    def _incoming(self, opening: Opening) -> str:
        at = opening.address
        return self.keys.incoming(at.session, at.turn, at.call, opening.upload)


def _check_of(pieces: Pieces) -> Callable[[str, int], None]:
    def check(sha256: str, size: int) -> None:
        pieces.assembly.check(sha256)

    return check


def _ending(pieces: Pieces) -> Ending:
    if pieces.assembly.ending is None:
        raise RuntimeError("pieces without an end")
    return pieces.assembly.ending


def _whole(arrived: Arrived, opening: Opening, taken: Taken, ending: Ending, ended_at: datetime) -> Arrived:
    """As one message where that can say all: then whatever holds it or sets it aside has all of it."""
    contents = taken.contents
    if contents is not None and contents.placed is None and contents.encoding == "utf-8" and ending.error is None:
        body = ordinary_event(arrived.body, contents.data, ending.is_error)
        if body is not None:
            return msgspec.structs.replace(arrived, body=body, received_at=ended_at)
    uploaded = Uploaded(
        contents=contents,
        blocks=taken.blocks,
        synopsis=taken.synopsis,
        error=ending.error,
        is_error=ending.is_error,
    )
    return msgspec.structs.replace(arrived, uploaded=uploaded, received_at=ended_at)
