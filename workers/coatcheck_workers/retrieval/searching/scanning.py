"""Looking for a text: in an original that is in memory, or in a large one as it passes."""

from collections.abc import Iterator
from contextlib import aclosing
from functools import partial

import msgspec

from coatcheck_core.encodings import UTF_8
from coatcheck_core.encodings.names import sort_of
from coatcheck_core.lines import Place
from coatcheck_core.searching import SHOWN_CHARS, Finder, Found, narrow
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import Match

from ..originals.loading import Original
from ..originals.sections import Section
from ..working import PIECE_BYTES
from .seeking import Seeking
from .taking import Taker


class Scanned(msgspec.Struct, frozen=True):
    """`stop` is the char from which to search on, None where all was searched.

    `counted` is how many matches there are from where the scan began, up to the end, or None where not all was counted;
    those before `stop` are the ones that the reply has taken.
    """

    stop: int | None
    counted: int | None


async def scan_small(
    taker: Taker, original: Original, seeking: Seeking, start: int, *, counting: bool = True
) -> Scanned:
    """An original in memory. Raises RequestError: `invalid_argument` for what is no text."""
    size = len(original.data)
    scan = await seeking.pace.run(size, partial(_begun, taker, original, seeking, start, counting=counting))
    await _to_its_end(scan, seeking, size)
    return scan.scanned()


def _begun(taker: Taker, original: Original, seeking: Seeking, start: int, *, counting: bool) -> "_Scan":
    """A scan that has had its first step."""
    seeking.pace.begin_step()
    if original.encoding is None or not _is_text(original.data, original.encoding):
        raise not_text(original.ref)
    scan = _Scan(taker, original.ref, original.encoding, seeking, start, counting=counting)
    scan.feed(Place(), original.data, True)
    return scan


async def _to_its_end(scan: "_Scan", seeking: Seeking, size: int) -> None:
    """Of what it has been fed, or until it has enough; in steps, between which others have the thread."""
    while scan.is_paused and not scan.has_enough:
        await seeking.pace.run(size, scan.go_on)


async def scan_section(taker: Taker, section: Section, seeking: Seeking, start: int, *, counting: bool) -> Scanned:
    """A large original, in memory of some MiB, until the time is over but one look on at least.

    `counting`: how many matches there are is counted to the end, even where the reply is full. Raises RequestError:
    `invalid_argument` for what is no text; StoreError.
    """
    if section.encoding is None:
        raise not_text(section.ref)
    scan = _Scan(taker, section.ref, section.encoding, seeking, start, counting=counting)
    if section.size == 0:
        scan.feed(Place(), b"", True)
    passing = section.passing(max(0, start - seeking.least_before), scan.feed, seeking.pace)
    async with aclosing(passing) as pieces:
        async for _ in pieces:
            await _to_its_end(scan, seeking, PIECE_BYTES)
            if scan.has_enough:
                break
    return scan.scanned()


class _Scan:
    """What is found in one text while its bytes pass, from the char `start` on.

    `is_paused`: not all that it was fed has been looked at, since its thread was wanted.
    """

    def __init__(
        self,
        taker: Taker,
        ref: Ref,
        encoding: str,
        seeking: Seeking,
        start: int,
        *,
        counting: bool,
    ) -> None:
        self._taker = taker
        self._ref = str(ref)
        self._seeking = seeking
        self._start = start
        self._is_counting = counting
        self._finder = seeking.finder(start, encoding, self)
        self._stop: int | None = None
        self._counted = 0
        self._is_through = False
        self.is_paused = False

    @property
    def has_enough(self) -> bool:
        """Whether no more is to be looked at."""
        if self._is_through or (self._stop is not None and not self._is_counting):
            return True
        return self._seeking.pace.is_given_up or (self._seeking.pace.is_over() and self._has_come_on)

    @property
    def _has_come_on(self) -> bool:
        """Whether it has come anywhere, or the next search would begin where this one did; or never will in time."""
        return self._stop is not None or self._finder.safe > self._start or self._finder.is_within_line

    def feed(self, place: Place | None, data: bytes | memoryview, is_last: bool) -> None:
        """Whole chars, which begin at the place; it is counted where it is not known."""
        if self.has_enough:
            return
        self._finder.feed(data, place, is_last=is_last)
        self._look()

    def go_on(self) -> None:
        """With what it has been fed, for another step."""
        self._seeking.pace.begin_step()
        self._look()

    def _look(self) -> None:
        self.is_paused = False
        if self._stop is None:
            self._stop = self._take(self._finder.found())
        if self._stop is not None and self._is_counting and not self.is_paused:
            self._seeking.count_on()
            self._counted += self._finder.count()

    def scanned(self) -> Scanned:
        if self._is_through:
            return Scanned(None, None)
        if self._finder.is_done and (self._stop is None or self._is_counting):
            return Scanned(self._stop, self._counted)
        return Scanned(self._finder.safe if self._stop is None else self._stop, None)

    def now(self) -> float:
        return self._seeking.pace.now()

    def is_over(self) -> bool:
        self.is_paused = self.is_paused or self._seeking.pace.is_step_over()
        return self.is_paused

    def _take(self, matches: Iterator[Found]) -> int | None:
        """Take matches until the reply is full; the offset of the first that has no room, or None where all have."""
        for found in matches:
            match = Match(ref=self._ref, **msgspec.structs.asdict(found))
            if not self._taker.take(match):
                if self._taker.count:
                    return found.offset
                if not self._taker.take(_narrowed(match, self._taker.room, self._seeking.context_chars)):
                    raise RequestError(Code.TOO_LARGE, "one message has no room for a single match of this query")
            self._counted += 1
            if (count_more := self._taker.count_more) is not None and isinstance(self._finder, Finder):
                lines, last = self._finder.count_lines()
                if last is not None:
                    count_more(lines, last)
            if not self._taker.wants_more_of_this:
                self._is_through = True
                break
        return None


def no_end_in_time(ref: Ref, char: int, seconds: float) -> RequestError:
    """For a line of `invert` that a whole search does not come to the end of: asking again is no use."""
    return RequestError(
        Code.TOO_LARGE,
        f"{ref} has a line, from its char {char} on, whose end a search for this query does not reach within"
        f" {seconds:g} s (requests.search_seconds): search without invert, or for what is found more quickly; and other"
        " results each by its ref",
        ref=str(ref),
        offset=char,
        limit="requests.search_seconds",
        value=seconds,
    )


def not_text(ref: Ref) -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, f"{ref} is not text, so it cannot be searched")


def _is_text(data: bytes, encoding: str) -> bool:
    if encoding == UTF_8 and data.isascii():
        return True
    try:
        sort_of(encoding)
        data.decode(encoding)
    except ValueError:
        return False
    return True


def _narrowed(match: Match, room: int, context_chars: int) -> Match:
    """The match with as much context, and at last of itself, halved and halved again, as the message has room for."""
    shown = min(match.length, SHOWN_CHARS)
    while context_chars + shown > 1 and len(msgspec.json.encode(match)) >= room:
        if context_chars:
            context_chars //= 2
        else:
            shown //= 2
        snippet, off = narrow(match.snippet, match.offset - match.snippet_offset, shown, context_chars)
        match = msgspec.structs.replace(match, snippet=snippet, snippet_offset=match.snippet_offset + off)
    return match
