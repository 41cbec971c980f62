"""Which events have been yielded, as far back as a replay can reach. Pure, and bounded."""

from collections import deque

GENERATION = 4096
KEPT = 3


class Seen:
    """The subjects of the events that were yielded since `cursor`, in up to three generations.

    A replay goes on from `cursor`, the start of the second to last generation. So at least one generation of events
    lies between it and now: an event that the stream had before the cursor was taken, and that reaches us live after
    it, is yielded before that cursor is used. And one more generation is remembered before it: in a cluster an event
    can reach us live before the stream has it, and so come after the cursor of a later generation.
    """

    def __init__(self, cursor: str | None, size: int = GENERATION) -> None:
        self._size = size
        self._generations: deque[tuple[str | None, set[str]]] = deque([(cursor, set())], maxlen=KEPT)

    @property
    def cursor(self) -> str | None:
        """Where a replay goes on; None is the beginning of what the stream keeps."""
        return self._generations[max(0, len(self._generations) - 2)][0]

    @property
    def full(self) -> bool:
        """Whether a new generation is due: `turn_over` with a cursor before more is added."""
        return len(self._generations[-1][1]) >= self._size

    def add(self, subject: str) -> bool:
        """Whether the subject is new; it is not any more."""
        if any(subject in subjects for _, subjects in self._generations):
            return False
        self._generations[-1][1].add(subject)
        return True

    def turn_over(self, cursor: str | None) -> None:
        """Begin a generation at `cursor`, a position that the stream had reached now or before."""
        self._generations.append((cursor, set()))

    def __len__(self) -> int:
        return sum(len(subjects) for _, subjects in self._generations)
