"""Section headers of a text in any script, found by one compiled search and judged one by one.

A header is a line of its own that a mark, a number, an underline, or capitals set apart: Markdown, reStructuredText,
manual pages, and numbered chapters in the scripts of most languages. What may be one begins with a mark (`##`, `第`),
has a rule below it, or follows a blank line; only those lines are ever decoded.
"""

import re

import msgspec

from coatcheck_core.synopsis.blocks import Window, own
from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen

from .titles import is_chapter, is_title, underlined

MAX_HEADERS = 18

_MARKED = re.compile(
    rb"""
    \n(?=[\#=\-~^*"`\xe4-\xe9\xec\xef])(?:
      (?P<hash>\#{1,6}[ \t]+[^\s#][^\n]{0,400}+)
    | (?P<rule>(?:={3,}+|-{3,}+|~{4,}+|\^{3,}+|\*{3,}+|"{3,}+)[ \t\r]*+(?=\n|\Z))
    | (?P<fence>(?:```|~~~)[^\n]{0,40}+)
    | (?P<wide>  # the Chinese and the Korean ordinal, one or two ideographs with a comma, a wide bracket
        (?:\xe7\xac\xac|\xec\xa0\x9c|[\xe4-\xe9][\x80-\xbf]{2}(?:[\xe4-\xe9][\x80-\xbf]{2})?\xe3\x80\x81|\xef\xbc\x88)
        [^\n]{1,200}+(?=\n|\Z))
    )
    """,
    re.VERBOSE,
)
"""Lines that say themselves what they are; a rule, that the line above it is a title."""
_AFTER_BLANK = re.compile(
    rb"""
    \n[ \t\r]*+\n(?=[A-Z0-9=\-*\#\[\xc3-\xf4])(?P<after>
        [A-Z0-9][^\na-z]{3,100}+(?=\n|\Z)
      | (?:\d{1,3}(?:\.\d{1,3}){0,5}[.)]?|[IVXLC]{1,6}\.)[ \t]+[^\n]{1,120}+(?=\n|\Z)
      | [A-Z][a-z\x80-\xff]{2,20}[ ](?:\d{1,3}|[IVXLCA-Z]{1,6})\b[^\n]{0,90}+(?=\n|\Z)
      | (?:={2,}|-{2,}|\*{2,}|\#{3,}|\[)[ \t]*[\w\x80-\xff][^\n]{1,100}+(?=\n|\Z)
      | [\xc3-\xf4][^\n]{3,200}+(?=\n|\Z)
    )
    """,
    re.VERBOSE,
)
"""Lines that may be titles for what they are like."""


_CANDIDATES_A_STEP = 512
_BLOCK_BYTES = 64 * 1024
"""Of nothing but fences the matches of a larger block take too long to make."""
_NO_TITLES = tuple(bytes([byte]) for byte in b"=-~^*+#>`|\n")
"""What a line begins with that is no title: another rule, a row, a quotation."""


class Headers(msgspec.Struct):
    """The first of them, clipped, and how many there are."""

    shown: list[str] = []
    count: int = 0

    def add(self, header: str) -> None:
        self.count += 1
        if len(self.shown) < MAX_HEADERS:
            self.shown.append(clip(header.strip()))


def read_headers(seen: Seen) -> Headers:
    """All of the text, outside of fenced code."""
    headers = Headers()
    fenced = False
    for window in seen.windows(_BLOCK_BYTES):
        for at, match in enumerate(_candidates(window)):
            if at % _CANDIDATES_A_STEP == 0:
                seen.step()
            if match.lastgroup == "fence":
                fenced = not fenced or match["fence"].strip(b" `~\r") != b""  # what names a language opens
            elif match.lastgroup == "hash" and headers.count >= MAX_HEADERS:
                headers.count += not fenced  # always a header, and no longer shown
            elif not fenced and (header := _header(window, match)):
                headers.add(header)
    return headers


def _candidates(window: Window) -> list[re.Match[bytes]]:
    """In their order; a line that both searches find is the first one's."""
    marked = [match for match in _MARKED.finditer(window.text, window.start - 1)]  # noqa: C416 - lets others run
    while marked and not own(window, marked[-1].start()):
        marked.pop()
    known = {match.end() for match in marked}
    titles = _AFTER_BLANK.finditer(window.text, _blank_above(window))
    others = [match for match in titles if own(window, match.start("after") - 1) and match.end() not in known]
    return sorted(marked + others, key=_place) if marked and others else marked or others


def _place(match: re.Match[bytes]) -> int:
    return match.end()


def _blank_above(window: Window) -> int:
    """Where the line above the window's first begins, or its newline where that is too far away."""
    return max(window.text.rfind(b"\n", 0, window.start - 1), 0)


def _header(window: Window, match: re.Match[bytes]) -> str | None:
    if match.lastgroup == "rule":
        return _title_above(window.text, match)
    if match.lastgroup == "hash":
        return _decoded(match["hash"]).rstrip()
    if match.lastgroup == "wide":
        line = _decoded(match["wide"]).rstrip()
        return line if is_chapter(line) else None
    line = _decoded(match["after"]).rstrip()
    newline = window.text.find(b"\n", match.end() + 1)
    below = window.text[match.end() : newline if newline >= 0 else len(window.text)]
    return line if is_title(line, alone=not below.strip()) else None


def _title_above(text: bytes, rule: re.Match[bytes]) -> str | None:
    title_start = _line_start(text, rule.start())
    if text.startswith((*_NO_TITLES, b'"""'), title_start):
        return None
    above = _decoded(text[_line_start(text, title_start - 1) : title_start])
    title = _decoded(text[title_start : rule.start()])
    return title.strip() if underlined(above, title, _decoded(rule["rule"])) else None


def _line_start(text: bytes, end: int) -> int:
    """Of the line that ends there."""
    return text.rfind(b"\n", 0, max(end, 0)) + 1


def _decoded(line: bytes) -> str:
    """Without what the window cut in two."""
    return line.decode(errors="ignore").strip("\n")
