"""In which encoding bytes are text, by what they look like before what is said of them."""

import codecs
import re
from unicodedata import category

from .names import UTF_8, WIDE_UNITS, canonical, orders, sort_of

CONTROLS = bytes([*range(0x01, 0x07), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
"""Control characters that no text needs; ESC, BEL, backspace, tab, and line and page breaks have their uses."""
MOST_CONTROLS = 0.05

_LOOKED_AT_BYTES = 256 * 1024
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""UTF-32's first: its mark in little endian order begins with the one of UTF-16."""

_MIME_CHARSET = re.compile(r""";\s*+charset\s*+=\s*+["']?([^\s"';,]+)""", re.IGNORECASE)
_MIME_CHARS = 1000
_PROLOG_BYTES = 1024
_XML_ENCODING = re.compile(rb"""<\?xml\b[^>]{0,200}?\bencoding\s*+=\s*+["']([A-Za-z0-9._:-]{1,40})["']""")
_HTML_CHARSET = re.compile(rb"""<meta\b[^>]{0,200}?\bcharset\s*+=\s*+["']?\s*+([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)

_SAMPLED_CHARS = 4096
_NOT_IN_USE = ("Cn", "Co")
"""Unassigned chars and those for private use, which prompts and icons have some of."""
_MOST_NOT_IN_USE = 0.1
_CONTROL_CHARS = dict.fromkeys(CONTROLS)
_LEAST_UNDECLARED_CHARS = 16


def text_encoding(head: bytes, mime_type: str | None) -> str | None:
    """The encoding of a text by its first bytes, 1 MiB or so or all there are; None where they are no text.

    A byte order mark comes first, if text follows it; then UTF-8, if that is what the bytes are; then the charset that
    the MIME type declares, or the document itself as XML and HTML do, if the bytes are text in it. UTF-16 without a
    mark and a declaration is believed where every other byte is a NUL. Single-byte encodings are never guessed. The
    last char of `head` may be cut; that the rest is text as well, `Decoder` says.
    """
    if (marked := _marked(head)) is not None:
        return marked
    declared = _declared(head, mime_type)
    if b"\0" in head[:_LOOKED_AT_BYTES]:
        return _wide(head, declared) or (UTF_8 if _is_utf8(head, declared) else None)
    if _is_utf8(head, declared):
        return UTF_8 if declared is None or not head.isascii() or orders(declared) else declared
    if declared is None:
        return None
    return _wide(head, declared) if orders(declared) else _narrow(head, declared)


def _marked(head: bytes) -> str | None:
    for mark, name in _MARKS:
        if head.startswith(mark):
            is_text = name == UTF_8 or (len(head) > len(mark) and _is_wide_text(head, name))
            return name if is_text else None
    return None


def _declared(head: bytes, mime_type: str | None) -> str | None:
    """The charset of the MIME type if it is understood, else that of an XML declaration or an HTML page."""
    found = _MIME_CHARSET.search((mime_type or "")[:_MIME_CHARS])
    if found is not None and (name := canonical(found[1])) is not None:
        return name
    prolog = head[:_PROLOG_BYTES]
    if not prolog.lstrip().startswith(b"<"):
        return None
    inside = _XML_ENCODING.search(prolog) or _HTML_CHARSET.search(prolog)
    return None if inside is None else canonical(inside[1].decode())


def _is_utf8(head: bytes, declared: str | None) -> bool:
    """Whether it is, but for a last char that is cut.

    Bytes of which that alone is not ASCII are rather in the narrow encoding that is declared.
    """
    if head.isascii():
        return True
    try:
        text, used = codecs.utf_8_decode(head, "strict", False)
    except UnicodeDecodeError:
        return False
    return used == len(head) or not text.isascii() or declared in (None, UTF_8)


def _wide(head: bytes, declared: str | None) -> str | None:
    """UTF-16 or UTF-32 as declared, in the order in which more of it is ASCII where none is; or unmistakably one."""
    named = orders(declared) if declared is not None else ()
    if not named:
        return next((name for name in WIDE_UNITS if _is_unmistakable(head, name)), None)
    fitting = [name for name in named if _is_wide_text(head, name)]
    return max(fitting, key=lambda name: _ascii_chars(head, name), default=None)


def _is_wide_text(head: bytes, name: str) -> bool:
    text = _start(head, name)
    return text is not None and "\0" not in text and _is_for_people(text) and _is_written(text)


def _is_written(text: str) -> bool:
    """Of chars that are in use: almost any two bytes are some char of UTF-16, so its mark alone proves nothing."""
    sample = text[1 : 1 + _SAMPLED_CHARS]
    strange = sum(char in "\ufeff\ufffd" or category(char) in _NOT_IN_USE for char in sample)
    return strange <= _MOST_NOT_IN_USE * len(sample)


def _is_unmistakable(head: bytes, name: str) -> bool:
    """All of its start ASCII, with white space between."""
    text = _start(head, name)
    if text is None or len(text) < _LEAST_UNDECLARED_CHARS or not text.isascii() or "\0" in text:
        return False
    return len(text.translate(_CONTROL_CHARS)) == len(text) and any(char in text for char in " \n")


def _narrow(head: bytes, name: str) -> str | None:
    if sort_of(name) == "utf-8":
        return None
    text = _start(head, name)
    return name if text is not None and _is_for_people(text) else None


def _start(head: bytes, name: str) -> str | None:
    try:
        return codecs.getincrementaldecoder(name)("strict").decode(head[:_LOOKED_AT_BYTES])
    except UnicodeDecodeError:
        return None


def _ascii_chars(head: bytes, name: str) -> int:
    text = _start(head, name) or ""
    return len(text.encode("ascii", "ignore"))


def _is_for_people(text: str) -> bool:
    """Without more control characters than a text has."""
    return len(text) - len(text.translate(_CONTROL_CHARS)) <= MOST_CONTROLS * len(text)
