"""Keep a value from a result to its line, so that it cannot forge a field or a section."""

import re

NAME_CHARS = 200
CUT_MARK = "…"

_UNSAFE = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u00ad\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f"
    "\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\ud800-\\udfff\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]"
)
"""Controls, line separators, bidirectional marks, and what is invisible."""
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape(text: str) -> str:
    """Each unsafe char as `\\n`, `\\u202e` or `\\U000e0001`; all others as they are."""
    return _UNSAFE.sub(_escape_one, text)


def escape_json(text: str) -> str:
    """JSON that means the same; what is unsafe in its texts as `\\u202e`. Its own line ends stay."""
    return _UNSAFE.sub(_escape_in_json, text)


def one_line(text: str, limit: int = NAME_CHARS) -> str:
    """Escaped, and cut to `limit` chars with a mark; never inside an escape."""
    if len(text) <= limit:
        escaped = escape(text)
        if len(escaped) <= limit:
            return escaped
    return escaped_head(text, limit - 1)[0] + CUT_MARK


def one_line_end(text: str, limit: int) -> str:
    """The same, cut at its start."""
    if len(text) <= limit:
        escaped = escape(text)
        if len(escaped) <= limit:
            return escaped
    return CUT_MARK + escaped_tail(text, limit - 1)[0]


def escaped_head(text: str, limit: int) -> tuple[str, int]:
    """As much of the escaped text's start as fits `limit` chars, and how many chars of the text that is."""
    pieces = _fitting(text[: max(limit, 0)], limit)
    return "".join(pieces), len(pieces)


def escaped_tail(text: str, limit: int) -> tuple[str, int]:
    """As much of the escaped text's end as fits `limit` chars, and how many chars of the text that is."""
    pieces = _fitting(text[-limit:][::-1] if limit > 0 else "", limit)
    return "".join(reversed(pieces)), len(pieces)


def _fitting(text: str, limit: int) -> str | list[str]:
    """Char by char what fits; the text itself where it has nothing to escape."""
    if not _UNSAFE.search(text):
        return text
    pieces: list[str] = []
    for char in text:
        piece = escape(char)
        limit -= len(piece)
        if limit < 0:
            break
        pieces.append(piece)
    return pieces


def _escape_one(match: re.Match[str]) -> str:
    char = match[0]
    return _SHORT.get(char) or (f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}")


def _escape_in_json(match: re.Match[str]) -> str:
    """Below a blank it has line ends alone, beside its texts; beyond the first plane it takes two halves."""
    char = match[0]
    if char < " ":
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
