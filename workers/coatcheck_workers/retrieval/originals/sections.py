"""A stretch of a large original that is read as if it were a text of its own: all of it, or the text of one part."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TypeVar

import msgspec

from coatcheck_core.lines import Place
from coatcheck_core.original import Index, Span, block_of_char, span_of
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref

from ..pace import Pace
from ..working import Working
from .indexed import Indexed

STEP_BYTES = 4 * 1024 * 1024
"""Raw bytes that a thread works on in one go, some milliseconds."""

_T = TypeVar("_T")


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """From `start` to `stop`, places in the original; `lines` as a text of its own has them.

    `encoding` is None where it is no text: then chars and lines mean nothing.
    """

    ref: Ref
    original: Indexed
    encoding: str | None
    start: Place
    stop: Place
    lines: int

    @property
    def metadata(self) -> Metadata:
        return self.original.metadata

    @property
    def chars(self) -> int:
        return self.stop.chars - self.start.chars

    @property
    def size(self) -> int:
        """In bytes."""
        return self.stop.bytes - self.start.bytes

    async def passing(
        self, char: int, work: Callable[[Place | None, bytes | memoryview, bool], _T], pace: Pace
    ) -> AsyncGenerator[_T, None]:
        """What `work` makes, in a thread, of each piece of the bytes from the char on, or from shortly before it.

        A piece is whole chars; with it comes where it begins in the section, None where that must be counted, and
        whether it is the last. Of an empty section there is none.
        """
        index = await self.original.index()
        block = block_of_char(index, self.start.chars + char)
        at = max(self.start.bytes, span_of(index, block, block + 1).start if index.facts.blocks else 0)

        def placed(span: Span, data: bytes | memoryview) -> _T:
            nonlocal at
            # Blocks may have become others on the way, so that a piece begins within one.
            place = self._place_of(span) if at == max(self.start.bytes, span.start) else None
            at += len(data)
            return work(place, data, at == self.stop.bytes)

        working = Working(at, self.stop.bytes, placed, pace)
        async with aclosing(self.original.passing(working, STEP_BYTES)) as pieces:
            async for made in pieces:
                yield made

    def _place_of(self, span: Span) -> Place:
        """Where the part of these blocks begins that is in the section."""
        return Place(
            chars=max(0, span.chars_start - self.start.chars),
            newlines=max(0, span.newlines_start - self.start.newlines),
            bytes=max(0, span.start - self.start.bytes),
        )


async def whole_section(ref: Ref, original: Indexed) -> Section:
    """Raises RequestError `internal`, StoreError."""
    facts = (await original.index()).facts
    stop = Place(chars=facts.chars or 0, newlines=facts.lines or 0, bytes=facts.bytes)
    return Section(
        ref=ref, original=original, encoding=facts.encoding, start=Place(), stop=stop, lines=facts.lines or 0
    )


async def part_section(ref: Ref, original: Indexed, start: int, stop: int) -> Section | None:
    """The chars `start` to `stop`; None where the original has none there.

    Raises RequestError `internal`, StoreError.
    """
    facts = (await original.index()).facts
    if facts.encoding is None or facts.chars is None or not 0 <= start <= stop <= facts.chars:
        return None
    begin, _ = await _place_of(original, facts.encoding, start)
    end, is_line_end = await _place_of(original, facts.encoding, stop)
    lines = end.newlines - begin.newlines + (stop > start and not is_line_end)
    return Section(ref=ref, original=original, encoding=facts.encoding, start=begin, stop=end, lines=lines)


async def _place_of(original: Indexed, encoding: str, char: int) -> tuple[Place, bool]:
    """Where a char lies, and whether a newline comes right before it."""
    if char == 0:
        return Place(), True

    def before(index: Index) -> Span:
        block = block_of_char(index, char - 1)
        return span_of(index, block, block + 1)

    def place(span: Span, data: bytes) -> tuple[Place, bool]:
        text = data.decode(encoding)[: char - span.chars_start]
        found = Place(
            chars=char,
            newlines=span.newlines_start + text.count("\n"),
            bytes=span.start + len(text.encode(encoding)),
        )
        return found, text.endswith("\n")

    return await original.read(before, place)
