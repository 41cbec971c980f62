"""A result whose content comes by an upload, from its opening event to the last of its pieces being taken away."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial

import msgspec

from coatcheck_core.arrival import check_names
from coatcheck_core.assembling import Ending
from coatcheck_schemas.direct import is_direct
from coatcheck_schemas.errors import InvalidInput, InvalidResult, StoreError
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.refs import result_id
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import CallAddress, Subjects
from coatcheck_workers.clock import Clock
from coatcheck_workers.intake.lending import lending
from coatcheck_workers.keeping.keeping import kept_metadata
from coatcheck_workers.keeping.late import Late
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.later import Later
from coatcheck_workers.streams.ports import Log
from coatcheck_workers.uploads.consumed import Consumed
from coatcheck_workers.uploads.direct import Direct
from coatcheck_workers.uploads.lists import Lists
from coatcheck_workers.uploads.opening import NO_SEAT_SECONDS, NotTaken, Opening, whole_result
from coatcheck_workers.uploads.pieces import IDLE, Pieces
from coatcheck_workers.uploads.seats import Seats
from coatcheck_workers.uploads.taking import Place, Route, Taken, Taking

log = logging.getLogger("coatcheck.uploads")

_NAMES_UPLOAD = b'"upload"'
"""What an opening event has in it; decoding each result twice would cost more than this look."""


class Receiving(msgspec.Struct, frozen=True, kw_only=True):
    """`is_known` says whether the result of that id was handled before: its turn's ledger or its stub has it."""

    subjects: Subjects
    keys: Keys
    results: Log
    chunks: Log
    store: Store
    taking: Taking
    direct: Direct
    late: Late
    seats: Seats
    consumed: Consumed
    lists: Lists = msgspec.field(default_factory=Lists)
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

        Once it is handled its pieces are taken away, but for the last message: by the hash in it a redelivery knows.
        Those of a producer that gave up stay until its event is out of the queue, for no hash would tell, and those
        that came after their end, for they could not go without it. Raises
        InvalidInput for an upload that will never be whole, or whose session was deleted, Later, PublishError, and
        NotTaken where the store fails;
        with `without_store` what came is then looked at alone, so that its session can be told.
        """
        opening = self.opening(arrived)
        if opening is None:
            yield arrived
            return
        check_names(opening.received)
        await self._check_life(opening, arrived)
        if is_direct(opening.upload):
            if opening.received.is_blocks:
                await self.direct.until_put(arrived, opening)
            room = self.lists.room() if opening.received.is_blocks else nullcontext()
            async with room, self.direct.whole(arrived, opening) as put:
                yield put
            return
        pieces = self._pieces(opening, arrived)
        if await self._is_done(opening, pieces):
            yield None
            return
        if opening.received.is_blocks:
            async with self._whole_list(opening, pieces, arrived) as whole:
                yield whole
            return
        try:
            async with self._seat(pieces):
                taken, pieces = await self._take_or_scan(opening, pieces, arrived, without_store=without_store)
        except InvalidInput as error:
            if not await self._was_done_meanwhile(opening, pieces, error):
                await self._clean_up(opening)
                raise
            yield None
            return
        ending = _ending(pieces)
        yield whole_result(arrived, taken, pieces.ended.at, error=ending.error, is_error=ending.is_error)
        if taken.contents is not None and taken.contents.size > self.taking.spool_bytes:
            await self._leave_nothing(opening)
        if ending.sha256 is not None and pieces.ends_last:
            await self.chunks.purge(self._subject(opening), pieces.ended.sequence - 1)

    @asynccontextmanager
    async def _whole_list(self, opening: Opening, pieces: Pieces, arrived: Arrived) -> AsyncIterator[Arrived]:
        """Of content blocks. Its pieces stay until its event is out of the queue: its id is not of their hash."""
        async with self.lists.seat(pieces):
            async with self._seat(pieces):
                taken = await self.taking.gather(pieces.follow(), check=_check_of(pieces))
            ending = _ending(pieces)
            if ending.error is not None:
                raise InvalidResult("invalid_upload", f"the producer of these content blocks gave up: {ending.error}")
            async with self.lists.reading:
                yield whole_result(arrived, taken, pieces.ended.at, error=ending.error, is_error=ending.is_error)

    async def is_gone(self, arrived: Arrived, sequence: int) -> bool:
        """Whether the event of an upload has left the queue, where it was at `sequence`.

        Another worker has then handled it that was taken for dead, and taken away the pieces that this one missed.
        """
        if self.opening(arrived) is None:
            return False
        there = await self.results.first(arrived.subject, sequence - 1)
        return there is None or there.sequence != sequence

    async def note(self, arrived: Arrived) -> None:
        """Remember that the upload, if it came in pieces, has become a result. Raises PublishError."""
        opening = self.opening(arrived)
        if opening is not None and not is_direct(opening.upload):
            await self.consumed.note(opening)

    async def forget(self, arrived: Arrived) -> None:
        """Take away all that is left of an upload that is done with, whichever way it went."""
        opening = self.opening(arrived)
        if opening is not None and is_direct(opening.upload):
            await self.direct.forget(opening)
        elif opening is not None:
            await self.chunks.purge(self._subject(opening))

    async def free(self, arrived: Arrived) -> None:
        """Take away all that there is of an upload, if the event opens one, whose session was deleted."""
        opening = self.opening(arrived)
        if opening is None:
            return
        if is_direct(opening.upload):
            await self.direct.free(opening)
        else:
            await self.chunks.purge(self._subject(opening))
            await self._clean_up(opening)

    async def _check_life(self, opening: Opening, arrived: Arrived) -> None:
        """What is put into the store before its id is known could go with anything of its session."""
        session = opening.address.session
        await self.late.check(session, None, arrived.received_at)
        if self.late.is_being_erased(session):
            raise Later(NO_SEAT_SECONDS)

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
        """The pieces are gone, the end is there: whoever handled it died before the event was out of the queue."""
        return await self._is_known(opening, await pieces.left_over())

    async def _was_done_meanwhile(self, opening: Opening, pieces: Pieces, error: InvalidInput) -> bool:
        """Whether pieces are missing because another worker, to which the event went as well, has taken them away.

        Or because the event was published twice: only once none has come in time, since new ones are a new result.
        """
        if not isinstance(error, InvalidResult) or error.reason != IDLE:
            return False
        if await self._is_known(opening, pieces.assembly.ending or await pieces.left_over()):
            return True
        return await self.consumed.has(opening)

    async def _is_known(self, opening: Opening, ending: Ending | None) -> bool:
        if ending is None or ending.sha256 is None:
            return False
        return await self.is_known(opening.address, result_id(opening.address.call, ending.sha256))

    async def _take_or_scan(
        self, opening: Opening, pieces: Pieces, arrived: Arrived, *, without_store: bool
    ) -> tuple[Taken, Pieces]:
        try:
            return await self._take(opening, pieces, arrived), pieces
        except StoreError as error:
            if not without_store or await self._is_known(opening, await pieces.peek()):
                raise NotTaken(error) from error
        again = self._pieces(opening, arrived)
        check = _check_of(again)
        mime_type, rest = opening.received.mime_type, again.take_rest
        taken = await self.taking.scan(
            again.follow(), mime_type=mime_type, check=check, key="", version=None, rest=rest
        )
        return taken, again

    async def _take(self, opening: Opening, pieces: Pieces, arrived: Arrived) -> Taken:
        at = opening.address

        async def place(sha256: str) -> Place:
            rid = result_id(at.call, sha256)
            if self.late.is_being_erased(at.session, rid):
                raise Later(NO_SEAT_SECONDS)
            there = await kept_metadata(self.store, self.keys, at.session, rid)
            is_there = there is not None and not self.late.is_void(at.session, there, arrived.received_at)
            return Place(self.keys.output(at.session, rid), is_there=is_there)

        async def foresee() -> Place:
            ending, incoming = await pieces.peek(), self._incoming(opening)
            if ending is None or ending.sha256 is None:
                return Place(incoming)
            if (ending.size or 0) > self.taking.spool_bytes:
                await self.store.abandon(incoming)
            return msgspec.structs.replace(await place(ending.sha256), size=ending.size)

        mime_type, route = opening.received.mime_type, Route(place, foresee)
        return await self.taking.take(
            pieces.follow(), mime_type=mime_type, check=_check_of(pieces), route=route, rest=pieces.take_rest
        )

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
        check = partial(self.late.check_waiting, opening.address.session, arrived.received_at)
        return Pieces(self.chunks, self._subject(opening), self.idle_seconds, arrived.received_at, self.now, check)

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
