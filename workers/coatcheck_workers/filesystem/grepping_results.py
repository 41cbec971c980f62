"""`fs grep` in a session's results: each goes straight from the search into the reply."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import msgspec

from coatcheck_core.filesystem.globs import Match as Glob
from coatcheck_core.filesystem.grepping import Hit, Lines
from coatcheck_core.filesystem.results import call_of, call_path, result_path
from coatcheck_schemas.errors import InvalidRef
from coatcheck_schemas.filesystem import PassedWhy
from coatcheck_schemas.refs import Ref, check_result_id, parse_ref
from coatcheck_schemas.requests import Match
from coatcheck_workers.retrieval.cursors import MAX_POSITION, malformed_cursor
from coatcheck_workers.retrieval.listing.session_entries import read_time_entry
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.searching.in_one import scan_one
from coatcheck_workers.retrieval.searching.seeking import Seeking
from coatcheck_workers.retrieval.searching.through_session import Position, SessionSearch

from .collecting import Collected
from .results import result_of

_Number = Annotated[int, msgspec.Meta(ge=-1, le=MAX_POSITION)]


class ResultPosition(msgspec.Struct, frozen=True, array_like=True):
    """From which char of which result to go on, of all by its time entry.

    `line` is the last match that was given of it, `shown` the last line.
    """

    entry: Annotated[str, msgspec.Meta(max_length=200)] = ""
    result_id: Annotated[str, msgspec.Meta(max_length=200)] = ""
    offset: Annotated[int, msgspec.Meta(ge=0, le=MAX_POSITION)] = 0
    line: _Number = -1
    shown: _Number = -1


class ResultsGrep:
    """One request's. Raises RequestError, StoreError."""

    def __init__(
        self,
        retrieval: Retrieval,
        session: str,
        collected: Collected,
        lines: Lines,
        wants: Glob | None,
        seeking: Seeking,
    ) -> None:
        self._retrieval = retrieval
        self._session = session
        self._collected = collected
        self._lines = lines
        self._wants = wants
        self._seeking = seeking

    async def named(self, path: str, start: ResultPosition) -> Ref:
        """The original that a path names; a call's goes on to be the one that it named at first."""
        if not start.result_id:
            return await result_of(self._retrieval, self._session, path)
        try:
            result_id = check_result_id(start.result_id)
        except InvalidRef:
            raise malformed_cursor() from None
        if path not in (result_path(result_id), call_path(call_of(result_id))):
            raise malformed_cursor()
        return Ref(self._session, result_id)

    async def one(self, ref: Ref, path: str, start: ResultPosition) -> ResultPosition | None:
        """Where to go on, or None where all was gone through."""
        taker = _Taker(self._collected, path)
        self._lines.note(path, start.line, start.shown)
        done = await scan_one(self._retrieval, ref, self._seeking, taker, start.offset, counting=False)
        if done.stop is None:
            return None
        shown = self._lines.last_shown(path)
        return ResultPosition("", ref.result_id, done.stop, self._line(path, start.line), shown)

    async def all(self, start: ResultPosition) -> ResultPosition | None:
        """Of all results that the glob chooses; where to go on, or None where all were gone through."""
        position = None
        if start.entry:
            entry = read_time_entry(start.entry)
            if entry is None:
                raise malformed_cursor()
            position = Position(start.entry, start.offset)
            self._lines.note(result_path(entry.result_id), start.line, start.shown)
        search = SessionSearch(
            self._retrieval,
            self._session,
            self._seeking,
            _Taker(self._collected),
            position,
            counting=False,
            wants=self._is_wanted,
            passed=self._pass_over,
        )
        stop = await search.run()
        if stop is None:
            return None
        stopped = read_time_entry(stop.entry)
        path = "" if stopped is None else result_path(stopped.result_id)
        line = self._line(path, start.line if stop.entry == start.entry else -1)
        return ResultPosition(stop.entry, "", stop.offset, line, self._lines.last_shown(path))

    def _line(self, path: str, before: int) -> int:
        last_path, line = self._collected.last
        return line if last_path == path else before

    def _is_wanted(self, result_id: str) -> bool:
        wants = self._wants
        return wants is None or wants(result_path(result_id)) or wants(call_path(call_of(result_id)))

    def _pass_over(self, result_id: str, why: PassedWhy) -> None:
        self._collected.pass_over(result_path(result_id), why)


class _Taker:
    """Takes a search's matches for a grep; all are of one path where that is given."""

    def __init__(self, collected: Collected, path: str | None = None) -> None:
        self._collected = collected
        self._alone = path
        self._ref = ""
        self._path = path or ""

    @property
    def count(self) -> int:
        return self._collected.count

    @property
    def room(self) -> int:
        return self._collected.room

    @property
    def wants_more_of_this(self) -> bool:
        return not self._collected.wants_one_of_a_file

    @property
    def count_more(self) -> Callable[[int, int], None] | None:
        return partial(self._collected.count_more, self._path) if self._collected.wants_counts else None

    def take(self, match: Match) -> bool:
        if match.ref != self._ref:
            self._ref = match.ref
            self._path = self._path_of(match.ref)
        hit = Hit(
            line=match.line,
            snippet=match.snippet,
            at=match.offset - match.snippet_offset,
            is_from_begin=match.snippet_offset == 0,
        )
        return self._collected.take(self._path, hit)

    def drop(self, ref: str) -> None:
        self._collected.drop(self._path_of(ref))

    def _path_of(self, ref: str) -> str:
        return self._alone or result_path(parse_ref(ref).result_id)
