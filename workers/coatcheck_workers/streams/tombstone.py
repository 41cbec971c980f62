"""One tombstone: what of COAT_DELETED says that a session, or one result of it, was deleted.

The last message under a subject is the last word on it. The first of a deletion says no time: the stream's own stamp on
it is the moment, by the same clock as `received_at` of results. The later ones repeat it as the erasing goes on.
"""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

import msgspec

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.refs import check_result_id
from coatcheck_schemas.segments import check_segment
from coatcheck_schemas.subjects import Subjects
from coatcheck_schemas.times import from_milliseconds, to_milliseconds
from coatcheck_workers.streams.ports import Kept


class Stage(StrEnum):
    """How far a deletion is: what new comes waits for the purging, what is to be stored for the erasing as well."""

    PURGING = "purging"
    ERASING = "erasing"
    DONE = "done"


class Tombstone(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A session, or one result of it where `result_id` is not None; times are milliseconds since 1970.

    `at` is when it was deleted, `told_at` when the stream was last told of it, by the message `sequence`.
    """

    session: str
    result_id: str | None
    at: int
    stage: Stage
    sequence: int
    told_at: int

    @property
    def deleted_at(self) -> datetime:
        return from_milliseconds(self.at)


def is_old(received_at: datetime, deleted_at: datetime) -> bool:
    """By the millisecond: metadata says times no finer, and what one place refuses no other may show."""
    return to_milliseconds(received_at) <= to_milliseconds(deleted_at)


def is_of_before(created_at: str, deleted_at: datetime) -> bool:
    """As `is_old`, of what says its time itself, as metadata and stub events do.

    A time that cannot be read is not one of ours, and so not of what came after.
    """
    try:
        return is_old(datetime.fromisoformat(created_at), deleted_at)
    except ValueError:
        return True


class _Word(msgspec.Struct, frozen=True, omit_defaults=True):
    at: datetime | None = None
    stage: Stage = Stage.PURGING


def first_word() -> bytes:
    return msgspec.json.encode(_Word())


def next_word(tombstone: Tombstone, stage: Stage) -> bytes:
    return msgspec.json.encode(_Word(tombstone.deleted_at, stage))


def read_tombstone(subjects: Subjects, kept: Kept) -> Tombstone | None:
    """What a message of the stream says; None where it is none of ours."""
    session, _, result = kept.subject.removeprefix(subjects.every_deletion[:-1]).partition(".")
    result_id = result.removeprefix("result.") if result.startswith("result.") else None
    try:
        check_segment(session)
        if kept.subject != subjects.deleted(session, None if result_id is None else check_result_id(result_id)):
            return None
        word = msgspec.json.decode(kept.body, type=_Word)
        at = to_milliseconds(word.at or kept.at)
    except (InvalidInput, ValueError):  # msgspec's errors are ValueErrors, as is a time without a zone
        return None
    return Tombstone(
        session=session,
        result_id=result_id,
        at=at,
        stage=word.stage,
        sequence=kept.sequence,
        told_at=to_milliseconds(kept.at),
    )


class NoTombstones:
    """What a worker knows of deletions, and what it does not do because of them; here, that there were none.

    Nothing takes this for want of another: whoever asks about deletions is given what knows them, or this by name.
    """

    def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        """When the session, or this result of it, was last deleted, as far as the stream still says. Pure memory."""
        return None

    def is_being_purged(self, session: str, result_id: str | None = None) -> bool:
        """Whether what goes into streams now could be taken away with what is deleted."""
        return False

    def is_being_erased(self, session: str, result_id: str | None = None) -> bool:
        """Whether what is stored now could be taken away with what is deleted; also while it is being purged."""
        return False

    async def refused_since(self, session: str, result_id: str | None, received_at: datetime) -> datetime | None:
        """When it was deleted, what NATS received then for this session, and result where that is known; else None.

        Raises PublishError or StoreError where that cannot be told now.
        """
        return None

    def on_buried(self, callback: Callable[[str, str | None], None]) -> None:
        """Let the callback hear of each deletion, by session and result id, once this worker knows of it."""
