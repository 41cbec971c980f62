"""What words of Cyrillic and Greek letters cost beyond their length: capitals, and letters that are no words."""

from .images import table
from .measuring import ONES

_CAPITAL, _KNOT = 55, 110
"""Hundredths of a token for a capital after a capital, and for each four consonants in a row."""
_ALPHABETS = (
    ("cp1251", b"\xd0", b"\xd1", "бвгджзйклмнпрстфхцчшщ"),
    ("cp1253", b"\xce", b"\xcf", "βγδζθκλμνξπρσςτφχψ"),
)
"""An encoding of a byte a char, the first bytes of its letters in UTF-8, and its consonants."""


def _bits(codec: str, consonants: str) -> bytes:
    def bits(byte: int) -> int:
        char = bytes([byte]).decode(codec, "replace") if byte >= 0x80 else " "
        return char.isupper() | (char.lower() in consonants) << 1

    return table(bits)


_TABLES = [(codec, leads, _bits(codec, consonants)) for codec, *leads, consonants in _ALPHABETS]


def hundredths_of_spelling(text: str, encoded: bytes) -> int:
    """Of a text of at most CHUNK_CHARS, and the same in UTF-8, in hundredths of a token."""
    hundredths = 0
    for codec, leads, bits in _TABLES:
        if any(lead in encoded for lead in leads):
            image = int.from_bytes(text.encode(codec, "replace").translate(bits), "little")
            capital, consonant = image & ONES, image >> 1 & ONES
            pairs = consonant & consonant << 8
            hundredths += _CAPITAL * (capital & capital << 8).bit_count()
            hundredths += _KNOT * (pairs & pairs << 16).bit_count()
    return hundredths
