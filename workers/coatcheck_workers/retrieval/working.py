"""Working on the bytes of an original while they pass, in the thread that proves them."""

from collections.abc import Callable
from typing import Generic, TypeVar

from coatcheck_core.original import Index, Span, grouped, proved
from coatcheck_schemas.errors import DamagedOriginal

from .pace import Pace

PIECE_BYTES = 384 * 1024
"""What is worked on at once: it stays in a processor's cache, and its copy in memory that is used again."""

_T = TypeVar("_T")


class Working(Generic[_T]):
    """Bytes from `at`, which moves on, up to `stop`; `work` is called for each piece of them once, in order.

    A piece is the blocks of `PIECE_BYTES`, or one where that is larger; the first one begins within its blocks where
    `at` does, and the last one ends so.
    """

    def __init__(self, at: int, stop: int, work: Callable[[Span, bytes | memoryview], _T], pace: Pace) -> None:
        self.at = at
        self.stop = stop
        self._work = work
        self.pace = pace

    def through(self, index: Index, span: Span, stored: memoryview) -> tuple[list[_T], DamagedOriginal | None]:
        """What was made of these blocks as they are stored, up to the first that is not what the index says.

        Of a piece at least of those that `at` has not come past, and of no more once the pace's step is over.
        """
        self.pace.begin_step()
        made: list[_T] = []
        for piece in grouped(index, index.ends, span.first, span.last, PIECE_BYTES):
            if piece.stop <= self.at:
                continue
            lies = stored[piece.stored_start - span.stored_start : piece.stored_stop - span.stored_start]
            try:
                data = proved(index, piece, lies)
            except DamagedOriginal as error:
                return made, error
            begin, end = max(self.at, piece.start), min(piece.stop, self.stop)
            made.append(self._work(piece, data[begin - piece.start : end - piece.start]))
            self.at = end
            if self.pace.is_step_over():
                break
        return made, None
