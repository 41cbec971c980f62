"""A text in any case: what has the same full case folding, as `str.casefold` gives it.

So `STRASSE` is found in `straße`, `σ` in `Σ` and `ς`, `k` in the Kelvin sign, `fi` in the ligature.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from .chars import MOST_CHAR_BYTES
from .expressions import Expression
from .matching import NO_MATCH, Hit

PATTERN_CHARS = 32
"""So many chars of the folded query the expression has; what is longer is compared where it matches."""
_FOLDING_BELOW = 0x20000
"""No code point from here on folds to another."""
_MOST_FOLDED = 3
"""A char folds to so many at most."""


class Folded:
    """Raises ValueError for an empty query."""

    def __init__(self, query: str) -> None:
        if not query:
            raise ValueError("an empty query matches everywhere")
        self._folded = query.casefold()
        self.longest = MOST_CHAR_BYTES * len(self._folded)
        self._beginning = Expression(folded_pattern(self._folded), longest=self.longest)
        self.most_stride = self._beginning.most_stride
        self._is_all = len(self._folded) <= PATTERN_CHARS

    def next(self, data: bytes, start: int, stop: int) -> Hit | None:
        hit = self._beginning.next(data, start, stop)
        if hit is None or self._is_all:
            return hit
        begin, _ = hit
        text = data[begin : min(stop, begin + self.longest)].decode(errors="ignore")
        chars = _chars_that_fold(text, self._folded)
        return begin, NO_MATCH if chars is None else begin + len(text[:chars].encode())


def folded_pattern(folded: str) -> str:
    """An expression for all that folds to the first `PATTERN_CHARS` of `folded`, or where a char's folding lies across
    their end, somewhat further.
    """
    return _Pattern(folded).until(min(len(folded), PATTERN_CHARS))


class _Pattern:
    """A query's folding as steps from place to place: one char of the text makes one to three of them."""

    def __init__(self, folded: str) -> None:
        self._folded = folded
        self._known: dict[tuple[int, int], str] = {}

    def until(self, end: int) -> str:
        """From the beginning to `end`, or over it."""
        return _either([self._between(0, end), *self._over(0, end, len(self._folded), reaching=False)])

    def _between(self, first: int, last: int) -> str:
        if last - first <= 1:
            return self._step(first, last) if last > first else ""
        if (first, last) not in self._known:
            middle = (first + last) // 2
            through = self._between(first, middle) + self._between(middle, last)
            self._known[first, last] = _either([through, *self._over(first, middle, last, reaching=True)])
        return self._known[first, last]

    def _over(self, first: int, place: int, last: int, *, reaching: bool) -> list[str]:
        """The ways that pass over a place, to the `last` where they are to be `reaching` it."""
        ways = []
        for start in range(max(first, place - _MOST_FOLDED + 1), place):
            for stop in range(place + 1, min(start + _MOST_FOLDED, last) + 1):
                if step := self._step(start, stop):
                    ways.append(self._between(first, start) + step + (self._between(stop, last) if reaching else ""))
        return ways

    def _step(self, start: int, stop: int) -> str:
        """The chars that fold to this, as a class; "" for none."""
        chars = _folding_to().get(self._folded[start:stop], ())
        one = [self._folded[start]] if stop - start == 1 else []
        inside = "".join(f"\\x{{{ord(char):x}}}" for char in [*one, *chars])
        return f"[{inside}]" if inside else ""


def _either(ways: list[str]) -> str:
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


@cache
def _folding_to() -> Mapping[str, str]:
    """By what they fold to, the chars that do not fold to themselves."""
    chars: dict[str, str] = defaultdict(str)
    for char in map(chr, range(_FOLDING_BELOW)):
        if (folded := char.casefold()) != char:
            chars[folded] += char
    return dict(chars)


def _chars_that_fold(text: str, folded: str) -> int | None:
    """How many of the text's first chars fold to this; None where none do."""
    whole = text.casefold()
    if not whole.startswith(folded):
        return None
    if len(whole) == len(text):
        return len(folded)
    made = 0
    for chars, char in enumerate(text):
        if made >= len(folded):
            return chars if made == len(folded) else None
        made += len(char.casefold())
    return len(text) if made == len(folded) else None
