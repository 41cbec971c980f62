"""A page of a large original, out of the blocks that hold it."""

from functools import partial

from coatcheck_core.original import Index, Span, block_of_char, block_of_line, span_of, span_of_bytes, span_of_chars
from coatcheck_core.paging import (
    BytesWindow,
    Page,
    Window,
    absolute,
    base64_room,
    giant_line_chars,
    page_bytes,
    page_chars,
    page_lines,
    reach,
)
from coatcheck_schemas.requests import TO_THE_END, ReadRequest

from ..originals.sections import Section


async def section_page(section: Section, encoding: str, request: ReadRequest, limit: int, budget: int) -> Page:
    """A page by chars or lines of a text in this encoding. Raises RequestError, StoreError."""
    if request.unit == "lines":
        choose = partial(_blocks_of_lines, section, request.offset, limit, budget)
    else:
        choose = partial(_blocks_of_chars, section, request.offset, limit, budget)

    def cut(span: Span, data: bytes) -> Page:
        window = _window(section, span, data.decode(encoding))
        if request.unit == "lines":
            return page_lines(window, request.offset, limit, budget, numbered=request.numbered)
        return page_chars(window, request.offset, limit, budget)

    return await section.original.read(choose, cut)


async def section_bytes_page(section: Section, request: ReadRequest, limit: int, budget: int) -> Page:
    """A page by bytes, as they were put. Raises RequestError, StoreError."""
    start, stop = reach(section.size, request.offset, limit, base64_room(budget))
    base = section.start.bytes

    def cut(span: Span, data: bytes) -> Page:
        begin = max(0, base - span.start)
        window = BytesWindow(data=data[begin:], bytes_before=span.start + begin - base, total_bytes=section.size)
        return page_bytes(window, request.offset, limit, budget)

    return await section.original.read(lambda index: span_of_bytes(index, base + start, base + stop), cut)


def _blocks_of_chars(section: Section, offset: int, limit: int, budget: int, index: Index) -> Span:
    start, stop = reach(section.chars, offset, limit, budget)
    return span_of_chars(index, section.start.chars + start, section.start.chars + stop)


def _blocks_of_lines(section: Section, offset: int, limit: int, budget: int, index: Index) -> Span:
    """From the newline before the first line to as many chars as a page may have, or to the end of the last line."""
    line = absolute(offset, section.lines)
    if line >= section.lines:
        return span_of(index, index.facts.blocks, index.facts.blocks)
    if line == 0:
        first = block_of_char(index, section.start.chars)
    else:
        first = block_of_line(index, section.start.newlines + line)
    begins_by = span_of(index, first, first + 1).chars_stop
    giant = giant_line_chars(limit, budget)
    first_end = block_of_line(index, section.start.newlines + line + 1)
    is_giant = span_of(index, first_end, first_end + 1).chars_start > begins_by + giant
    most = giant if is_giant else max(budget, 0)
    last = block_of_char(index, min(begins_by + most, section.stop.chars) - 1)
    if limit != TO_THE_END:
        last = min(last, block_of_line(index, section.start.newlines + line + limit))
    return span_of(index, first, max(first, last) + 1)


def _window(section: Section, span: Span, text: str) -> Window:
    """What lies in the section of a span's text."""
    cut = max(0, section.start.chars - span.chars_start)
    start = span.chars_start + cut
    return Window(
        text=text[cut : max(0, section.stop.chars - span.chars_start)],
        chars_before=min(start - section.start.chars, section.chars),
        newlines_before=max(0, span.newlines_start - section.start.newlines),
        total_chars=section.chars,
        total_lines=section.lines,
    )
