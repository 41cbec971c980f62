"""`search` in all of a session's originals, oldest first."""

from coatcheck_schemas.requests import SearchReply, SearchRequest

from ..cursors import decode_cursor, encode_cursor, malformed_cursor
from ..listing.session_entries import read_time_entry
from ..model import Retrieval
from .seeking import Seeking
from .taking import Matches
from .through_session import Position, SessionSearch


async def search_session(
    retrieval: Retrieval, session: str, request: SearchRequest, seeking: Seeking, asked: str
) -> SearchReply:
    """Raises RequestError, StoreError."""
    position = None if request.cursor is None else decode_cursor(request.cursor, asked, Position)
    if position is not None and read_time_entry(position.entry) is None:
        raise malformed_cursor()
    taker = Matches(limit=request.limit, max_reply_bytes=retrieval.max_reply_bytes)
    search = SessionSearch(retrieval, session, seeking, taker, position, counting=position is None)
    stop = await search.run()
    return SearchReply(
        matches=taker.items,
        total=search.total,
        has_more=stop is not None,
        cursor=None if stop is None else encode_cursor(asked, stop),
    )
