"""`search`: in one original, or in all of a session's."""

from functools import partial
from time import monotonic

from coatcheck_schemas.requests import SearchReply, SearchRequest

from ..cursors import question
from ..model import Retrieval
from ..originals.loading import resolve
from ..threads import in_request_thread
from .in_one import search_one
from .in_session import search_session
from .seeking import Seeking, seeking_for


async def search(retrieval: Retrieval, session: str, request: SearchRequest) -> SearchReply:
    """Raises RequestError, InvalidRef, StoreError."""
    clock = monotonic
    deadline = clock() + retrieval.settings.requests.search_seconds
    seeking = await in_request_thread(partial(seeking_for, request, deadline=deadline, clock=clock))
    try:
        return await _searched(retrieval, session, request, seeking)
    finally:
        seeking.pace.give_up()


async def _searched(retrieval: Retrieval, session: str, request: SearchRequest, seeking: Seeking) -> SearchReply:
    ref = None if request.ref is None else resolve(retrieval, session, request.ref)
    options = (request.regex, request.ignore_case, request.whole_word, request.invert)
    asked = question("search", session, None if ref is None else str(ref), request.query, *options)
    if ref is not None:
        return await search_one(retrieval, ref, request, seeking, asked)
    return await search_session(retrieval, session, request, seeking, asked)
