"""`fs grep` in a session's own files: some are fetched ahead of the one that is searched."""

from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from functools import partial
from typing import Any

import msgspec

from coatcheck_core.filesystem.globs import Match as Glob
from coatcheck_core.filesystem.grepping import Hit, Lines
from coatcheck_core.filesystem.paths import ROOT
from coatcheck_core.filesystem.versions import Version
from coatcheck_core.searching import Finder, Matcher
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import PassedWhy
from coatcheck_workers.retrieval.listing.session_entries import fetched
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.threads import in_request_thread

from .collecting import Collected
from .pages import index_after, short_name
from .stored_versions import StoredVersions
from .tree import AHEAD, file_below, own_paths, why_none

_SMALL_BYTES = 64 * 1024
"""A file of no more comes with what says how large it is; a larger one is fetched once there is room for it."""
_AHEAD_BYTES = 16 * 1024 * 1024
"""Of files in memory at a time, before the last."""
_STEP_SECONDS = 0.1
"""So long one file has a thread in one go: after that, whoever waits for a thread has it first."""

_Read = Version | PassedWhy | None


class OwnPosition(msgspec.Struct, frozen=True, kw_only=True):
    """From which char of the file of this stored name to go on; `""` is before all.

    `line` is the last match that was given of that file, `shown` the last line.
    """

    name: str = ""
    offset: int = 0
    line: int = -1
    shown: int = -1


class OwnGrep:
    """One request's. Raises RequestError, StoreError."""

    def __init__(
        self,
        retrieval: Retrieval,
        session: str,
        path: str,
        wants: Glob | None,
        matcher: Matcher,
        context_chars: int,
        collected: Collected,
        lines: Lines,
        clock: Callable[[], float],
    ) -> None:
        self._retrieval = retrieval
        self._session = session
        self._path = path
        self._wants = wants
        self._matcher = matcher
        self._context_chars = context_chars
        self._collected = collected
        self._lines = lines
        self._clock = clock
        self._ends_by = clock() + retrieval.settings.requests.search_seconds
        self._held_bytes = 0

    async def run(self, start: OwnPosition, *, must_be: bool) -> OwnPosition | None:
        """Where to go on, or None where all was gone through; `must_be`: where there is nothing that is an error.

        Past at least one file, so that one who goes on always gets on.
        """
        paths = await self._paths(start)
        is_past_one = has_found = False
        async with aclosing(self._versions(paths)) as versions:
            async for path, version in versions:
                begin = start if short_name(path) == start.name else OwnPosition(name=short_name(path))
                if is_past_one and self._clock() >= self._ends_by:
                    return begin
                is_past_one = True
                if isinstance(version, Version):
                    has_found = True
                    at = await self._in_file(path, version, begin)
                    if at is not None:
                        return at
                elif version is not None:
                    self._collected.pass_over(path, version)
        if must_be and not has_found and not start.name:
            await self._check_there()
        return None

    async def _paths(self, start: OwnPosition) -> list[str]:
        """Those to search, from the position on."""
        below = await own_paths(self._retrieval, self._session, self._path)
        paths = [path for path in below if self._wants is None or self._wants(path)]
        if self._path != ROOT:
            paths = [self._path, *paths]
        return paths[max(0, index_after(paths, start.name) - 1) :]

    async def _check_there(self) -> None:
        found = await StoredVersions(self._retrieval, self._session, self._path).newest(most_bytes=0)
        if found.version is None and await file_below(self._retrieval, self._session, self._path) is None:
            raise why_none(self._path, found)

    async def _versions(self, paths: list[str]) -> AsyncGenerator[tuple[str, _Read], None]:
        async def each() -> AsyncGenerator[str, None]:
            for path in paths:
                yield path

        small = fetched(each(), partial(self._read, most_bytes=_SMALL_BYTES), ahead=AHEAD)
        async with aclosing(fetched(small, self._start, ahead=self._ahead)) as found:
            async for (path, version), whole in found:
                yield path, version if whole is None else whole
                self._held_bytes -= _bytes(version)

    def _ahead(self) -> int:
        return AHEAD if self._held_bytes < _AHEAD_BYTES else 1

    def _start(self, small: tuple[str, _Read]) -> Coroutine[Any, Any, _Read] | None:
        """What fetches the rest of it; None where all is at hand."""
        path, version = small
        self._held_bytes += _bytes(version)
        is_whole = not isinstance(version, Version) or bool(version.text) or not version.head.bytes
        return None if is_whole else self._read(path)

    async def _read(self, path: str, most_bytes: int | None = None) -> _Read:
        """None where there is none. Raises RequestError where that is the only one that is wanted."""
        try:
            return (await StoredVersions(self._retrieval, self._session, path).newest(most_bytes=most_bytes)).version
        except RequestError as error:
            if path == self._path or error.code is not Code.INTERNAL:
                raise
            return "damaged"

    async def _in_file(self, path: str, version: Version, begin: OwnPosition) -> OwnPosition | None:
        """Where to go on, or None where all of it was gone through."""
        if begin.shown >= 0 or begin.line >= 0:
            self._lines.note(path, begin.line, begin.shown)
        step = _Step(self._clock)
        finder = Finder(
            self._matcher, context_chars=self._context_chars, start=begin.offset, watch=step, once_a_line=True
        )
        text = version.text.encode()
        stop = await in_request_thread(partial(self._begun, path, finder, step, text))
        while stop is None and not finder.is_done and not self._has_one_of(path):
            if self._clock() >= self._ends_by and finder.safe > begin.offset:
                stop = finder.safe
            else:
                stop = await in_request_thread(partial(self._scan, path, finder, step))
        if stop is None:
            return None
        last_path, line = self._collected.last
        line = line if last_path == path else begin.line
        return OwnPosition(name=begin.name, offset=stop, line=line, shown=self._lines.last_shown(path))

    def _has_one_of(self, path: str) -> bool:
        return self._collected.wants_one_of_a_file and self._collected.last[0] == path

    def _begun(self, path: str, finder: Finder, step: "_Step", text: bytes) -> int | None:
        finder.feed(text, is_last=True)
        return self._scan(path, finder, step)

    def _scan(self, path: str, finder: Finder, step: "_Step") -> int | None:
        """Where the first match begins for which there is no room; None where there was, for a while."""
        step.begin()
        for found in finder.found():
            at = found.offset - found.snippet_offset
            hit = Hit(line=found.line, snippet=found.snippet, at=at, is_from_begin=found.snippet_offset == 0)
            if not self._collected.take(path, hit):
                return found.offset
            if self._collected.wants_one_of_a_file:
                return None
            if self._collected.wants_counts:
                lines, last = finder.count_lines()
                if last is not None:
                    self._collected.count_more(path, lines, last)
        return None


class _Step:
    """How long a thread may go on: see `coatcheck_core.searching.Watch`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.now = clock
        self._ends = 0.0

    def begin(self) -> None:
        self._ends = self.now() + _STEP_SECONDS

    def is_over(self) -> bool:
        return self.now() >= self._ends


def _bytes(version: _Read) -> int:
    return version.head.bytes if isinstance(version, Version) else 0
