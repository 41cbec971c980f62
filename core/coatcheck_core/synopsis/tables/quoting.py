"""What stands outside quoted fields, which is where delimiters and line ends count.

A quote opens a field only at its start, and a doubled one inside does not close it, as in RFC 4180 and `csv.reader`.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

QUOTE = b'"'
_LETTER = b"x"
_REST_OF_FIELD = re.compile(rb'[^"]*+(?:""[^"]*+)*+"')


class Outside:
    """The blocks of a text with each quoted field as one `"`; a block may begin and end inside one.

    Once read: `unclosed` says whether the text ends inside a quoted field, `unclosed_lines` how many lines end in it.
    `quoted` says whether any quote was met, `regular` whether each of them opened or closed a field or was one of a
    pair inside, so that the number of those before a place tells whether it is quoted.
    """

    def __init__(self, blocks: Iterable[bytes], delimiter: bytes) -> None:
        self.unclosed = False
        self.unclosed_lines = 0
        self.quoted = False
        self.regular = True
        self._blocks = blocks
        self._last = b"\n"
        """The byte before the block; the quote where that closed a field, or opened the one that is open."""
        self._classes, self._opening, self._field = _borders(delimiter)

    def __iter__(self) -> Iterator[bytes]:
        for block in self._blocks:
            if QUOTE in block:
                self.quoted = True
                outside = self._by_pairs(block)
                yield self._by_fields(block) if outside is None else outside
            elif self.unclosed:
                self.unclosed_lines += block.count(b"\n")
            else:
                self._last = block[-1:]
                yield block

    def _by_pairs(self, block: bytes) -> bytes | None:
        """Every other piece between quotes; None where a quote stands beside what is no border of a field."""
        parts = block.split(QUOTE)
        outside = QUOTE.join(parts[self.unclosed :: 2])
        is_open = self.unclosed ^ (len(parts) % 2 == 0)
        if is_open:
            outside += QUOTE
        classes = (self._last + outside).translate(self._classes)
        if b'x"' in classes or b'"x' in classes:
            return None
        self.unclosed = is_open
        self.unclosed_lines = parts[-1].count(b"\n")
        self._last = outside[-1:] or self._last
        return outside

    def _by_fields(self, block: bytes) -> bytes:
        """Field by field, since some quotes are letters."""
        self.regular = False
        block = self._last + block
        at = 1
        if self.unclosed or (self._last == QUOTE and block.startswith(QUOTE, 1)):
            rest = _REST_OF_FIELD.match(block, 1 if self.unclosed else 2)
            if rest is None:
                self.unclosed = True
                self.unclosed_lines += block.count(b"\n")
                return b""
            at = rest.end()
        outside = self._field.sub(_LETTER, block[at - 1 :])
        self.unclosed = (unclosed := self._opening.search(outside)) is not None
        if unclosed is not None:
            self.unclosed_lines = outside.count(b"\n", unclosed.end())
            outside = outside[: unclosed.start()] + QUOTE
            self._last = QUOTE
        elif block.endswith(QUOTE):
            self._last = _LETTER if outside.endswith(QUOTE) else QUOTE
        else:
            self._last = block[-1:]
        return outside[1:]


@cache
def _borders(delimiter: bytes) -> tuple[bytes, re.Pattern[bytes], re.Pattern[bytes]]:
    """What stands for each byte where only borders count, what opens a field, and the whole of a field."""
    kept = delimiter + b"\r\n" + QUOTE
    classes = bytes(byte if byte in kept else _LETTER[0] for byte in range(256))
    opening = rb'"(?<=[\n%b]")' % re.escape(delimiter)  # a pattern is found faster by the byte it begins with
    # Where a field is not closed, the quotes after it in the block are all pairs, and so cost nothing more.
    return classes, re.compile(opening), re.compile(opening + _REST_OF_FIELD.pattern)
