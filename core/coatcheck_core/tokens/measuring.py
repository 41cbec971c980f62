"""What an ASCII text is made of: how many chars of each kind, and how many runs of them."""

from typing import NamedTuple

from . import images

CHUNK_CHARS = 32 * 1024
"""At most so many at a time: few enough for the processor's cache, and memory does not grow with the text."""
_MASKS = [int.from_bytes(bytes([1 << bit]) * CHUNK_CHARS, "little") for bit in range(8)]
_RULERS = (b"----", b"====", b"****", b"####", b"____", b"....")


class Counts(NamedTuple):
    """Chars and runs of chars of a kind; `wide` are runs of two or more blanks.

    `clusters` are four consonants in a row, `threes` three digits, `rulers` four of one mark.
    """

    lower: int
    upper: int
    words: int
    lower_runs: int
    upper_runs: int
    clusters: int
    digit_runs: int
    threes: int
    marks: int
    mark_runs: int
    rulers: int
    escapes: int
    blanks: int
    wide: int
    lines: int
    line_runs: int
    foreign: int
    foreign_runs: int


def measure(text: bytes) -> Counts:
    """Of a text of at most CHUNK_CHARS, from `as_ascii`. A run goes from its first char to the last of its kind."""
    image = text.translate(images.BITS)
    others = image.translate(None, images.LOWER_BYTE)  # a third of most texts: chars are counted in that
    kinds = int.from_bytes(image, "little")
    shifted = kinds << 8  # each byte now lies over the one that follows it
    starts = kinds & (kinds ^ shifted)
    pairs = kinds & shifted
    return Counts(
        lower=len(image) - len(others),
        upper=others.count(images.UPPER_BYTE),
        words=_count(starts, images.LETTER),
        lower_runs=_count(starts, images.LOWER),
        upper_runs=_count(starts, images.UPPER),
        clusters=text.translate(images.CONSONANTS).count(b"cccc"),
        digit_runs=_count(starts, images.DIGIT),
        threes=text.translate(images.DIGITS).count(b"000") if images.DIGIT_BYTE in others else 0,
        marks=others.count(images.MARK_BYTE),
        mark_runs=_count(starts, images.MARK),
        rulers=sum(map(text.count, _RULERS)) if pairs & pairs << 16 & _MASKS[images.MARK] else 0,
        escapes=text.count(b"\x1b"),
        blanks=others.count(images.BLANK_BYTE),
        wide=_count(pairs & (pairs ^ pairs << 8), images.BLANK),
        lines=others.count(images.LINE_BYTE),
        line_runs=_count(starts, images.LINE),
        foreign=others.count(images.FOREIGN_BYTE),
        foreign_runs=_count(starts, images.FOREIGN),
    )


def _count(kinds: int, bit: int) -> int:
    return (kinds & _MASKS[bit]).bit_count()
