"""What a stream of YAML events says about a document's upper levels: nothing is composed, no alias expanded."""

import re
from typing import Any

import msgspec
import yaml

from coatcheck_core.synopsis.bounds import clip, fold
from coatcheck_core.synopsis.effort import Step
from coatcheck_schemas.synopsis import Field, YamlType

MAX_KEYS = 30
MAX_NAMES = 6

_VALUE_CHARS = 80
_NAME_CHARS = 60
_STEP_EVENTS = 500

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
    named: "_Entry | None" = None

    @property
    def length(self) -> int:
        return self.nodes // 2 if self.is_mapping else self.nodes


class _Entry(msgspec.Struct):
    name: str
    type: YamlType
    length: int | None = None
    names: list[str] = []
    value: str | None = None


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

    def fields(self) -> list[Field]:
        return [
            Field(name=clip(each.name), type=each.type, length=each.length, names=each.names, value=each.value)
            for each in self._entries
        ]

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
        entry = self._node(event, kind)
        frame = _Frame(kind == "mapping", entry=entry, named=entry if kind == "mapping" else None)
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
        if parent.named is not None and parent.nodes % 2 and len(parent.named.names) < MAX_NAMES:
            parent.named.names.append(clip(getattr(event, "value", "?"), _NAME_CHARS))
        if not parent.is_shown:
            return None
        if parent.nodes % 2:
            self._take_key(event)
            return None
        return self._take_value(event, kind)

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

    def _take_value(self, event: Any, kind: YamlType) -> _Entry | None:
        if len(self._entries) == MAX_KEYS:
            return None
        value = getattr(event, "value", None)
        self._entries.append(
            _Entry(self._key, kind, value=fold(value[: 4 * _VALUE_CHARS], _VALUE_CHARS) if value else None)
        )
        return self._entries[-1]


def outline_of(text: bytes, step: Step, *, tolerant: bool = False) -> Outline:
    """Of one document; raises yaml.YAMLError, or where `tolerant` is of what stands before the error."""
    outline = Outline()
    step()
    try:
        for number, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader)):
            if number % _STEP_EVENTS == 0:
                step()
            outline.take(event)
    except yaml.YAMLError:
        if not tolerant:
            raise
    return outline


def _scalar_type(event: Any) -> YamlType:
    if event.style:
        return "string"
    value = event.value
    if len(value) > 400:
        return "string"
    return next((name for name, pattern in _PLAIN_TYPES if pattern.fullmatch(value)), "string")
