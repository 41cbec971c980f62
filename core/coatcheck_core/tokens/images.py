"""A text as one byte a char whose bits say what kind of char it is, so that counting is left to arithmetic in C."""

from collections.abc import Callable
from string import ascii_lowercase, ascii_uppercase, digits

LETTER, LOWER, UPPER, DIGIT, MARK, LINE, BLANK, FOREIGN = range(8)
"""The bits. What is ASCII and none of the others is a mark, control chars too."""
REPLACEMENT = "?"
"""What the ASCII encoder writes for each char that is none of its own; before it, a mark is put in place of `?`."""
_VOWELS = "aeiouyAEIOUY"


def table(byte_of: Callable[[str], int]) -> bytes:
    """For `bytes.translate`: what stands for each byte, by the char that it is in Latin-1."""
    return bytes(byte_of(chr(byte)) for byte in range(256))


def _bits(char: str) -> int:
    if char in ascii_lowercase:
        return 1 << LETTER | 1 << LOWER
    if char in ascii_uppercase:
        return 1 << LETTER | 1 << UPPER
    if char in digits:
        return 1 << DIGIT
    if char in "\n\r":
        return 1 << LINE
    if char in " \t":
        return 1 << BLANK
    return 1 << FOREIGN if char == REPLACEMENT else 1 << MARK


BITS = table(_bits)
DIGITS = table(lambda char: ord("0" if char in digits else " "))
CONSONANTS = table(lambda char: ord("c" if char.isascii() and char.isalpha() and char not in _VOWELS else " "))
LOWER_BYTE, UPPER_BYTE, DIGIT_BYTE, MARK_BYTE, LINE_BYTE, BLANK_BYTE, FOREIGN_BYTE = (
    bytes([_bits(char)]) for char in "aA0.\n ?"
)


def as_ascii(text: str) -> bytes:
    """A byte a char, a `?` for each that is not ASCII."""
    return text.replace(REPLACEMENT, "!").encode("ascii", "replace")


def pages(text: str) -> bytes:
    """The high byte of each UTF-16 unit: half of a Unicode block or less, so in practice the script."""
    return text.encode("utf-16-le", "surrogatepass")[1::2]
