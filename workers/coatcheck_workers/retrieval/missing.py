"""What is not there: it never was, is not stored yet, or was deleted; and what is there still, and may not be had."""

from contextlib import suppress
from datetime import datetime

import msgspec

from coatcheck_core.expiry import expires_at, is_expired
from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.times import format_time
from coatcheck_workers.deleting.stored import StoredTombstones
from coatcheck_workers.streams.tombstone import is_of_before

from .model import Retrieval


class _Reason(msgspec.Struct, frozen=True):
    """Of a stub event, what matters here."""

    reason: str | None = None


_EVENT = msgspec.json.Decoder(_Reason)


def not_found(ref: Ref) -> RequestError:
    return RequestError(
        Code.NOT_FOUND, f"there is no {ref} in this session: it never was, or it is another session's", ref=str(ref)
    )


def gone(ref: Ref | str, deleted_at: datetime) -> RequestError:
    """It was deleted, and cannot be had again but by running the tool once more."""
    moment = format_time(deleted_at)
    return RequestError(Code.GONE, f"{ref} was deleted at {moment}", ref=str(ref), deleted_at=moment)


def check_readable(retrieval: Retrieval, session: str, metadata: Metadata) -> None:
    """Raises RequestError `gone` for what is there still and was deleted, or has expired; no I/O.

    What came again after that has other metadata: whoever has remembered this one reads it anew first.
    """
    check_not_deleted(retrieval, session, metadata)
    days = retrieval.settings.storage.retention_days
    expired_at = expires_at(metadata, days)
    if expired_at is not None and is_expired(metadata, days, retrieval.now()):
        ref, moment = Ref(session, metadata.result_id), format_time(expired_at)
        raise RequestError(
            Code.GONE, f"{ref} expired at {moment}, {days} days after its last use", ref=str(ref), expired_at=moment
        )


def is_readable(retrieval: Retrieval, session: str, metadata: Metadata) -> bool:
    """As `check_readable`, for what is passed over where it is not."""
    try:
        check_readable(retrieval, session, metadata)
    except RequestError:
        return False
    return True


def check_not_deleted(retrieval: Retrieval, session: str, metadata: Metadata) -> None:
    """As `check_readable`, of deletions alone."""
    deleted_at = retrieval.tombstones.deleted_at(session, metadata.result_id)
    if deleted_at is not None and is_of_before(metadata.created_at, deleted_at):
        raise gone(Ref(session, metadata.result_id), deleted_at)


async def missing(retrieval: Retrieval, ref: Ref) -> RequestError:
    """Why there is nothing under a resolved ref: deleted, not stored yet (its session has a stub that says so), never.

    A ref that never was of a session that was deleted counts as deleted with it: nobody can tell any more. Raises
    StoreError where that cannot be told, rather than say that it never was.
    """
    session = str(ref.session)
    event = await retrieval.events.event_of(session, ref.result_id)
    with suppress(msgspec.MsgspecError, UnicodeDecodeError):
        if event is not None and _EVENT.decode(event).reason == "store_failure":
            return RequestError(
                Code.UNAVAILABLE, f"{ref} is not stored yet: object storage could not take it; try again", ref=str(ref)
            )
    deleted_at = retrieval.tombstones.deleted_at(session, ref.result_id)
    if deleted_at is None:
        deleted_at = await StoredTombstones(retrieval.store, retrieval.keys).deleted_at(session, ref.result_id)
    return not_found(ref) if deleted_at is None else gone(ref, deleted_at)


async def lost(retrieval: Retrieval, ref: Ref, error: ObjectNotFound) -> RequestError:
    """As `missing`, where the metadata was read a moment ago, and another object of the original is not there."""
    why = await missing(retrieval, ref)
    if why.code is not Code.NOT_FOUND:
        return why
    key = retrieval.keys.metadata(str(ref.session), ref.result_id)
    try:
        await retrieval.store.head(key)
    except ObjectNotFound:
        return why
    retrieval.damage.report(key, f"an object that it names is not there: {error}")
    return RequestError(
        Code.INTERNAL,
        f"what was stored of {ref} is lost, though its metadata is there: run the tool again, and tell whoever runs the"
        " store",
        ref=str(ref),
    )
