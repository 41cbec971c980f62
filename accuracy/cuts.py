"""How tools cut and dress what they print, and what a person calls the result."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from xml.parsers import expat

from .texts import NONE, Label, Source

HEAD_CHARS = 20_000
HEAD_LINES = 100
TAIL_LINES = 200
MOST_BYTES = 400_000
"""A longer text is cut at its head: the corpus is about what texts are, not about how long."""

_LEAST_LINES = 30
_ANY_PART = Label.parse("text/*")
_COMMENT = re.compile(r"/\*(?s:.*?)(?:\*/|\Z)|^\s*(?://|#(?!!|include|define)|--|;).*", re.MULTILINE)
_LOSING = frozenset({"diff", "markdown", "html", "table", "traceback", "ini", "toml"})
"""Of a part of these the telling lines may be missing, so that no format is as good as theirs."""


def cuts_of(source: Source) -> Iterator[tuple[str, Label, bytes]]:
    """The text whole, and in one or two of the ways in which tools cut or dress it, chosen by its content."""
    if source.label.kind == "unknown" or source.mime_type is not None:
        yield "whole", source.label, source.data[:MOST_BYTES]
        return
    if len(source.data) <= MOST_BYTES:
        yield "whole", source.label, source.data
    else:
        yield from _cut("head", source)
    draw = hashlib.sha256(b"cut:" + source.data).digest()
    names = list(_CUTS)
    chosen = (
        {names[draw[0] % len(names)], names[draw[1] % len(names)]} if draw[2] % 2 else {names[draw[0] % len(names)]}
    )
    for name in sorted(chosen):
        yield from _cut(name, source)


def _cut(name: str, source: Source) -> Iterator[tuple[str, Label, bytes]]:
    text = source.data.decode()
    result = _CUTS[name](text)
    if result is None or result == text:
        return
    data = result.encode()
    if name in _DRESSES:
        label: Label | None = source.label
    else:
        label = part_label(source.label, result, is_start=name in _STARTS)
    if label is not None and len(data) <= 2 * MOST_BYTES:
        yield name, label, data


def part_label(label: Label, part: str, *, is_start: bool) -> Label | None:
    """What a part of a text is; None where a person could not say."""
    if len(part.strip()) < 60:
        return None
    if label.kind == "json" and ("ndjson" not in label.formats or not _is_whole("json", part)):
        return _document_part("json", part, is_start)
    if label.kind == "xml" and "html" in label.formats:
        return Label("text", ("html", "xml-truncated" if is_start else NONE))
    if label.kind == "xml":
        return _document_part("xml", part, is_start)
    if label.kind == "code" and (_is_manual(label, part) or not _is_worded(part)):
        return None
    if label.kind == "text" and label.graded in _LOSING:
        return Label("text", (*label.formats, NONE))
    return label


def _is_manual(label: Label, part: str) -> bool:
    """The end of a Perl module is its manual."""
    return label.graded == "perl" and "\n=head" in part and "\nsub " not in part


def _is_worded(part: str) -> bool:
    """Whether a person sees code: a part of a source may be a table of numbers, or nothing but its licence."""
    lines = [line for line in _COMMENT.sub("", part).split("\n") if line.strip()]
    return bool(lines) and 2 * sum(1 for line in lines if any(char.isalpha() for char in line)) > len(lines)


def _document_part(kind: str, part: str, is_start: bool) -> Label:
    """A start of a document is a truncated one, and what has no start is text."""
    if _is_whole(kind, part):
        return Label(kind, ("*",))
    return Label("text", (f"{kind}-truncated",)) if is_start and len(part) > 400 else _ANY_PART


def _is_whole(kind: str, part: str) -> bool:
    """Whether a document stands there, with words behind it perhaps, but not as the member of a larger one.

    Whole elements side by side are XML to whoever reads them.
    """
    try:
        if kind == "json":
            value, end = json.JSONDecoder().raw_decode(part.lstrip())
            return isinstance(value, dict | list) and not part.lstrip()[end:].lstrip().startswith((",", "]", "}", ":"))
        siblings = part.lstrip().startswith("<") and not part.lstrip().startswith(("<?", "<!"))
        expat.ParserCreate().Parse((f"<all>{part}</all>" if siblings else part).encode(), True)
    except (ValueError, expat.ExpatError, RecursionError):
        return False
    return True


def _head(text: str) -> str | None:
    return text[:HEAD_CHARS] if len(text) > HEAD_CHARS else None


def _truncated(text: str) -> str | None:
    """As agent frameworks do it."""
    limit = HEAD_CHARS if len(text) > HEAD_CHARS else len(text) // 2
    return text[:limit] + "\n... [truncated]" if limit > 400 else None


def _head_lines(text: str) -> str | None:
    lines = text.split("\n")
    return "\n".join(lines[:HEAD_LINES]) + "\n" if len(lines) > HEAD_LINES + 1 else None


def _tail_lines(text: str) -> str | None:
    lines = text.split("\n")
    if len(lines) < _LEAST_LINES + 10:
        return None
    return "\n".join(lines[-TAIL_LINES:] if len(lines) > TAIL_LINES + 10 else lines[-_LEAST_LINES:])


def _middle(text: str) -> str | None:
    """As `sed -n 100,200p` prints it."""
    lines = text.split("\n")
    if len(lines) < 3 * _LEAST_LINES:
        return None
    third = len(lines) // 3
    return "\n".join(lines[third : third + max(_LEAST_LINES, min(third, TAIL_LINES))]) + "\n"


def _crlf(text: str) -> str | None:
    return text.replace("\r\n", "\n").replace("\n", "\r\n") if len(text) < HEAD_CHARS else None


def _bom(text: str) -> str | None:
    return "\ufeff" + text if text and not text.startswith("\ufeff") else None


def _coloured(text: str) -> str | None:
    """Each line in a colour and a few words in bold, as pagers and test runners do."""
    if len(text) > HEAD_CHARS or "\x1b" in text:
        return None
    lines = text.split("\n")
    return "\n".join(f"\x1b[{31 + at % 6}m{line}\x1b[0m" if line else line for at, line in enumerate(lines))


_CUTS: dict[str, Callable[[str], str | None]] = {
    "head": _head,
    "truncated": _truncated,
    "head-lines": _head_lines,
    "tail-lines": _tail_lines,
    "middle": _middle,
    "crlf": _crlf,
    "bom": _bom,
    "coloured": _coloured,
}
_DRESSES = frozenset({"crlf", "bom", "coloured"})
_STARTS = frozenset({"head", "truncated", "head-lines"})
