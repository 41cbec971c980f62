"""What a char costs that is not ASCII, by its script, which the first byte or two tell that it has in UTF-8."""

from collections.abc import Iterable
from string import ascii_letters

from .images import CONTINUATION, table

_PRICES: dict[str, tuple[Iterable[int], int]] = {
    "latin 1": ((0xC3,), 53),
    "latin": (range(0xC4, 0xCE), 115),
    "signs of latin 1": ((0xC2,), 116),
    "greek": ((0xCE, 0xCF), 22),
    "cyrillic": ((0xD0, 0xD1), 11),
    "more of cyrillic": ((0xD2, 0xD3), 150),
    "armenian, hebrew": ((0xD4, 0xD5, 0xD6, 0xD7), 24),
    "arabic": (range(0xD8, 0xDC), 17),
    "indic": ((0xE0,), 25),
    "ethiopic": ((0xE1,), 160),
    "signs": ((0xE2,), 104),
    "kana": ((0xE3,), 72),
    "han": (range(0xE4, 0xEA), 72),
    "hangul": (range(0xEA, 0xEE), 42),
    "full width": ((0xEF,), 85),
    "beyond": (range(0xF0, 0xF8), 320),
}
"""First bytes, and hundredths of a token a char beside those of its word, fitted with the other prices."""
_ELSEWHERE = 160
_NEARER: dict[int, dict[bytes, int]] = {
    0xD1: {b"\x8a": 200, b"\x94": 157, b"\x96": 157, b"\x97": 157, b"\x98": 157},
    0xE0: {
        **dict.fromkeys((b"\xa4", b"\xa5"), 15),
        **dict.fromkeys((b"\xa6", b"\xa7"), 22),
        b"\xb7": 50,
        **dict.fromkeys((b"\xb8", b"\xb9"), 38),
        **dict.fromkeys((b"\xba", b"\xbb", b"\xbc", b"\xbd", b"\xbe"), 170),
    },
    0xE1: {
        **dict.fromkeys((b"\x80", b"\x81", b"\x9e", b"\x9f"), 50),
        **dict.fromkeys((b"\x82", b"\x83"), 22),
        **dict.fromkeys((b"\xba", b"\xbb"), -52),
    },
    0xE2: {b"\x80": 36, b"\xa0": 300},
    0xE3: {b"\x80": 118},
    0xF0: {b"\x9f": 212},
}
"""By the second byte, where scripts share a first: letters that Russian lacks or seldom has; Hindi, Bengali,
Sinhala, Thai, Lao and Tibetan; Burmese, Khmer, Georgian; quotes and dashes, Braille, Chinese stops, emoji. The
syllables of Vietnamese are tokens, so that its own letters take off what the accents beside them would cost."""


def _by_lead() -> tuple[bytes, dict[bytes, int]]:
    kinds, prices = {}, {b"~": _ELSEWHERE}
    for kind, (leads, price) in zip(ascii_letters, _PRICES.values(), strict=False):
        kinds.update(dict.fromkeys(leads, kind))
        prices[kind.encode()] = price
    return table(lambda byte: ord(kinds.get(byte, "~"))), prices


_KINDS, _PRICE_OF = _by_lead()
_LEFT_OUT = bytes(range(0x80)) + CONTINUATION


def hundredths_of_foreign(encoded: bytes) -> int:
    """Of the chars that are not ASCII in a text in UTF-8, in hundredths of a token."""
    others = encoded.translate(_KINDS, _LEFT_OUT)
    hundredths = 0
    while others:  # once for each script, on what is left of the text without those before
        kind = others[:1]
        left = others.translate(None, kind)
        hundredths += _PRICE_OF[kind] * (len(others) - len(left))
        others = left
    for lead, nearer in _NEARER.items():
        if lead in encoded:
            price = _PRICE_OF[_KINDS[lead : lead + 1]]
            hundredths += sum((own - price) * encoded.count(bytes([lead]) + second) for second, own in nearer.items())
    return hundredths
