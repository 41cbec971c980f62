"""Cutting a page out of an original, so that pages of any size, joined by following `next`, are exactly the original.

A line ends at `\\n` alone, and a last one without it counts. A page never ends inside a code point and never takes
more than `budget` bytes as JSON, escapes counted. All of it is linear in what is in hand at worst: the whole original,
or a window of it that holds at least what `reach` says.
"""

import binascii

import msgspec

from coatcheck_core.lines import count_lines
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import TO_THE_END, Next, Unit

GIANT_LINE_CHARS = 20_000
"""A line of more chars is given by itself, in part, where lines are asked for by number: it floods no one."""

_BLOCK = 1 << 16
_JSON_BLOCK = 1 << 12
_MOST_JSON_BYTES = 6
"""What a char takes at most: `\\u001f`."""
_NUMBER_WIDTH = 6
_LEAST_NUMBERED_BYTES = _NUMBER_WIDTH + 2
"""What a number takes as JSON: its digits and an escaped tab."""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a text, `chars_before` and `newlines_before` it, and what the whole text has."""

    text: str
    chars_before: int = 0
    newlines_before: int = 0
    total_chars: int
    total_lines: int

    @property
    def chars_after(self) -> int:
        return self.total_chars - self.chars_before - len(self.text)


class BytesWindow(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of an original, `bytes_before` it, and how many the whole has."""

    data: bytes
    bytes_before: int = 0
    total_bytes: int


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """`offset` is absolute; `limit` is the one asked for, or what was returned where the page had to be cut short."""

    content: str
    offset: int
    limit: int
    has_more: bool
    next: Next | None


def page_chars(text: str | Window, offset: int, limit: int, budget: int) -> Page:
    """A page by code points. Raises RequestError `too_large` where the budget holds not even one."""
    window = _whole(text) if isinstance(text, str) else text
    start, stop = reach(window.total_chars, offset, limit, budget)
    wanted = window.text[start - window.chars_before : stop - window.chars_before] if start < stop else ""
    content = wanted[: fitting(wanted, budget)]
    end = _end(start, limit, window.total_chars)
    return _page("chars", content, start, start + len(content), end, limit, window.total_chars)


def page_bytes(data: bytes | BytesWindow, offset: int, limit: int, budget: int) -> Page:
    """A page by bytes, as base64. Raises RequestError `too_large` where the budget holds not even one."""
    window = BytesWindow(data=data, total_bytes=len(data)) if isinstance(data, bytes) else data
    start, stop = reach(window.total_bytes, offset, limit, base64_room(budget))
    chunk = window.data[start - window.bytes_before : stop - window.bytes_before] if start < stop else b""
    content = binascii.b2a_base64(chunk, newline=False).decode()
    end = _end(start, limit, window.total_bytes)
    return _page("bytes", content, start, start + len(chunk), end, limit, window.total_bytes)


def page_lines(text: str | Window, offset: int, limit: int, budget: int, *, numbered: bool = False) -> Page:
    """A page of whole lines with their ends; `numbered` puts the line's number, from 1, and a tab before each.

    Where the first line alone is too long, the page is its first part and `next` goes on in chars; any other that is
    ends the page before it. Raises RequestError `too_large` where the budget holds not even one char. A window holds
    the newline before the first line, and after it as many chars as the budget has bytes, or all the lines that are
    asked for; `giant_line_chars` are enough where the first is longer.
    """
    window = _whole(text) if isinstance(text, str) else text
    text = window.text
    first = absolute(offset, window.total_lines)
    begin = line_start(text, first - window.newlines_before)
    end = _lines_end(window, begin, limit)
    shown = text[begin : _whole_lines_end(text, begin, end, giant_line_chars(limit, budget), budget)]
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
    if stop < len(text) + window.chars_after:
        inside = text[stop - 1] != "\n" if stop > begin else False
        chars = Next(unit="chars", offset=window.chars_before + stop)
        following = chars if inside else Next(unit="lines", offset=first + lines)
    return Page(
        content=shown,
        offset=first,
        limit=limit if stop >= end else lines,
        has_more=following is not None,
        next=following,
    )


def reach(total: int, offset: int, limit: int, most: int) -> tuple[int, int]:
    """From where to where a page may go that takes at most `most` chars or bytes."""
    start = absolute(offset, total)
    return start, min(_end(start, limit, total), start + max(most, 0))


def base64_room(budget: int) -> int:
    """How many bytes make at most `budget` as base64."""
    return max(budget, 0) // 4 * 3


def giant_line_chars(limit: int, budget: int) -> int:
    """How many chars a line may have at most to be given whole."""
    budget = max(budget, 0)
    return budget if limit == TO_THE_END else min(budget, GIANT_LINE_CHARS)


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
    if len(text) * _MOST_JSON_BYTES <= budget:
        return len(text)
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


def _whole(text: str) -> Window:
    return Window(text=text, total_chars=len(text), total_lines=count_lines(text))


def _lines_end(window: Window, begin: int, limit: int) -> int:
    """Where the lines end that are asked for; one past the window where that is somewhere beyond it."""
    end = len(window.text)
    if limit == TO_THE_END:
        return end + min(1, window.chars_after)
    stop = line_start(window.text, limit, begin)
    is_beyond = stop == end and window.chars_after and window.text.count("\n", begin) < limit
    return end + 1 if is_beyond else stop


def _whole_lines_end(text: str, begin: int, end: int, giant: int, budget: int) -> int:
    """Where the lines of at most `giant` chars end that begin at `begin`, go to `end` at most and have `budget` chars
    together; where the first of them has more, where that much of it ends."""
    bound = begin + max(budget, 0)
    stop = begin
    while stop < end:
        newline = text.find("\n", stop, min(stop + giant, end, bound))
        if newline < 0:
            if end <= min(stop + giant, bound):
                return end
            return stop if stop > begin else begin + giant
        stop = newline + 1
    return stop


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
