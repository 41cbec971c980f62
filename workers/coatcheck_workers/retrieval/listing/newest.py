"""A session's entries newest first, out of a store that lists forwards only.

What is wanted lies at the end, and of a session of 100,000 no more than the end is to be listed: so it is looked for by
time, which the entries' names begin with. A small session takes some requests; the newest of a large one take one where
it was listed before, and at first some ten (`Windows`). Every stretch is read whole, and each next to the last, so that
nothing is passed over whatever was guessed.
"""

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from coatcheck_schemas.keys import TimeEntry
from coatcheck_workers.storage.listing import lists_from_anywhere

from ..model import Retrieval
from .session_entries import AFTER_ALL, Stretch, read_stretch, time_entries
from .tails import Tail
from .windows import FIRST_WIDTH, NO_END, Windows

PAGE = 1000
"""Names that one request lists, as S3 has it."""
_TAIL_ENTRIES = 96
_LARGE_ENTRIES = 400
"""Of a session of fewer all is listed each time."""
_LOOK_AFTER_EMPTY, _LOOK_AFTER_GAPS = 4, 2
"""Stretches without entries: before any was found, which cost little, and after that, which list a page in vain."""
_MOST_ENTRIES = 10_000
"""In memory at a time where they cannot be read from the end: of a single millisecond, or of a folder."""


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """Entries from the time `floor`, in milliseconds, to the name `below`, which is not one of them; `""` is no end."""

    floor: int = 0
    below: str = ""

    @property
    def end(self) -> int:
        return min(int(self.below[:13]) + 1, NO_END) if self.below else NO_END


async def newest_entries(
    retrieval: Retrieval, session: str, within: Range, *, now: int, aim: int
) -> AsyncGenerator[TimeEntry, None]:
    """`now` in milliseconds and `aim`, how many are likely to be wanted, only guide the search."""
    walk = _Walk(retrieval, session, within, now=now, aim=aim)
    async with aclosing(walk.stretches()) as stretches:
        async for entries in stretches:
            for entry in reversed(entries):
                yield entry


class _Walk:
    """One walk; what is learned of the session's end is remembered for the next."""

    def __init__(self, retrieval: Retrieval, session: str, within: Range, *, now: int, aim: int) -> None:
        self._retrieval = retrieval
        self._session = session
        self._within = within
        self._tail = retrieval.tails.get(session)
        self._windows = Windows(
            floor=within.floor, end=within.end, now=now, aim=aim, width=_first_width(self._tail, within.end, now)
        )
        self._aim = aim
        self._newest: int | None = None
        self._counted = 0
        self._has_looked = False

    async def stretches(self) -> AsyncGenerator[list[TimeEntry], None]:
        """The entries of one stretch after the other, each oldest first."""
        if not lists_from_anywhere(self._retrieval.store):
            async for entries in self._ends_of(_name(self._within.floor), self._within.below):
                yield entries
            return
        while (window := self._windows.next()) is not None:
            if self._is_lost():
                rest = await self._look_from_start()
                if rest is not None:
                    yield rest
                    return
                continue
            begin, end = window
            stretch = await self._read(begin, end)
            if not stretch.is_cut:
                self._learn(stretch.entries, begin)
                yield stretch.entries
            elif begin < end - 1:
                self._windows.overflowed(begin, stretch.oldest(begin), stretch.reached)
            else:
                async for entries in self._ends_of(_name(begin), self._below(end)):
                    yield entries
                self._windows.read(begin, 1, begin)

    def _is_lost(self) -> bool:
        """Whether to look from the start, once: where some guesses did not lead to what is wanted.

        That finds all of a small session, and where a large one begins; but it lists a whole page, which is dear.
        """
        windows = self._windows
        if self._has_looked:
            return False
        if windows.empty_in_a_row >= (_LOOK_AFTER_GAPS if self._counted else _LOOK_AFTER_EMPTY):
            return True
        return self._tail is None and 0 < self._counted < self._aim and windows.stretches_since_found > 1

    async def _look_from_start(self) -> list[TimeEntry] | None:
        """All that is left, where that is no more than one request lists; else the walk knows where it begins."""
        self._has_looked = True
        windows = self._windows
        stretch = await self._read(windows.floor, windows.end)
        if not stretch.is_cut:
            if not self._counted and len(stretch.entries) >= _LARGE_ENTRIES:
                self._remember(stretch.entries)
            return stretch.entries
        windows.floor = stretch.oldest(windows.floor)
        windows.overflowed(windows.floor, windows.floor, stretch.reached)
        return None

    async def _read(self, begin: int, end: int) -> Stretch:
        return await read_stretch(
            self._retrieval, self._session, after=_name(begin) if begin else "", below=self._below(end), most=PAGE
        )

    def _below(self, end: int) -> str:
        """The end as a name: that of the range where a stretch reaches to it."""
        return self._within.below if end == self._within.end and self._within.below else _name(end)

    def _learn(self, entries: list[TimeEntry], begin: int) -> None:
        self._windows.read(begin, len(entries), entries[-1].milliseconds if entries else begin)
        missing = _TAIL_ENTRIES - self._counted
        self._counted += len(entries)
        if entries and missing > 0:
            self._newest = self._newest or entries[-1].milliseconds
            if self._counted >= min(self._aim, _TAIL_ENTRIES):
                self._remember(entries[-missing:])

    def _remember(self, entries: list[TimeEntry]) -> None:
        """Where the session's end begins, unless this walk does not begin at it."""
        if not self._within.below:
            newest = self._newest or entries[-1].milliseconds
            self._retrieval.tails.put(self._session, Tail(entries[-_TAIL_ENTRIES:][0].milliseconds, newest))

    async def _ends_of(self, after: str, below: str) -> AsyncGenerator[list[TimeEntry], None]:
        """All between two names, read as often as needed to keep some thousand: the last of them, then those before."""
        while True:
            last: deque[TimeEntry] = deque(maxlen=_MOST_ENTRIES)
            count = 0
            async for entry in time_entries(self._retrieval, self._session, after=after, below=below):
                last.append(entry)
                count += 1
            yield list(last)
            if count <= _MOST_ENTRIES:
                return
            below = str(last[0])


def _first_width(tail: Tail | None, end: int, now: int) -> int:
    if tail is None:
        return FIRST_WIDTH
    return max(1, now - tail.begin) if end > tail.newest else tail.width


def _name(milliseconds: int) -> str:
    """What all names of entries from that time on are greater than, and all before less."""
    return f"{milliseconds:013d}" if milliseconds < NO_END else AFTER_ALL
