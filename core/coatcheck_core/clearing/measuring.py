"""How many tokens a message has."""

from collections.abc import Callable

from .shapes import Reading, Sized

CHARS_PER_TOKEN = 4

Count = Callable[[str], int]


class Measure:
    """A quarter of the chars, rounded up, of all of a message's texts together; or what a counter says of each.

    A tokenizer is slow, and clearing looks at a text more than once: a counter is asked once for each. One is for one
    conversation, whose texts it keeps alive.
    """

    def __init__(self, count: Count | None = None) -> None:
        self._count = count
        self._counted: dict[str, int] = {}

    def texts(self, pieces: tuple[str, ...] | list[str]) -> int:
        """Raises TypeError where the counter gives no number of tokens."""
        if self._count is None:
            return -(-sum(map(len, pieces)) // CHARS_PER_TOKEN)
        return sum(self._text(piece, self._count) for piece in pieces)

    def _text(self, piece: str, count: Count) -> int:
        tokens = self._counted.get(piece)
        if tokens is None:
            tokens = count(piece)
            if not isinstance(tokens, int) or tokens < 0:
                raise TypeError(f"the counter of tokens gave {tokens!r:.80}, not a whole number of at least 0")
            self._counted[piece] = tokens
        return tokens

    def sized(self, sized: Sized) -> int:
        return self.texts(sized.pieces) if sized.tokens is None else sized.tokens

    def message(self, reading: Reading) -> int:
        """Its content and its calls' arguments."""
        pieces = list(reading.other.pieces)
        given = reading.other.tokens or 0
        for sized in (*reading.calls, *reading.results):
            pieces += sized.pieces
            given += sized.tokens or 0
        return given + self.texts(pieces)
