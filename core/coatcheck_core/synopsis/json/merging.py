"""Many JSON values, one after another, told of as one: how many, and the fields of them all."""

from typing import Any

import msgspec
from msgspec import Raw

from coatcheck_core.once import once
from coatcheck_schemas.synopsis import JsonType

from .nodes import HEAD_MEMBERS, Container, Node, container_of, object_of
from .parsing import CONTAINER, Stopped, Value, parse

_MOST_FIELDS = 40
_MOST_LEARNED = 16
_LONG_BYTES = 4096
MOST_MERGED_FIELDS = 100_000
"""Beyond so many distinct fields, more are not told from those that were met."""


class Merged:
    """`count` values; `fields` each field's first value, over all of them."""

    def __init__(self) -> None:
        self.count = 0
        self.types: dict[JsonType, None] = {}
        self.fields: dict[str, Node] = {}
        self.first: Container | None = None
        self._learned = 0

    def add(self, value: Value) -> None:
        self.count += 1
        if self.first is None:
            self.first = container_of(value)
        if isinstance(value, list):
            self.types["array"] = None
            return
        self.types["object"] = None
        if value.keys() <= self.fields.keys() or len(self.fields) > MOST_MERGED_FIELDS:
            return
        for name, raw in value.items():
            if name not in self.fields:
                # What it is cut from would be kept as a whole otherwise; a long one is most of that.
                is_shown = len(self.fields) < HEAD_MEMBERS
                self.fields[name] = (
                    (raw.copy() if len(memoryview(raw)) < _LONG_BYTES else raw) if is_shown else _PRESENT
                )
        self._forget()

    def add_long(self, value: Container) -> None:
        """One that is read in parts; of its fields those that are shown."""
        self.count += 1
        self.first = self.first or value
        self.types[value.type] = None
        if value.type == "object":
            for name, node in value.head.items():
                self.fields.setdefault(str(name), node)
            self._forget()

    def add_all(self, text: bytes) -> int:
        """Each value of `text`, and how many they are. Raises Stopped, and adds nothing, where it has anything else.

        Values of known fields alone are checked at twice the rate at which they are decoded.
        """
        if self.count and self._known_only is not None:
            try:
                known = len(self._known_only.decode_lines(text))
            except (msgspec.DecodeError, RecursionError):
                pass
            else:
                self.count += known
                if known:
                    self.types["object"] = None
                return known
        values = _decode_all(text)
        for value in values:
            self.add(value)
        return len(values)

    def container(self) -> Container:
        """As of one object that has every field."""
        return object_of(self.fields)

    def _forget(self) -> None:
        self.__dict__.pop("_known_only", None)

    @once
    def _known_only(self) -> msgspec.json.Decoder[list[Any]] | None:
        """Takes objects of the fields met until now, refuses every other."""
        if not self.count or len(self.fields) > _MOST_FIELDS or self._learned >= _MOST_LEARNED:
            return None
        self._learned += 1
        fields = [(f"f{at}", Raw, msgspec.field(name=name, default=_PRESENT)) for at, name in enumerate(self.fields)]
        try:
            known = msgspec.defstruct("Known", fields, forbid_unknown_fields=True, gc=False)
        except ValueError:  # a name with a quote, a backslash or a control character
            return None
        return msgspec.json.Decoder(known)


_PRESENT = Raw(b"null")


def _decode_all(text: bytes) -> list[Value]:
    try:
        return CONTAINER.decode_lines(text)
    except (msgspec.DecodeError, RecursionError):
        raise Stopped("wrong") from None


def value_of(line: bytes) -> Value:
    """An object or array; raises Stopped."""
    return parse(CONTAINER, line)
