"""What a char costs that is not ASCII, by its script."""

from string import ascii_uppercase

from .images import table

_PRICES = {
    "latin": (range(0x01, 0x03), 120),
    "greek": ((0x03, 0x1F), 40),
    "cyrillic": ((0x04,), 31),
    "hebrew": ((0x05,), 35),
    "arabic": ((0x06, 0x07, 0x08), 35),
    "devanagari": ((0x09,), 38),
    "indic": (range(0x0A, 0x0E), 43),
    "thai": ((0x0E,), 46),
    "georgian": (range(0x0F, 0x1E), 37),
    "vietnamese": ((0x1E,), 30),
    "punctuation": ((0x20,), 130),
    "kana": ((0x30,), 69),
    "han": (range(0x34, 0xA0), 94),
    "hangul": (range(0xAC, 0xD8), 75),
    "pair": (range(0xD8, 0xE0), 94),
    "full_width": ((0xFF,), 70),
}
"""Pages, and hundredths of a token a UTF-16 unit, fitted with the other prices. `georgian` stands for its neighbours
too. An emoji is a pair of units, and so is a rare ideograph."""
_ELSEWHERE = 95
"""Arrows, boxes, signs and all that has no page of its own."""
LATIN_1 = 60
"""Accented letters of page 0, between letters that are paid for."""


PAGE_0 = b"0"
_NO_SCRIPT = "~"


def _by_page() -> tuple[bytes, dict[bytes, int]]:
    kinds = {0: PAGE_0.decode()}
    prices = {_NO_SCRIPT.encode(): _ELSEWHERE}
    for kind, (in_pages, price) in zip(ascii_uppercase, _PRICES.values(), strict=False):
        kinds.update(dict.fromkeys(in_pages, kind))
        prices[kind.encode()] = price
    return table(lambda page: ord(kinds.get(ord(page), _NO_SCRIPT))), prices


PAGE_KINDS, PRICES = _by_page()
"""Which kind a page is, for `bytes.translate`, and the price of each but page 0."""
