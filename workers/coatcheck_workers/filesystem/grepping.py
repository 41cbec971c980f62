"""`fs grep`: lines that match an expression; of the session's own files in order, then of its results, oldest first."""

from functools import partial
from time import monotonic
from typing import Annotated

import msgspec

from coatcheck_core.filesystem.globs import Match as Glob
from coatcheck_core.filesystem.globs import name_glob
from coatcheck_core.filesystem.grepping import MAX_LINES_AROUND, Lines, around_chars
from coatcheck_core.filesystem.paths import is_below, normalized
from coatcheck_core.searching import Matcher, line_matcher
from coatcheck_core.settings.model import RequestsSettings
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import RESULTS_FOLDER, GrepReply, GrepRequest
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import MAX_QUERY_CHARS, SearchRequest
from coatcheck_workers.retrieval.cursors import MAX_POSITION, decode_cursor, encode_cursor, question
from coatcheck_workers.retrieval.limits import check_limit
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.searching.seeking import Seeking
from coatcheck_workers.retrieval.threads import in_request_thread

from .collecting import Collected
from .grepping_own import OwnGrep, OwnPosition
from .grepping_results import ResultPosition, ResultsGrep
from .results import is_result

_Number = Annotated[int, msgspec.Meta(ge=-1, le=MAX_POSITION)]


class _Position(msgspec.Struct, frozen=True, array_like=True):
    """Where to go on: from a char of the own file of this stored name, or there in the results.

    `line` is the last match that was given of that file, `shown` the last line.
    """

    name: Annotated[str, msgspec.Meta(max_length=250)] = ""
    offset: _Number = 0
    line: _Number = -1
    results: ResultPosition | None = None
    shown: _Number = -1


async def grep(retrieval: Retrieval, session: str, request: GrepRequest) -> GrepReply:
    """Raises RequestError, StoreError. It answers with what it has after the time of a search."""
    check_limit(request.limit)
    for name, around in (("before", request.before), ("after", request.after)):
        if not 0 <= around <= MAX_LINES_AROUND:
            raise RequestError(Code.INVALID_ARGUMENT, f"{name} must lie between 0 and {MAX_LINES_AROUND}")
    path = normalized(request.path)
    wants = None if request.glob is None else name_glob(request.glob, path)
    options = (request.ignore_case, request.before, request.after, request.mode)
    asked = question("grep", session, path, request.pattern, request.glob, *options)
    position = _Position() if request.cursor is None else decode_cursor(request.cursor, asked, _Position)
    wanted = SearchRequest(
        query=request.pattern,
        context_chars=around_chars(request.before, request.after) if request.mode == "content" else 0,
    )
    matcher = await in_request_thread(partial(_matcher, request))
    lines = Lines(request.before, request.after)
    collected = Collected(request.mode, request.limit, lines, retrieval.max_reply_bytes)
    limits = retrieval.settings.requests
    places = retrieval.greps.taken(
        session, most=limits.searches, of_session=limits.session_searches, seconds=_share(limits)
    )
    async with places:
        grepping = _Grepping(retrieval, session, path, wants, wanted, matcher, collected, lines, position)
        at = await grepping.run()
    reply = collected.reply(None if at is None else encode_cursor(asked, at))
    return reply if grepping.ref is None else msgspec.structs.replace(reply, ref=str(grepping.ref))


class _Grepping:
    """One request's way. `ref` is the original that the path names, once it has been looked for."""

    def __init__(
        self,
        retrieval: Retrieval,
        session: str,
        path: str,
        wants: Glob | None,
        wanted: SearchRequest,
        matcher: Matcher,
        collected: Collected,
        lines: Lines,
        position: _Position,
    ) -> None:
        self._retrieval = retrieval
        self._session = session
        self._path = path
        self._wants = wants
        self._wanted = wanted
        self._matcher = matcher
        self._clock = monotonic
        self._begin_by = self._clock() + _share(retrieval.settings.requests)
        self._collected = collected
        self._lines = lines
        self._position = position
        self.ref: Ref | None = None

    async def run(self) -> _Position | None:
        """Where to go on, or None where all was gone through."""
        has_results = is_below(RESULTS_FOLDER, self._path) or is_result(self._path)
        if not is_result(self._path) and self._position.results is None:
            at = await self._own(must_be=not has_results)
            if at is not None:
                return at
        return await self._results() if has_results else None

    async def _own(self, *, must_be: bool) -> _Position | None:
        grep = OwnGrep(
            self._retrieval,
            self._session,
            self._path,
            self._wants,
            self._matcher,
            self._wanted.context_chars,
            self._collected,
            self._lines,
            self._clock,
        )
        start = self._position
        begin = OwnPosition(name=start.name, offset=max(0, start.offset), line=start.line, shown=start.shown)
        at = await grep.run(begin, must_be=must_be)
        return None if at is None else _Position(name=at.name, offset=at.offset, line=at.line, shown=at.shown)

    async def _results(self) -> _Position | None:
        start = self._position.results or ResultPosition()
        if self._clock() >= self._begin_by:
            return _Position(results=start)
        deadline = self._clock() + self._retrieval.settings.requests.search_seconds
        seeking = Seeking(self._wanted, self._matcher, deadline=deadline, clock=self._clock, once_a_line=True)
        grep = ResultsGrep(self._retrieval, self._session, self._collected, self._lines, self._wants, seeking)
        try:
            if self._path == RESULTS_FOLDER or not is_result(self._path):
                at = await grep.all(start)
            else:
                self.ref = await grep.named(self._path, start)
                at = await grep.one(self.ref, self._path, start)
        finally:
            seeking.pace.give_up()
        return None if at is None else _Position(results=at)


def _share(limits: RequestsSettings) -> float:
    """How long a grep may wait for a place, and may then have gone through own files before it begins with results: a
    search from then on is in time.
    """
    return (limits.timeout_seconds - limits.search_seconds) / 3


def _matcher(request: GrepRequest) -> Matcher:
    """Raises RequestError `invalid_argument`, which says what is wrong with the pattern."""
    if not request.pattern:
        raise RequestError(
            Code.INVALID_ARGUMENT, "pattern is empty: give what to search for; '.' finds all lines that are not empty"
        )
    if len(request.pattern) > MAX_QUERY_CHARS:
        message = f"pattern may have {MAX_QUERY_CHARS} chars, and this one has {len(request.pattern)}"
        raise RequestError(Code.INVALID_ARGUMENT, message)
    try:
        return line_matcher(request.pattern, ignore_case=request.ignore_case)
    except ValueError as error:
        raise RequestError(Code.INVALID_ARGUMENT, str(error)) from None
