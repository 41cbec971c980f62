"""Cutting a page out of an original, so that pages of any size, joined by following `next`, are exactly the original.

A line ends at `\\n` alone, and a last one without it counts. A page never ends inside a code point and never takes
more than `budget` bytes as JSON, escapes counted. All of it is linear in the original at worst.
"""

import binascii

import msgspec

from coatcheck_core.lines import count_lines
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import TO_THE_END, Next, Unit

MIN_LINES_CHARS = 20_000
CHARS_PER_LINE = 100
"""A page holds at most this many chars for each line of its limit, or `MIN_LINES_CHARS`: giant lines flood no one."""

_BLOCK = 1 << 16
_JSON_BLOCK = 1 << 12
_NUMBER_WIDTH = 6
_LEAST_NUMBERED_BYTES = _NUMBER_WIDTH + 2
"""What a number takes as JSON: its digits and an escaped tab."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """`offset` is absolute; `limit` is the one asked for, or what was returned where the page had to be cut short."""

    content: str
    offset: int
    limit: int
    has_more: bool
    next: Next | None


def page_chars(text: str, offset: int, limit: int, budget: int) -> Page:
    """A page by code points. Raises RequestError `too_large` where the budget holds not even one."""
    start = absolute(offset, len(text))
    end = _end(start, limit, len(text))
    wanted = text[start : min(end, start + max(budget, 0))]
    content = wanted[: fitting(wanted, budget)]
    return _page("chars", content, start, start + len(content), end, limit, len(text))


def page_bytes(data: bytes, offset: int, limit: int, budget: int) -> Page:
    """A page by bytes, as base64. Raises RequestError `too_large` where the budget holds not even one."""
    start = absolute(offset, len(data))
    end = _end(start, limit, len(data))
    chunk = data[start : min(end, start + max(budget, 0) // 4 * 3)]
    content = binascii.b2a_base64(chunk, newline=False).decode()
    return _page("bytes", content, start, start + len(chunk), end, limit, len(data))


def page_lines(text: str, offset: int, limit: int, budget: int, *, numbered: bool = False) -> Page:
    """A page of whole lines with their ends; `numbered` puts the line's number, from 1, and a tab before each.

    Where the first line alone is too long, the page is its first part and `next` goes on in chars. Raises RequestError
    `too_large` where the budget holds not even one char.
    """
    first = absolute(offset, count_lines(text))
    begin = line_start(text, first)
    end = len(text) if limit == TO_THE_END else line_start(text, limit, begin)
    shown = _whole_lines(text, begin, end, _lines_cap(limit, budget))
    if numbered:
        shown = _number(shown[: line_start(shown, max(budget, 0) // _LEAST_NUMBERED_BYTES + 1)], first + 1)
    fits = fitting(shown, budget)
    if fits < len(shown):
        shown = shown[: shown.rfind("\n", 0, fits) + 1] or shown[:fits]
    lines = count_lines(shown)
    stop = begin + len(shown) - (_numbers_chars(first + 1, lines) if numbered else 0)
    if stop <= begin < end:
        raise _no_room(budget)
    following = None
    if stop < len(text):
        inside = text[stop - 1] != "\n" if stop > begin else False
        following = Next(unit="chars", offset=stop) if inside else Next(unit="lines", offset=first + lines)
    return Page(
        content=shown,
        offset=first,
        limit=limit if stop >= end else lines,
        has_more=following is not None,
        next=following,
    )


def absolute(offset: int, total: int) -> int:
    """An offset from the beginning; a negative one counts from the end, and one before the beginning is 0."""
    return offset if offset >= 0 else max(0, total + offset)


def line_start(text: str, lines: int, start: int = 0) -> int:
    """Where the line begins that comes `lines` after the one at `start`; the text's length where there is none."""
    position = start
    while lines > 0 and position < len(text):
        block = min(position + _BLOCK, len(text))
        inside = text.count("\n", position, block)
        if inside < lines:
            lines -= inside
            position = block
            continue
        for _ in range(lines):
            position = text.index("\n", position) + 1
        return position
    return position


def fitting(text: str, budget: int) -> int:
    """How many of the first chars take at most `budget` bytes inside a JSON string."""
    left = budget
    for start in range(0, len(text), _JSON_BLOCK):
        block = text[start : start + _JSON_BLOCK]
        size = json_size(block)
        if size > left:
            return start + _fitting_in_block(block, left)
        left -= size
    return len(text)


def json_size(text: str) -> int:
    """The bytes of a text inside a JSON string, its quotes not counted."""
    return len(msgspec.json.encode(text)) - 2


def _fitting_in_block(block: str, budget: int) -> int:
    low, high = 0, len(block)
    while low < high:
        middle = (low + high + 1) // 2
        if json_size(block[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    return low


def _end(start: int, limit: int, total: int) -> int:
    return total if limit == TO_THE_END else min(start + limit, total)


def _page(unit: Unit, content: str, start: int, stop: int, end: int, limit: int, total: int) -> Page:
    if stop == start < end:
        raise _no_room(end - start)
    has_more = stop < total and start < total
    return Page(
        content=content,
        offset=start,
        limit=limit if stop >= end else stop - start,
        has_more=has_more,
        next=Next(unit=unit, offset=stop) if has_more else None,
    )


def _lines_cap(limit: int, budget: int) -> int:
    budget = max(budget, 0)
    return budget if limit == TO_THE_END else min(budget, max(MIN_LINES_CHARS, CHARS_PER_LINE * limit))


def _whole_lines(text: str, begin: int, end: int, cap: int) -> str:
    """The lines from `begin` to `end` that fit in `cap` chars; the first part of the first where it alone does not."""
    if end - begin <= cap:
        return text[begin:end]
    stop = text.rfind("\n", begin, begin + cap) + 1
    return text[begin : stop if stop > begin else begin + cap]


def _number(lines: str, first: int) -> str:
    pieces = lines.split("\n")
    last = pieces.pop()
    numbered = [f"{number:>{_NUMBER_WIDTH}}\t{line}\n" for number, line in enumerate(pieces, first)]
    if last:
        numbered.append(f"{first + len(pieces):>{_NUMBER_WIDTH}}\t{last}")
    return "".join(numbered)


def _numbers_chars(first: int, lines: int) -> int:
    return sum(max(len(str(number)), _NUMBER_WIDTH) + 1 for number in range(first, first + lines))


def _no_room(size: int) -> RequestError:
    return RequestError(Code.TOO_LARGE, "one message has no room for any of it beside the other fields", wanted=size)
