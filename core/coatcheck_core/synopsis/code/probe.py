"""The part of a text by which its language is told: its beginning after any licence, and a piece of the middle."""

import re
from collections import Counter
from functools import cache

from coatcheck_core.once import once
from coatcheck_core.synopsis.seen import Seen

from .language import Comments

HEAD_BYTES = 8_000
MIDDLE_BYTES = 4_000
_LICENCE_BYTES = 64_000
_LONG_LINE = 400
"""Cut for matching; and where the middle line is longer, the code was packed into few lines."""
_PACKED_BYTES = 600
_FIRST_BYTES = 1000
BEGINNING_BYTES = 600

_LEADING = re.compile(
    rb"\A(?:[ \t\r\n]++|/\*(?:[^*]++|\*(?!/))*+\*/|//[^\n]*+\n|#(?!!|[ \t]*(?:include|define|if|pragma"
    rb"|ifndef|import|undef|error)\b|\[|!)"
    rb"[^\n]*+\n|--[^\n]*+\n|<!--(?:[^-]++|-(?!->))*+-->|;[^\n]*+\n|%%?[^\n]*+\n|\{-(?!#)(?:[^-]++"
    rb"|-(?!\}))*+-\}|@?[Rr][Ee][Mm]\b[^\n]*+\n)++"
)
_WORD = re.compile(rb"^[ \t]*+([@#<%.$\\:(\[|*&/{-]{0,2}+[A-Za-z_][\w-]*+|[.#\[{$|&:*+-])", re.MULTILINE)

_C_LINES = rb"^[ \t]*\*(?:[ \t/][^\n]*|\r?$)|(?:^|(?<=[ \t;{}),]))//[^\n]*+"
_LINE_COMMENTS: dict[Comments, bytes] = {
    "c": _C_LINES,
    "php": _C_LINES + rb"|^[ \t]*#(?!\[)[^\n]*+",
    "hash": rb"^[ \t]*#(?!\[)[^\n]*+",
    "python": rb"^[ \t]*#[^\n]*+",
    "perl": rb"^=[a-z]\w*+[^\n]*+(?:\n(?!=cut\b)[^\n]*+)*+(?:\n=cut[^\n]*+)?|^[ \t]*#[^\n]*+",
    "dash": rb"^[ \t]*--[^\n]*+",
    "haskell": rb"^[ \t]*--[^\n]*+",
    "semicolon": rb"^[ \t]*;[^\n]*+",
    "percent": rb"^[ \t]*%[^\n]*+",
    "quote": rb"^[ \t]*\"[^\n]*+|^[ \t]*#(?!\w)[^\n]*+",
    "rem": rb"^[ \t]*(?:@?[Rr][Ee][Mm]\b|::)[^\n]*+",
}
_BLOCK_COMMENTS: dict[Comments, tuple[tuple[bytes, bytes], ...]] = {
    "c": ((b"/*", b"*/"),),
    "php": ((b"/*", b"*/"),),
    "hash": ((b"<#", b"#>"), (b"#[=", b"]=")),
    "python": ((b'"""', b'"""'), (b"'''", b"'''")),
    "dash": ((b"/*", b"*/"), (b"--[[", b"]]")),
    "haskell": ((b"{- ", b"-}"), (b"{-\n", b"-}")),
    "html": ((b"<!--", b"-->"),),
    "semicolon": ((b'"', b'"'),),
}
_BEFORE_BLOCK = b" \t\n;{}(),rRfFuUbB"
_FILLED = re.compile(rb"^[^\n]*?[A-Za-z]{2}", re.MULTILINE)


class Probe:
    """`text` is what is looked at, lines cut to what a pattern needs; `firsts` how it begins, and what follows the
    comments there."""

    def __init__(self, seen: Seen, head_bytes: int = HEAD_BYTES, middle_bytes: int = MIDDLE_BYTES) -> None:
        data = seen.data
        head = data[seen.start : seen.start + _LICENCE_BYTES]
        if b"\n" not in head:
            head = head.replace(b"\r", b"\n")
        licence = _LEADING.match(head)
        begins = 0 if licence is None else licence.end()
        self.firsts = (head[:_FIRST_BYTES], head[begins : begins + _FIRST_BYTES])
        start = begins if begins > head_bytes // 4 else 0
        piece = head[start : start + head_bytes]
        middle = len(data) // 2
        if middle > seen.start + start + head_bytes:
            piece = _whole_lines(piece) + b"\n" + _whole_lines(data[middle : middle + middle_bytes], begins_inside=True)
        self.is_whole = seen.start + start + head_bytes >= len(data)
        self.text = _unpacked(piece)
        self._stripped: dict[Comments, bytes] = {}

    @once
    def words(self) -> Counter[bytes]:
        """What its lines begin with; those at the beginning count three times, since data may follow."""
        return Counter(_WORD.findall(self.text)) + Counter(_WORD.findall(self.text[:BEGINNING_BYTES]) * 2)

    def stripped(self, comments: Comments) -> bytes:
        """The text without the comments of that family."""
        if comments not in self._stripped:
            text = self.text
            for opening, closing in _BLOCK_COMMENTS.get(comments, ()):
                text = _without_blocks(text, opening, closing)
            if comments in _LINE_COMMENTS:
                text = _line_comment(comments).sub(b"", text)
            self._stripped[comments] = text
        return self._stripped[comments]

    def filled(self, comments: Comments) -> int:
        """How many lines have a word outside comments: numbers are data, in any language."""
        return len(_FILLED.findall(self.stripped(comments)))


@cache
def _line_comment(comments: Comments) -> re.Pattern[bytes]:
    return re.compile(_LINE_COMMENTS[comments], re.MULTILINE)


def _without_blocks(text: bytes, opening: bytes, closing: bytes) -> bytes:
    """A block opens at a line's start or after a blank, as in no path or pattern; one that never ends is left."""
    kept: list[bytes] = []
    done = at = 0
    while (start := text.find(opening, at)) >= 0:
        at = start + len(opening)
        if start and text[start - 1] not in _BEFORE_BLOCK:
            continue
        end = text.find(closing, at)
        if end < 0:
            break
        kept.append(text[done:start])
        done = at = end + len(closing)
    return b"".join([*kept, text[done:]]) if kept else text


def _whole_lines(piece: bytes, *, begins_inside: bool = False) -> bytes:
    """Without the line that was cut at the end, and at the beginning; the piece where it is a single line."""
    end = piece.rfind(b"\n") + 1 or len(piece)
    start = piece.find(b"\n") + 1 if begins_inside else 0
    return piece[start:end] if start < end else piece


def _unpacked(piece: bytes) -> bytes:
    """Code that was packed into long lines is broken where a statement ends; other long lines are cut."""
    lines = piece.split(b"\n")
    if len(piece) > _PACKED_BYTES * len(lines):
        return re.sub(rb"([;{}])(?![\n)\"'])", rb"\1\n", piece)
    return b"\n".join(line[:_LONG_LINE] for line in lines)
