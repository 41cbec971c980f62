"""What a terminal leaves to be seen of a text that was written for one."""

import re
from collections.abc import Iterator

from .blocks import boundary
from .effort import Step, unhurried

PIECE_BYTES = 64 * 1024
_CODE_BYTES = 4096
"""The longest escape code that is kept whole where a line is so long that it is cut."""
_LEADING_MARKS = re.compile(rb"(?:\xef\xbb\xbf|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0\xa6-\xa9])*+")
"""Byte order and direction marks, and blanks without width."""
_ESCAPE_CODES = re.compile(
    rb"\x1b\[[0-?]*+[ -/]*+[@-~]"  # colours, cursor moves
    rb"|\x1b[\]PX^_][^\n\x07\x1b]*+(?:\x07|\x1b\\)"  # window titles, links, device strings
    rb"|\x1b[ -/]++[0-~]|\x1b[0-Z\\`-~]"  # character sets and the short ones
)
"""Not the C1 controls of eight bits: a JSON string may hold those."""
_OVERSTRIKE = re.compile(rb"(?:[\xc2-\xf4][\x80-\xbf]{1,3}+|[^\n\x08\x80-\xff])\x08")
_LAST_CHARACTER = re.compile(rb"(?:[\xc2-\xf4][\x80-\xbf]{1,3}|[^\n\x80-\xff])\Z")
_OVERWRITTEN = re.compile(rb'^(?:[^\n\r"]*+\r++(?!\n|\Z))++', re.MULTILINE)
_OVERWRITTEN_ON = re.compile(rb'^(?:[^\n\r"]*+\r++(?!\n))++', re.MULTILINE)
"""Earlier states of a line. Not behind a quote: a quoted field of a table may hold a carriage return."""
_PROBED_BYTES = 16_000
_PROBED_STATES = 60
_VARYING = re.compile(rb"[^A-Za-z\x80-\xff]+")


def visible(data: bytes, step: Step = unhurried) -> bytes:
    """Without byte order mark, escape codes, and what was struck or written over; the very bytes where nothing is.

    Carriage returns alone end the lines of a text that has no newlines, as old Macs wrote them; elsewhere they lead
    back to the start of a line, as a progress bar does. Linear; an escape code is not seen through where it is cut
    within a line longer than 64 KB and is itself longer than 4 KB.
    """
    data = _without_marks(data)
    if b"\x1b" in data or b"\x08" in data:
        data = _without_marks(b"".join(map(_plain, _pieces(data, step))))
    if b"\r" not in data or _has_paired_returns(data, step):
        return data
    if b"\n" not in data[:_PROBED_BYTES] and not _is_progress(data):
        return b"".join(piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n") for piece in _pieces(data, step))
    if data.startswith((b"{", b"[", b"<", b'"')) and not _is_progress(data):
        return data  # a document, in which a carriage return is white space
    return b"".join(_last_states(data, step))


def _last_states(data: bytes, step: Step) -> Iterator[bytes]:
    """Of each line what was written last; a piece that a carriage return ends goes on in the next."""
    left = len(data)
    for piece in _pieces(data, step):
        left -= len(piece)
        yield (_OVERWRITTEN_ON if left and piece.endswith(b"\r") else _OVERWRITTEN).sub(b"", piece)


def hidden_before(original: bytes, at: int) -> int:
    """How many bytes of escape codes and leading marks stand before what is byte `at` of the text as it is seen.

    Of a text in which nothing was struck or written over.
    """
    hidden = leading_marks(original)
    for code in _ESCAPE_CODES.finditer(original, hidden):
        if code.start() > at + hidden:
            break
        hidden += len(code[0])
    return hidden


def leading_marks(data: bytes) -> int:
    """How many bytes of marks that show nothing `data` begins with."""
    marks = _LEADING_MARKS.match(data)
    return marks.end() if marks is not None else 0


def _without_marks(data: bytes) -> bytes:
    marks = leading_marks(data)
    return data[marks:] if marks else data


def _pieces(data: bytes, step: Step) -> Iterator[bytes]:
    """Whole lines; of a longer line what ends behind a carriage return, before an escape code, or at a code point."""
    at = 0
    while at < len(data):
        step()
        end = _piece_end(data, at)
        yield data[at:end]
        at = end


def _piece_end(data: bytes, at: int) -> int:
    end = at + PIECE_BYTES
    if end >= len(data):
        return len(data)
    for mark in (b"\n", b"\r"):
        if (found := data.rfind(mark, at, end - 1)) >= 0:
            return found + 1
    code = data.rfind(b"\x1b", max(end - _CODE_BYTES, at + 1), end - 1)
    if code >= 0:
        return code + 2 if data[code + 1] == ord("\\") else code
    least = max(end - _CODE_BYTES, at + 1)
    while end > least and data[end] == 0x08:  # what strikes a character belongs to it
        end -= 1
    return boundary(data, end)


def _plain(piece: bytes) -> bytes:
    piece = _ESCAPE_CODES.sub(b"", piece)
    if b"\x08" not in piece:
        return piece
    piece = _OVERSTRIKE.sub(b"", piece)
    return _struck(piece) if b"\x08" in piece else piece


def _struck(piece: bytes) -> bytes:
    """Each backspace takes the character before it along; at the start of a line there is none."""
    first, *others = piece.split(b"\x08")
    left = bytearray(first)
    for other in others:
        if left and left[-1] != 0x0A:
            last = _LAST_CHARACTER.search(left, max(len(left) - 4, 0))
            del left[last.start() if last else -1 :]
        left += other
    return bytes(left)


def _has_paired_returns(data: bytes, step: Step) -> bool:
    """Whether each carriage return is that of a line end, as Windows writes them."""
    return all(piece.count(b"\r") == piece.count(b"\r\n") for piece in _pieces(data, step))


def _is_progress(data: bytes) -> bool:
    """Whether what the first carriage returns end are states of the same line, which differ in figures and bars."""
    states = data[:_PROBED_BYTES].split(b"\r")[:_PROBED_STATES]
    told = [_VARYING.sub(b"", state) for state in states if state.strip()]
    if len(told) < 3:
        return any(b"%" in state for state in states)
    return len(set(told)) <= len(told) / 2
