"""Looking for a text: in one that is in memory, or in a large original as it passes."""

from collections.abc import Callable, Iterator
from contextlib import aclosing
from functools import partial

import msgspec

from coatcheck_core.lines import Place
from coatcheck_core.searching import Counter, Finder, Found, Literal, Matcher, find, narrow
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import Match, SearchRequest

from .filling import Filling
from .sections import Section
from .stored import off_loop

Clock = Callable[[], float]


class Scanned(msgspec.Struct, frozen=True):
    """`stop` is the char from which to search on, None where all was searched; `total` where all was counted."""

    stop: int | None
    total: int | None


def matcher_of(request: SearchRequest) -> Matcher:
    """What the request searches for; one made for each scan, for it may keep what it has found."""
    return Literal(request.query)


def scan_text(filling: Filling[Match], ref: Ref, text: str, request: SearchRequest, start: int) -> int | None:
    """Take matches until the reply is full; the offset of the first that had no room, or None where all had.

    Raises RequestError `too_large` where there is no room for a single one.
    """
    return _take(filling, ref, find(text, request.query, context_chars=request.context_chars, start=start), request)


async def scan_section(scan: "SectionScan", section: Section, *, deadline: float, clock: Clock) -> Scanned:
    """A large original, in memory of some MiB, until `deadline` at most but some way on at least.

    Raises RequestError, StoreError.
    """
    place, pieces = await section.passing(scan.begins_at)
    scan.begin(place)
    async with aclosing(pieces):
        async for data in pieces:
            # Not after a piece, for it may be the last; then the search would go on at the end for ever.
            if scan.has_moved and clock() >= deadline:
                return scan.so_far()
            await off_loop(len(data), partial(scan.feed, data))
            if scan.is_done:
                return scan.so_far()
    return scan.finish()


class SectionScan:
    """What is found in a section while its bytes pass, from the char `start` on.

    `counting`: how many matches there are is counted from the beginning to the end, even where the reply is full.
    Raises RequestError `invalid_argument` for what is no text.
    """

    def __init__(
        self, filling: Filling[Match], section: Section, request: SearchRequest, start: int, *, counting: bool
    ) -> None:
        if section.encoding is None:
            raise not_text(section.ref)
        self._filling = filling
        self._ref = section.ref
        self._encoding = section.encoding
        self._request = request
        self._start = start
        self._counter = Counter(matcher_of(request)) if counting and start == 0 else None
        self._stop: int | None = None

    @property
    def begins_at(self) -> int:
        """The first char that is needed."""
        return max(0, self._start - self._request.context_chars)

    @property
    def is_done(self) -> bool:
        """Whether nothing more is wanted."""
        return self._stop is not None and self._counter is None

    @property
    def has_moved(self) -> bool:
        """Whether to go on from here is less than to begin again."""
        return self._stop is not None or self._finder.safe > self._start

    def begin(self, place: Place) -> None:
        """The bytes that are fed begin here."""
        self._finder = Finder(
            matcher_of(self._request),
            context_chars=self._request.context_chars,
            start=self._start,
            place=place,
            encoding=self._encoding,
        )

    def feed(self, data: bytes) -> None:
        """Whole chars."""
        text = data.decode(self._encoding)
        if self._counter is not None:
            self._counter.feed(text)
        self._find(text, is_last=False)

    def so_far(self) -> Scanned:
        return Scanned(self._finder.safe if self._stop is None else self._stop, None)

    def finish(self) -> Scanned:
        """All has been fed."""
        self._find("", is_last=True)
        return Scanned(self._stop, None if self._counter is None else self._counter.total)

    def _find(self, text: str, *, is_last: bool) -> None:
        if self._stop is None:
            self._stop = _take(self._filling, self._ref, self._finder.feed(text, is_last=is_last), self._request)


def not_text(ref: Ref) -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, f"{ref} is not text, so it cannot be searched")


def _take(filling: Filling[Match], ref: Ref, matches: Iterator[Found], request: SearchRequest) -> int | None:
    for found in matches:
        match = Match(ref=str(ref), **msgspec.structs.asdict(found))
        if filling.take(match):
            continue
        if filling.items:
            return found.offset
        if not filling.take(_narrowed(match, filling.room, request.context_chars)):
            raise RequestError(Code.TOO_LARGE, "one message has no room for a single match of this query")
    return None


def _narrowed(match: Match, room: int, context_chars: int) -> Match:
    """The match with as much context, halved and halved again, as the message has room for."""
    while context_chars and len(msgspec.json.encode(match)) >= room:
        context_chars //= 2
        snippet, off = narrow(match.snippet, match.offset - match.snippet_offset, match.length, context_chars)
        match = msgspec.structs.replace(match, snippet=snippet, snippet_offset=match.snippet_offset + off)
    return match
