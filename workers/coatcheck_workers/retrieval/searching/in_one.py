"""`search` in one original or part."""

from typing import Annotated

import msgspec

from coatcheck_schemas.errors import ObjectNotFound
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import SearchReply, SearchRequest

from ..cursors import MAX_POSITION, decode_cursor, encode_cursor
from ..missing import check_readable, lost
from ..model import Retrieval
from ..originals.loading import load
from ..originals.sections import Section
from .scanning import Scanned, no_end_in_time, scan_section, scan_small
from .seeking import Seeking
from .taking import Matches, Taker

_Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_POSITION)]


class _Place(msgspec.Struct, frozen=True, array_like=True):
    """From which char the next match is looked for, how many matches there are before, and in all, if that is known.

    They are counted with the first page alone: each would cost as much again.
    """

    offset: _Count = 0
    matches_before: _Count = 0
    total: _Count | None = None


async def search_one(
    retrieval: Retrieval, ref: Ref, request: SearchRequest, seeking: Seeking, asked: str
) -> SearchReply:
    """Raises RequestError, StoreError."""
    place = _Place() if request.cursor is None else decode_cursor(request.cursor, asked, _Place)
    taker = Matches(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)
    done = await scan_one(retrieval, ref, seeking, taker, place.offset, counting=request.cursor is None)
    total = place.total if done.counted is None else place.matches_before + done.counted
    taken = place.matches_before + taker.count
    return SearchReply(
        matches=taker.items,
        total=total,
        has_more=done.stop is not None,
        cursor=None if done.stop is None else encode_cursor(asked, _Place(done.stop, taken, total)),
    )


async def scan_one(
    retrieval: Retrieval, ref: Ref, seeking: Seeking, taker: Taker, start: int, *, counting: bool
) -> Scanned:
    """What a taker takes of an original from a char on. Raises RequestError, StoreError."""
    original = await load(retrieval, ref)
    if isinstance(original, Section):
        try:
            done = await scan_section(taker, original, seeking, start, counting=counting)
        except ObjectNotFound as error:
            raise await lost(retrieval, ref, error) from None
    else:
        done = await scan_small(taker, original, seeking, start, counting=counting)
    if done.stop == start:
        raise no_end_in_time(ref, start, retrieval.settings.requests.search_seconds)
    check_readable(retrieval, str(ref.session), original.metadata)
    return done
