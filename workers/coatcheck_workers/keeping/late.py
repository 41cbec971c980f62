"""What comes too late: of a session, or a result, that was deleted after NATS received the message.

It is refused where it can be seen (a `failed` stub, an empty dead letter), at whatever point of its handling the
deletion becomes known, and what its handling has left by then is undone. What NATS received after the deletion is of a
new life: it waits until the old one is taken away, so that neither is taken for the other.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import msgspec

from coatcheck_core.decision import Case
from coatcheck_core.expiry import is_expired
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.times import format_time
from coatcheck_workers.keeping.undoing import Undoing
from coatcheck_workers.streams.later import Later
from coatcheck_workers.streams.letters import DELETED
from coatcheck_workers.streams.tombstone import NoTombstones, is_of_before, is_old

WAITING_SECONDS = 0.5


class Late(msgspec.Struct, frozen=True, kw_only=True):
    """What the flow asks of deletions. Nothing here costs a round trip but a refusal itself."""

    tombstones: NoTombstones
    undoing: Undoing
    retention_days: int

    async def refusal(self, session: str, result_id: str | None, received_at: datetime) -> InvalidResult | None:
        """Why what was received then is refused; None where it lives. Without a result's id its session alone counts.

        Raises PublishError or StoreError where that cannot be told now.
        """
        since = await self.tombstones.refused_since(session, result_id, received_at)
        if since is None:
            return None
        is_of_session = result_id is None or await self.tombstones.refused_since(session, None, received_at) is not None
        return _refusal(since, is_of_session=is_of_session)

    async def check(self, session: str, result_id: str | None, received_at: datetime) -> None:
        """Raises InvalidResult where it is refused, Later while what it says could go with the old life."""
        refused = await self.refusal(session, result_id, received_at)
        if refused is not None:
            raise refused
        if self.tombstones.is_being_purged(session, result_id):
            raise Later(WAITING_SECONDS)

    def check_waiting(self, session: str, received_at: datetime) -> None:
        """As `check` refuses, for what waits and looks often: by what is remembered alone."""
        deleted_at = self.tombstones.deleted_at(session)
        if deleted_at is not None and is_old(received_at, deleted_at):
            raise _refusal(deleted_at, is_of_session=True)

    async def check_result(self, case: Case) -> None:
        """As `check`; what an earlier try of it has left goes, unless whoever erases the old life takes it anyway."""
        at, result_id = case.result.address, case.result.result_id
        try:
            await self.check(at.session, result_id, case.result.received_at)
        except InvalidResult:
            if not self.is_being_erased(at.session, result_id):
                await self.undo(case)
            raise

    async def check_done(self, case: Case) -> None:
        """Raises InvalidResult where it was deleted while it was handled; then nothing of it is left."""
        result = case.result
        refused = await self.refusal(result.address.session, result.result_id, result.received_at)
        if refused is not None:
            await self.undo(case)
            raise refused

    @contextmanager
    def room(self, case: Case) -> Iterator[None]:
        """For storing a result. Raises Later while what is stored could be taken for what was deleted, and go with it.

        Also where a deletion became known meanwhile: it is to be seen to that all of it is there, once the old is gone.
        """
        at, result_id = case.result.address, case.result.result_id
        known = self.tombstones.deleted_at(at.session, result_id)
        if self.is_being_erased(at.session, result_id):
            raise Later(WAITING_SECONDS)
        yield
        if self.tombstones.deleted_at(at.session, result_id) != known:
            raise Later(WAITING_SECONDS)

    def is_being_erased(self, session: str, result_id: str | None = None) -> bool:
        return self.tombstones.is_being_erased(session, result_id)

    def is_void(self, session: str, there: Metadata, at: datetime) -> bool:
        """Whether what is stored remains of a result that was deleted, or has expired by then: as good as nothing."""
        if is_expired(there, self.retention_days, at):
            return True
        deleted_at = self.tombstones.deleted_at(session, there.result_id)
        return deleted_at is not None and is_of_before(there.created_at, deleted_at)

    async def undo(self, case: Case) -> None:
        """Raises PublishError and StoreError, and is to be tried again then."""
        at, result_id = case.result.address, case.result.result_id
        deleted_at = self.tombstones.deleted_at(at.session, result_id) or case.result.received_at
        await self.undoing.undo(at, result_id, case.result.received_at, deleted_at)


def is_late(error: BaseException) -> bool:
    """Whether this is the refusal of what was deleted."""
    return isinstance(error, InvalidResult) and error.reason == DELETED


def _refusal(since: datetime, *, is_of_session: bool) -> InvalidResult:
    what = "this session" if is_of_session else "this result"
    return InvalidResult(
        DELETED,
        f"{what} was deleted at {format_time(since)}, after the message had come: nothing of it is kept;"
        " publish it again if it is still wanted",
    )
