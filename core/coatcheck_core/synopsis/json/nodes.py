"""An object or array as far as a synopsis tells of it: how many there are, and the first few of them."""

from itertools import islice

import msgspec
from msgspec import Raw

from coatcheck_schemas.synopsis import JsonType

from .parsing import Value

HEAD_MEMBERS = 10
HEAD_ITEMS = 5
SAMPLED_ITEMS = 100
MOST_KEY_BYTES = 16 * 1024 * 1024
"""Beyond so many bytes of keys they are counted as they come, and one that comes again counts again."""
_KEY_COST = 100
_FEW = 500

_TYPES: dict[int, JsonType] = {
    ord("{"): "object",
    ord("["): "array",
    ord('"'): "string",
    ord("t"): "boolean",
    ord("f"): "boolean",
    ord("n"): "null",
}


class Span(msgspec.Struct, frozen=True):
    """A value that stands at `start` to `end` of the text; not decoded before it is to be shown."""

    start: int
    end: int


class Container:
    """`length` counts distinct keys or items; `repeated` how many members have a key that stood before.

    `head` has the first members or items, `types` those of an array's first 100 items in the order met, and `objects`
    the objects among these. What is cut off is the last of `head`, as far as it goes, where there is room for it;
    `open_key` is its key.
    """

    __slots__ = ("_key_bytes", "_keys", "head", "length", "objects", "open_key", "repeated", "type", "types")

    def __init__(self, kind: JsonType) -> None:
        self.type = kind
        self.length = 0
        self.repeated = 0
        self.head: dict[str | int, Node] = {}
        self.types: dict[str, None] = {}
        self.objects: list[Node] = []
        self.open_key: str | int | None = None
        self._keys: set[str] = set()
        self._key_bytes = 0

    def add_item(self, node: "Node", kind: JsonType) -> None:
        if self.length < SAMPLED_ITEMS:
            self._sample(node, kind)
        self.length += 1

    def add_items(self, items: list[Raw]) -> None:
        sampled = max(SAMPLED_ITEMS - self.length, 0)
        for raw in items[:sampled]:
            self.add_item(raw, type_of(raw))
        self.length += max(len(items) - sampled, 0)

    def add_scalars(self, count: int) -> None:
        """Items beyond those that are sampled."""
        self.length += count

    def add_member(self, key: str, node: "Node") -> None:
        if key in self._keys:
            self.repeated += 1
        elif self._key_bytes <= MOST_KEY_BYTES:
            self._keys.add(key)
            self._key_bytes += len(key) + _KEY_COST
            self.length += 1
        else:
            self.length += 1
        if key in self.head or len(self.head) < HEAD_MEMBERS:
            self.head[key] = node

    def add_members(self, members: dict[str, Raw]) -> None:
        for key in islice(members, HEAD_MEMBERS if len(self.head) < HEAD_MEMBERS else 0):
            if len(self.head) < HEAD_MEMBERS:
                self.head.setdefault(key, members[key])
        for shown in self.head:
            if isinstance(shown, str) and shown in members:  # of a key that comes again the last value counts
                self.head[shown] = members[shown]
        if self._key_bytes > MOST_KEY_BYTES:
            self.length += len(members)
            return
        before = len(self._keys)
        self._keys.update(members)
        self.length += len(self._keys) - before
        self.repeated += len(members) - (len(self._keys) - before)
        # Many in one piece are short: their own lengths are within what is taken for each.
        own = sum(map(len, members)) if len(members) < _FEW else 0
        self._key_bytes += own + _KEY_COST * len(members)

    def leave_open(self, key: str | int, node: "Node") -> None:
        """A value that is not whole: it is shown, and not counted."""
        self.open_key = key
        if len(self.head) < HEAD_MEMBERS:
            self.head.setdefault(key, node)

    def _sample(self, node: "Node", kind: JsonType) -> None:
        self.types[kind] = None
        if len(self.head) < HEAD_ITEMS:
            self.head[self.length] = node
        if kind == "object":
            self.objects.append(node)


Node = Raw | Span | Container


def object_of(fields: dict[str, Node]) -> Container:
    """As of one object that has every field."""
    found = Container("object")
    found.length = len(fields)
    found.head = dict(islice(fields.items(), HEAD_MEMBERS))
    return found


def type_of(raw: Raw) -> JsonType:
    return type_at(memoryview(raw)[0])


def type_at(first_byte: int) -> JsonType:
    """The type of the value that begins with it."""
    return _TYPES.get(first_byte, "number")


def container_of(value: Value) -> Container:
    """Of one that is decoded."""
    if isinstance(value, dict):
        found = Container("object")
        found.length = len(value)
        found.head = dict(islice(value.items(), HEAD_MEMBERS))
        return found
    found = Container("array")
    found.add_items(value)
    return found
