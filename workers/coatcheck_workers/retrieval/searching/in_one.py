"""`search` in one original or part."""

from typing import Annotated

import msgspec

from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import Match, SearchReply, SearchRequest

from ..cursors import MAX_POSITION, decode_cursor, encode_cursor
from ..filling import Filling
from ..missing import check_readable
from ..model import Retrieval
from ..originals.loading import load
from ..originals.sections import Section
from .scanning import no_end_in_time, scan_section, scan_small
from .seeking import Seeking

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
    original = await load(retrieval, ref)
    filling: Filling[Match] = Filling(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)
    counting = request.cursor is None
    if isinstance(original, Section):
        done = await scan_section(filling, original, seeking, place.offset, counting=counting)
    else:
        done = await scan_small(filling, original, seeking, place.offset, counting=counting)
    if done.stop == place.offset:
        raise no_end_in_time(ref, done.stop, retrieval.settings.requests.search_seconds)
    total = place.total if done.counted is None else place.matches_before + done.counted
    check_readable(retrieval, str(ref.session), original.metadata)
    taken = place.matches_before + len(filling.items)
    return SearchReply(
        matches=filling.items,
        total=total,
        has_more=done.stop is not None,
        cursor=None if done.stop is None else encode_cursor(asked, _Place(done.stop, taken, total)),
    )
