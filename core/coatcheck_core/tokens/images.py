"""A text as one byte a char whose bits say what kind of char it is, so that counting is left to arithmetic in C."""

from collections.abc import Callable
from string import ascii_lowercase, ascii_uppercase, digits

LOWER, UPPER, DIGIT, MARK, BLANK, FOREIGN, ASIDE, APART = range(8)
"""The bits. `FOREIGN` is a letter beyond ASCII. What is ASCII and none of the others is a mark, control chars too;
signs beyond ASCII, emoji among them, have no bit.

`ASIDE` parts a kind in two: of letters it has the consonants, of marks those that seldom make one token with the letter
after them, of blanks the ends of lines. `APART` parts these once more: of small letters it has consonants that few
words are spelt with, and the vowels that few English words end in; of marks those that rules are drawn with, whose long
rows are tokens; of blanks all but the space. Of foreign letters `APART` alone has those with accents, `ASIDE` those of
scripts that part words by blanks: alone where these have an alphabet, with `APART` where they have syllables."""
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_RULES = "-=.*#_~+!:/%"
_MARKS_ASIDE = ';,"`()[]{}<>=:+*&|!?@#$%^~'
_SMALL_APART = "jkz" + "aiou"
CONTINUATION = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 after a char's first."""
_SIGN_LEADS = {0xC2, 0xE2, *range(0xEE, 0x100)}
"""First bytes of punctuation, arrows, boxes, private use, full-width forms and all that is beyond the basic plane."""
_ACCENTED = {*range(0xC3, 0xCA), 0xE1}
"""Of Latin letters, those of Vietnamese too."""
_ALPHABETS = range(0xCE, 0xDC)
"""From Greek to Arabic."""
_SYLLABLES = {0xE0, *range(0xEA, 0xEE)}
"""The scripts of India, and Hangul."""
_UNPARTED = (b"\xe0\xb8", b"\xe0\xb9", b"\xe0\xba", b"\xe0\xbb")
"""Thai and Lao, which have no blanks between words."""


def table(byte_of: Callable[[int], int]) -> bytes:
    """For `bytes.translate`: what stands for each byte."""
    return bytes(byte_of(byte) for byte in range(256))


def _bits(byte: int) -> int:
    if byte >= 0x80:
        if byte in _SIGN_LEADS:
            return 0
        syllable = byte in _SYLLABLES
        return 1 << FOREIGN | (syllable or byte in _ALPHABETS) << ASIDE | (syllable or byte in _ACCENTED) << APART
    char = chr(byte)
    if char in ascii_lowercase or char in ascii_uppercase:
        case = LOWER if char in ascii_lowercase else UPPER
        return 1 << case | (char.lower() in _CONSONANTS) << ASIDE | (char in _SMALL_APART) << APART
    if char in digits:
        return 1 << DIGIT
    if char in " \t\n\r":
        return 1 << BLANK | (char in "\n\r") << ASIDE | (char != " ") << APART
    return 1 << MARK | (char in _MARKS_ASIDE) << ASIDE | (char in _RULES) << APART


BITS = table(_bits)


def first_bytes(encoded: bytes) -> bytes:
    """A byte a char of a text in UTF-8: an ASCII char itself, or a first byte that tells the script.

    Thai and Lao have that of kana instead of that of the scripts of India.
    """
    if encoded.isascii():
        return encoded
    if b"\xe0" in encoded:
        for start in _UNPARTED:
            encoded = encoded.replace(start, b"\xe3" + start[1:])
    return encoded.translate(None, CONTINUATION)
