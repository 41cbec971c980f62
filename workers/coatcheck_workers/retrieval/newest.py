"""A session's entries newest first, out of a store that lists forwards only.

What is wanted lies at the end, and of a session of 100,000 no more than the end is to be listed: so it is looked for by
time, which the entries' names begin with. A small session takes one request, the newest of a large one that was listed
before take one, at first some ten (`Windows`). Every stretch is read whole, and each next to the last, so that nothing
is passed over whatever was guessed.
"""

from collections import deque
from collections.abc import AsyncGenerator

import msgspec

from coatcheck_schemas.keys import TimeEntry

from .model import Retrieval
from .session_entries import AFTER_ALL, Stretch, read_stretch, time_entries
from .tails import Tail
from .windows import FIRST_WIDTH, NO_END, Windows

PAGE = 1000
"""Names that one request lists, as S3 has it."""
_TAIL_ENTRIES = 96
_LOOK_AFTER_EMPTY = 3
_CROWD_ENTRIES = 4_000
"""Entries of one millisecond in memory at a time."""


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
    async for entries in walk.stretches():
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
        self._newest: int | None = None
        self._counted = 0

    async def stretches(self) -> AsyncGenerator[list[TimeEntry], None]:
        """The entries of one stretch after the other, each oldest first."""
        has_looked = False
        while (window := self._windows.next()) is not None:
            if not has_looked and (self._tail is None or self._windows.empty_in_a_row >= _LOOK_AFTER_EMPTY):
                has_looked = True
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
                async for entries in self._crowded(begin):
                    yield entries
                self._windows.read(begin, 1, begin)

    async def _look_from_start(self) -> list[TimeEntry] | None:
        """All that is left, where that is no more than one request lists; else the walk knows where it begins."""
        windows = self._windows
        stretch = await self._read(windows.floor, windows.end)
        if not stretch.is_cut:
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
        if self._within.below or not entries or self._counted >= _TAIL_ENTRIES:
            return
        if self._newest is None:
            self._newest = entries[-1].milliseconds
        missing = _TAIL_ENTRIES - self._counted
        self._counted += len(entries)
        self._retrieval.tails.put(self._session, Tail(entries[-missing:][0].milliseconds, self._newest))

    async def _crowded(self, moment: int) -> AsyncGenerator[list[TimeEntry], None]:
        """One millisecond with more entries than a page, which is read as often as needed to keep some thousand."""
        below = self._below(moment + 1)
        while True:
            last: deque[TimeEntry] = deque(maxlen=_CROWD_ENTRIES)
            count = 0
            async for entry in time_entries(self._retrieval, self._session, after=_name(moment), below=below):
                last.append(entry)
                count += 1
            yield list(last)
            if count <= _CROWD_ENTRIES:
                return
            below = str(last[0])


def _first_width(tail: Tail | None, end: int, now: int) -> int:
    if tail is None:
        return FIRST_WIDTH
    return max(1, now - tail.begin) if end > tail.newest else tail.width


def _name(milliseconds: int) -> str:
    """What all names of entries from that time on are greater than, and all before less."""
    return f"{milliseconds:013d}" if milliseconds < NO_END else AFTER_ALL
