"""A stretch of a large original that is read as if it were a text of its own: all of it, or the text of one part."""

from collections.abc import AsyncGenerator

import msgspec

from coatcheck_core.lines import Place
from coatcheck_core.original import Index, Span, block_of_char, span_of
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref

from .indexed import Indexed


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

    async def passing(self, char: int) -> tuple[Place, AsyncGenerator[bytes, None]]:
        """The bytes from a place on that lies before the char, or at it, and near; the place is one of the section."""
        index = await self.original.index()
        block = block_of_char(index, self.start.chars + char)
        span = span_of(index, block, block + 1) if index.facts.blocks else span_of(index, 0, 0)
        if span.chars_start <= self.start.chars:
            return Place(), self.original.raw(self.start.bytes, self.stop.bytes)
        place = Place(
            chars=span.chars_start - self.start.chars,
            newlines=span.newlines_start - self.start.newlines,
            bytes=span.start - self.start.bytes,
        )
        return place, self.original.raw(span.start, self.stop.bytes)


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

    span, data = await original.read(before)
    text = data.decode(encoding)[: char - span.chars_start]
    place = Place(
        chars=char,
        newlines=span.newlines_start + text.count("\n"),
        bytes=span.start + len(text.encode(encoding)),
    )
    return place, text.endswith("\n")
