"""What was used last, as much of it as there is room for."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Name = TypeVar("Name", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Name, Value]):
    """Values by name, each with the bytes that it takes; what has not been used for longest goes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Name, tuple[Value, int]] = OrderedDict()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, name: Name) -> Value | None:
        kept = self._kept.get(name)
        if kept is None:
            return None
        self._kept.move_to_end(name)
        return kept[0]

    def put(self, name: Name, value: Value, size: int) -> None:
        """What alone is larger than all the room is not kept, and puts out nothing else."""
        self.drop(name)
        if size > self._most_bytes:
            return
        self._kept[name] = (value, size)
        self.bytes += size
        while self.bytes > self._most_bytes:
            self.drop(next(iter(self._kept)))

    def drop(self, name: Name) -> None:
        kept = self._kept.pop(name, None)
        if kept is not None:
            self.bytes -= kept[1]
