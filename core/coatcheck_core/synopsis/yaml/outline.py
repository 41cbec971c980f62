"""What a stream of YAML events says about the first document's two upper levels."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import yaml

from coatcheck_schemas.synopsis import YamlType

MAX_KEYS = 30

_PLAIN_TYPES: tuple[tuple[YamlType, re.Pattern[str]], ...] = (
    ("null", re.compile(r"(?:~|null|Null|NULL)?")),
    ("boolean", re.compile(r"true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF")),
    ("timestamp", re.compile(r"\d{4}-\d{2}-\d{2}(?:[Tt ]\d{1,2}:\d{2}:\d{2}.{0,20})?")),
    (
        "number",
        re.compile(r"[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|0x[0-9a-fA-F]+|0o[0-7]+|[-+]?\.inf|\.nan"),
    ),
)


class _Frame(msgspec.Struct):
    """An open mapping or sequence: `nodes` met in it, keys and values alike."""

    is_mapping: bool
    nodes: int = 0
    entry: "_Entry | None" = None
    is_shown: bool = False

    @property
    def length(self) -> int:
        return self.nodes // 2 if self.is_mapping else self.nodes


class _Entry(msgspec.Struct):
    name: str
    type: YamlType
    length: int | None = None


class Outline:
    """Takes events one by one; the shown mapping is the root, or the first mapping of a root sequence."""

    def __init__(self) -> None:
        self.documents = 0
        self.first: YamlType | None = None
        self.has_scalar_document = False
        self.nested = False
        self.duplicates = False
        self.key_count = 0
        self._root: _Frame | None = None
        self._shown: _Frame | None = None
        self._open: list[_Frame] = []
        self._entries: list[_Entry] = []
        self._names: set[str] = set()
        self._key = ""

    @property
    def length(self) -> int:
        return self._root.length if self._root else 0

    def entries(self) -> Iterator[tuple[str, YamlType, int | None]]:
        return ((entry.name, entry.type, entry.length) for entry in self._entries)

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._node(event, _scalar_type(event))
        elif isinstance(event, yaml.MappingStartEvent):
            self._enter(event, "mapping")
        elif isinstance(event, yaml.SequenceStartEvent):
            self._enter(event, "sequence")
        elif isinstance(event, yaml.AliasEvent):
            self._node(event, "alias")
        elif isinstance(event, yaml.CollectionEndEvent):
            frame = self._open.pop()
            if frame.entry is not None:
                frame.entry.length = frame.length
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1

    def _enter(self, event: Any, kind: YamlType) -> None:
        frame = _Frame(kind == "mapping", entry=self._node(event, kind))
        if not self._open and self._root is None and self.documents == 1:
            self._root = frame
        in_root_sequence = self._root is not None and not self._root.is_mapping and self._open == [self._root]
        if frame.is_mapping and self._shown is None and (frame is self._root or in_root_sequence):
            frame.is_shown, self._shown = True, frame
        self._open.append(frame)

    def _node(self, event: Any, kind: YamlType) -> _Entry | None:
        """Count a node in its parent; the entry it became where it is a value of the shown mapping."""
        if not self._open:
            self._document_root(event, kind)
            return None
        parent = self._open[-1]
        parent.nodes += 1
        self.nested = self.nested or kind in ("mapping", "sequence")
        if not parent.is_shown:
            return None
        if parent.nodes % 2:
            self._take_key(event)
            return None
        return self._take_value(kind)

    def _document_root(self, event: Any, kind: YamlType) -> None:
        if kind not in ("mapping", "sequence"):
            self.has_scalar_document = self.has_scalar_document or getattr(event, "value", "*") != ""
        elif self.documents == 1:
            self.first = kind

    def _take_key(self, event: Any) -> None:
        self._key = event.value if isinstance(event, yaml.ScalarEvent) else "?"
        self.duplicates = self.duplicates or self._key in self._names
        self._names.add(self._key)
        self.key_count += 1

    def _take_value(self, kind: YamlType) -> _Entry | None:
        if len(self._entries) == MAX_KEYS:
            return None
        self._entries.append(_Entry(self._key, kind))
        return self._entries[-1]


def _scalar_type(event: Any) -> YamlType:
    if event.style:
        return "string"
    value = event.value
    if len(value) > 400:
        return "string"
    return next((name for name, pattern in _PLAIN_TYPES if pattern.fullmatch(value)), "string")
