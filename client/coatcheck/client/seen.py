"""Which events have been yielded, as far back as a replay can reach. Pure, and bounded."""

from collections import deque

GENERATION = 4096
KEPT = 3


class Seen:
    """What names the events that were yielded since `cursor`, in up to three generations.

    A generation begins where a replay had gone through all before. `cursor` is the start of the second to last one, and
    one more is remembered before it: in a cluster an event can reach us live long before a replay has it, or after.
    """

    def __init__(self, cursor: str | None, size: int = GENERATION) -> None:
        self._size = size
        self._generations: deque[tuple[str | None, set[str]]] = deque([(cursor, set())], maxlen=KEPT)

    @property
    def cursor(self) -> str | None:
        """Where another reader can go on; None is the beginning of what the stream keeps."""
        return self._generations[max(0, len(self._generations) - 2)][0]

    @property
    def full(self) -> bool:
        """Whether a new generation is due: `turn_over` with a cursor before more is added."""
        return len(self._generations[-1][1]) >= self._size

    def add(self, name: str) -> bool:
        """Whether the event is new; it is not any more."""
        if any(name in names for _, names in self._generations):
            return False
        self._generations[-1][1].add(name)
        return True

    def turn_over(self, cursor: str | None) -> None:
        """Begin a generation at `cursor`, up to where all was added."""
        self._generations.append((cursor, set()))

    def __len__(self) -> int:
        return sum(len(names) for _, names in self._generations)
