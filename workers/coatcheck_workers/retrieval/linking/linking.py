"""`link`: a URL that gives the bytes of an original, or of a part of one, as they were put.

What lies as it is has one at once. Of a compressed original, and of a text that is a part of one, a copy is made, once
a day: it goes by the bucket's rule after more than a day and the longest time that a URL is valid.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from datetime import datetime

from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import MAX_LINK_SECONDS, MIN_LINK_SECONDS, LinkReply, LinkRequest
from coatcheck_workers.clock import utc_now

from ..missing import lost
from ..model import Retrieval
from ..originals.loading import Original, load, resolve
from ..originals.sections import Section
from ..originals.stored import output_key
from ..originals.whole import whole
from .copies import Copy
from .signing import signed


async def link(retrieval: Retrieval, session: str, request: LinkRequest) -> LinkReply:
    """Raises RequestError, InvalidRef, StoreError."""
    if not MIN_LINK_SECONDS <= request.expires_seconds <= MAX_LINK_SECONDS:
        raise RequestError(
            Code.INVALID_ARGUMENT,
            f"expires_seconds must lie between {MIN_LINK_SECONDS} and {MAX_LINK_SECONDS}, a week",
        )
    ref = resolve(retrieval, session, request.ref)
    deleted_at = retrieval.tombstones.deleted_at(session, ref.result_id)
    loaded = await load(retrieval, ref)
    key = _own_object(retrieval, session, ref, loaded.metadata)
    if key is None:
        copy = _copy(retrieval, session, ref, loaded, deleted_at)
        await signed(retrieval, "GET", copy.key, request.expires_seconds)  # no copy for a store that signs none
        try:
            await retrieval.copies.made(retrieval.store, copy)
        except ObjectNotFound as error:  # deleted meanwhile, or lost
            raise await lost(retrieval, ref, error) from None
        key = copy.key
    url, expires_at = await signed(retrieval, "GET", key, request.expires_seconds)
    return LinkReply(url=url, expires_at=expires_at)


def _own_object(retrieval: Retrieval, session: str, ref: Ref, metadata: Metadata) -> str | None:
    """The key of the object that is just these bytes; None where there is none."""
    if ref.part is None:
        return output_key(retrieval, session, metadata) if metadata.form == "plain" else None
    is_object = any(part.index == ref.part and part.ref is not None for part in metadata.parts or [])
    return retrieval.keys.part(session, ref.result_id, ref.part) if is_object else None


def _copy(
    retrieval: Retrieval, session: str, ref: Ref, loaded: Original | Section, deleted_at: datetime | None
) -> Copy:
    """`deleted_at`: when it was deleted before it was loaded, if ever."""

    async def is_wanted() -> bool:
        if retrieval.tombstones.deleted_at(session, ref.result_id) != deleted_at:
            return False
        try:
            await retrieval.store.head(retrieval.keys.metadata(session, ref.result_id))
        except ObjectNotFound:  # erased, and this worker has not heard yet
            return False
        return True

    part = "" if ref.part is None else f".{ref.part}"
    name = f"{ref.result_id}{part}.{utc_now():%Y%m%d}"
    return Copy(
        key=retrieval.keys.link(session, name),
        session=session,
        size=_size(loaded),
        source=_source(retrieval, session, ref, loaded),
        is_wanted=is_wanted,
    )


def _size(loaded: Original | Section) -> int:
    return len(loaded.data) if isinstance(loaded, Original) else loaded.size


def _source(
    retrieval: Retrieval, session: str, ref: Ref, loaded: Original | Section
) -> Callable[[], AsyncIterator[bytes]]:
    if isinstance(loaded, Original):
        data = loaded.data
        return lambda: _one(data)
    if ref.part is None:
        return lambda: whole(retrieval, session, loaded.metadata)
    return lambda: loaded.original.raw(loaded.start.bytes, loaded.stop.bytes)


async def _one(data: bytes) -> AsyncGenerator[bytes, None]:
    if data:
        yield data
