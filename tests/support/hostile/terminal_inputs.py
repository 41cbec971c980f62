"""What a terminal would act on: escape codes, overstrikes, progress bars; and bytes that are no text."""

from .making import Maker, beside, filled, numbered, once

BLOCK = 256 * 1024
_BORDERS = [BLOCK - 1, BLOCK, BLOCK + 1, 1, 2 * BLOCK - 1, 0]


def _around_borders(unit: bytes) -> Maker:
    """Lines that end just before, at and after where a block does."""

    def make(size: int) -> bytes:
        lines = [unit * (length // len(unit)) + b"x" * (length % len(unit)) + b"\n" for length in _BORDERS]
        return b"".join(lines * max(1, size // (5 * BLOCK)))

    return make


def _across_borders(code: bytes) -> Maker:
    """An escape code that begins a byte later at each block's end, so that each cut of it is met."""

    def make(size: int) -> bytes:
        pieces = [b"x" * (BLOCK - 1 - i % (len(code) + 2)) + code for i in range(max(1, size // BLOCK))]
        return b"".join(pieces) + b"\nend\n"

    return make


TERMINAL: dict[str, Maker] = {
    "codes without end": filled("\x1b["),
    "titles without end": filled("\x1b]"),
    "a title without end": filled("x", "\x1b]0;"),
    "a title without end, of lines": filled("x\n", "\x1b]0;"),
    "titles": filled("\x1b]0;title\x07x"),
    "titles closed by a string terminator": filled("\x1b]0;title\x1b\\x\n"),
    "titles in titles": filled("\x1b]0;\x1b[1m", after="\x07\n"),
    "links": filled("\x1b]8;;http://a.b/\x1b\\words\x1b]8;;\x1b\\\n"),
    "device strings without end": filled("\x1bP"),
    "device strings": filled("\x1bPq#0\x1b\\"),
    "privacy messages without end": filled("\x1b^x"),
    "escapes": filled("\x1b"),
    "escapes and blanks": filled("\x1b "),
    "a long code": filled("0", "\x1b["),
    "a long code, closed": filled("0", "\x1b[", "m\nx\n"),
    "a code of intermediates": filled(" ", "\x1b["),
    "a character set of blanks": filled(" ", "\x1b"),
    "codes of parameters": filled("\x1b[0;0;0;0;0;0"),
    "colours": filled("\x1b[31mx\x1b[0m"),
    "colours a line": filled("\x1b[1;32mok\x1b[0m words\n"),
    "colours around nothing": filled("\x1b[m"),
    "coloured JSON": filled('\x1b[1m{"a"\x1b[0m: 1}\n'),
    "coloured rows": filled("\x1b[1m1\x1b[0m,2\n", "\x1b[1ma\x1b[0m,b\n"),
    "cursor moves": filled("\x1b[1A\x1b[2Kline\n"),
    "eight-bit codes": filled("\x9b31mx\x9d0;t\x9c\n"),
    "each C1 control": filled("".join(map(chr, range(0x80, 0xA0))) + "\n"),
    "C1 controls": filled("\x80"),
    "codes across blocks": _across_borders(b"\x1b[38;5;196m"),
    "titles across blocks": _across_borders(b"\x1b]0;a title\x07"),
    "overstrikes across blocks": _across_borders("_\x08é_\x08x".encode()),
    "byte order marks across blocks": _across_borders("\ufeff".encode()),
    "backspaces": filled("\x08"),
    "overstrikes": filled("x\x08x"),
    "underlines": filled("_\x08x"),
    "wide overstrikes": filled("漢\x08漢"),
    "words, then backspaces": lambda size: b"x" * (size // 2) + b"\x08" * (size // 2),
    "a byte order mark behind a code": filled("words\n", "\x1b[0m\ufeff"),
    "progress": filled(" 50% [=====>     ] 1.0 MB/s\r"),
    "distinct progress": numbered("{i} of many\r"),
    "progress, then lines": beside(filled("1%\r"), filled("done\n")),
    "progress and erasing": filled("\r\x1b[K50%"),
    "progress in lines": filled("1%\r2%\r3%\n"),
    "carriage returns": filled("\r"),
    "carriage returns and newlines": filled("\r\n"),
    "newlines and carriage returns": filled("\n\r"),
    "many carriage returns a line": filled("\r" * 1000 + "\n"),
    "bells": filled("\x07"),
    "NUL": filled("abc\0def\n"),
    "NULs": filled("\0"),
    "a NUL at the end": filled("words\n", after="\0"),
    "controls": filled("\x01"),
    "some controls": filled("words and more words\x01\n"),
    "deletes": filled("\x7f"),
    "file separators": filled("a\x1cb\x1dc\x1ed\x1f\n"),
    "no UTF-8": filled(b"\xff\xfe\xfd\n"),
    "no UTF-8, late": filled("words\n", after=b"\xff"),
    "a cut code point": filled("漢", after="漢".encode()[:2]),
    "overlong UTF-8": filled(b"\xc0\x80"),
    "surrogates in UTF-8": filled(b"\xed\xa0\x80\xed\xb0\x80"),
    "one surrogate": once("words \ud800 words\n"),
    "continuation bytes": filled(b"\x80"),
    "beyond Unicode": filled(b"\xf4\x90\x80\x80"),
    "UTF-16": lambda size: ("words\n" * (size // 12)).encode("utf-16"),
    "UTF-16, no mark": lambda size: ("words\n" * (size // 12)).encode("utf-16-le"),
    "UTF-32": lambda size: ("words\n" * (size // 24)).encode("utf-32"),
    "Latin": lambda size: ("caf\u00e9 na\u00efve\n" * (size // 11)).encode("latin-1"),
    "a PDF": filled("words\n", b"%PDF-1.4\n"),
    "an image": filled(bytes(range(256)), b"\x89PNG\r\n\x1a\n"),
    "replacement characters": filled("\ufffd"),
    "some replacement characters": filled("words \ufffd words words words\n"),
    "noncharacters": filled("\ufffe\uffff\U0010ffff\n"),
    "lines around blocks": _around_borders(b"x"),
    "wide lines around blocks": _around_borders("漢".encode()),
    "lines of emoji around blocks": _around_borders("😀".encode()),
    "fields around blocks": _around_borders(b"x,"),
    "cells around blocks": _around_borders(b"x\t"),
    "quotes around blocks": _around_borders(b'"'),
}
