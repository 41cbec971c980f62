"""What a text is made of, as a tokenizer takes it apart: the pieces it is cut into, and what makes a piece dear."""

from typing import NamedTuple

from . import images

CHUNK_CHARS = 8 * 1024
"""At most so many at a time: few enough for the processor's cache, and memory does not grow with the text."""
ONES = int.from_bytes(b"\x01" * CHUNK_CHARS, "little")
_SEVENS = 0x7F * ONES
_BITS_OF_ALL = (images.LOWER, images.UPPER, images.DIGIT, images.MARK, images.BLANK, images.ASIDE, images.APART)


class Counts(NamedTuple):
    """How many there are of each of these; what costs about as much is counted together, since counting takes time.

    `pieces` are what common encodings cut a text into before they look for tokens: a word with a blank or mark before
    it, three digits, marks in a row, blanks in a row, an end of line. `odd` places are humps within a word (`getName`),
    letters that few words are spelt with, and capitals after five. `harsh` ones are three consonants or vowels in a
    row, and marks that seldom make one token with the word after them; `knots` are five in a row. `rows` are capitals
    after a capital and marks after two, `crowds` marks after three. `tails` are letters after seven, words that end in
    a, i, o or u, and words after an end of line or a tab. `capitals` are those after three, `lines` ends of lines after
    two, `blanks` those after two.

    Where letters are not ASCII: `shouts` are capitals beside one with an accent, `lengths` small letters after eleven
    and other capitals of such a text, `starts` words of an alphabet that follow no blank, letter or digit, `long` the
    letters after eleven in a word of an alphabet or of syllables.
    """

    pieces: int
    odd: int
    harsh: int
    knots: int
    crowds: int
    rows: int
    tails: int
    shouts: int
    lengths: int
    starts: int
    long: int
    capitals: int
    same_letters: int
    same_marks: int
    rules: int
    lines: int
    blanks: int
    escapes: int


def measure(text: bytes) -> Counts:
    """Of a text of at most CHUNK_CHARS, from `first_bytes`.

    A lane is a byte of an int that stands for a char, 1 where the char is of a kind and 0 elsewhere.
    """
    image = int.from_bytes(text.translate(images.BITS), "little")
    lower, upper, digit, mark, blank, aside, apart = (image >> bit & ONES for bit in _BITS_OF_ALL)
    foreign = 0 if text.isascii() else image >> images.FOREIGN & ONES
    latin = lower | upper
    letter = latin | foreign
    consonant = latin & aside
    vowel = latin ^ consonant
    line = blank & aside
    gap = blank ^ line
    uppers, lowers, marks, gaps = _over_1(upper), _over_1(lower), _over_1(mark), _over_1(gap)
    alike = _over_1(consonant) | _over_1(vowel)
    uppers_over_3, lowers_over_3 = uppers & uppers << 16, lowers & lowers << 16
    after_mark, after_gap, after_gaps = mark << 8, gap << 8, gaps << 8
    mark_starts = _without(mark, after_mark)
    prefixes = _without(mark_starts & letter >> 8, after_gap)  # a mark alone is of the word after it
    alike_over_2, marks_over_3 = alike & alike << 8, marks & marks << 16
    alike_over_4 = alike_over_2 & alike_over_2 << 16
    same = _same(text, alike_over_4 & alike_over_4 << 24 | marks_over_3 & marks_over_3 << 32)
    lines = _over_1(line)
    shouts = lengths = starts = long = 0
    if accents := foreign and _without(foreign & apart, aside):
        shouts, lengths = _of_accents(accents, upper, uppers_over_3, lowers_over_3)
    if parted := foreign and foreign & aside:
        starts = _without(_without(parted, apart) >> 8, letter | gap | digit).bit_count()  # the first may follow one
        pairs = _over_1(parted)
        long = _over_11(pairs & pairs << 16).bit_count()
    return Counts(
        pieces=(
            _without(letter, letter << 8)
            | _threes(digit)
            | mark_starts ^ prefixes
            | gap & digit >> 8  # before a digit a blank is a piece of its own, before others it is of theirs
            | _without(gap, after_gap) & gaps >> 8
            | _without(line, line << 8 | after_mark | after_gaps)  # after marks or a row of blanks it is of their piece
        ).bit_count(),
        odd=(
            upper & lower << 8 | _without(consonant & apart, consonant << 8) | uppers_over_3 & uppers << 32
        ).bit_count(),
        harsh=(alike_over_2 | prefixes & aside).bit_count(),
        knots=alike_over_4.bit_count(),
        crowds=marks_over_3.bit_count(),
        rows=(uppers | marks & marks << 8).bit_count(),
        tails=(
            lowers_over_3 & lowers_over_3 << 32 | _without((vowel & apart) << 8, letter) | letter & (blank & apart) << 8
        ).bit_count(),
        shouts=shouts,
        lengths=lengths,
        starts=starts,
        long=long,
        capitals=uppers_over_3.bit_count(),
        same_letters=(same & latin).bit_count(),
        same_marks=(same & mark).bit_count(),
        rules=(same & mark & apart).bit_count(),
        lines=(lines & line << 16).bit_count(),
        blanks=(gaps & after_gaps).bit_count(),
        escapes=text.count(b"\x1b"),
    )


def _without(lanes: int, others: int) -> int:
    return lanes & (lanes ^ others)


def _over_1(lanes: int) -> int:
    return lanes & lanes << 8


def _over_11(over_3: int) -> int:
    return over_3 & over_3 << 32 & over_3 << 64


def _of_accents(accents: int, upper: int, uppers_over_3: int, lowers_over_3: int) -> tuple[int, int]:
    """Capitals with accents tell that those about them spell no English words, up to eight for each."""
    shouts = (upper & accents << 8 | _over_1(upper) & accents >> 8).bit_count()
    return shouts, _over_11(lowers_over_3).bit_count() + min(uppers_over_3.bit_count(), 8 * shouts)


def _threes(digit: int) -> int:
    """The first, fourth, seventh and so on of each run; twice as far each time round, so that a long run is no more."""
    after = digit << 8
    firsts = _without(digit, after)
    pairs = digit & after
    ahead = pairs & pairs << 16
    step = 24
    while ahead:
        firsts |= firsts << step & ahead
        ahead &= ahead << step
        step *= 2
    return firsts


def _same(text: bytes, eighths: int) -> int:
    """Where a char has stood three times before it, in runs of a kind that have eight or more: most texts have none.

    Of chars beyond ASCII, one with the same first byte stands for the same.
    """
    if not eighths:
        return 0
    chars = int.from_bytes(text, "little")
    differs = ((chars ^ chars << 8) & _SEVENS) + _SEVENS >> 7  # added, any bit of the seven reaches the eighth
    pairs = _without(ONES, differs)
    fours = pairs & pairs << 8 & pairs << 16
    sevenths = eighths | eighths >> 8
    return fours & (sevenths | sevenths >> 16 | sevenths >> 24)
