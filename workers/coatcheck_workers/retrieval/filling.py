"""Filling one reply: items are taken while they fit in the limit and in the message."""

from typing import Generic, TypeVar

import msgspec

_Item = TypeVar("_Item", bound=msgspec.Struct)

FRAME_BYTES = 1536
"""Kept free beside the items: the reply's other fields, above all its cursor (`MAX_CURSOR_CHARS`)."""


class Filling(Generic[_Item]):
    """The items of one reply, in order."""

    def __init__(self, *, limit: int, max_reply_bytes: int) -> None:
        self.items: list[_Item] = []
        self._limit = limit
        self._room = max_reply_bytes - FRAME_BYTES

    @property
    def room(self) -> int:
        """The bytes that the next item may have as JSON."""
        return self._room

    @property
    def missing(self) -> int:
        return self._limit - len(self.items)

    def take(self, item: _Item) -> bool:
        """Take the item where it fits; after one that does not, none is taken, for a reply has no gaps."""
        if not self.missing:
            return False
        size = len(msgspec.json.encode(item)) + 1
        if size > self._room:
            self._limit = len(self.items) or self._limit
            return False
        self.items.append(item)
        self._room -= size
        return True
