"""The facts of a JSON value: only what they show is decoded."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import Raw

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.effort import unhurried
from coatcheck_schemas.synopsis import Example, Field, JsonFacts, JsonType, Member

from .mending import shown_scalar
from .nodes import Container, Node, Span, container_of, object_of, type_at
from .parsing import CONTAINER, Stopped, parse
from .walking import Walker

MAX_EXAMPLES = 5
MAX_EXAMPLE_CHARS = 120

_NAME_CHARS = 100
"""Less than elsewhere: two levels of ten names have to fit."""
_SHOWN_BYTES = 2000
_MERGED_BYTES = 16 * 1024
"""Of an array's first objects so many are looked at for fields that the very first has not."""
_DEEPEST_EXAMPLE = 5
_NULL = Raw(b"null")
_OBJECTS = msgspec.json.Decoder(list[dict[str, Raw]])
_PLAIN_NAME = re.compile(r"[\w-]+")


class _Scalar(NamedTuple):
    path: str
    node: Raw | Span


class Shown:
    """The values of one text; `is_mended` where numbers stand in it for what is none."""

    def __init__(self, data: bytes, *, is_mended: bool = False) -> None:
        self._view = memoryview(data)
        self._is_mended = is_mended
        self._opened: dict[int, tuple[Node, Container]] = {}

    def facts(self, root: Node) -> JsonFacts:
        if not isinstance(root, Container) and not self._is_nested(root):
            return JsonFacts(type=self.type(root), examples=[Example(path="$", value=self._text(root))])
        container = self.opened(root)
        shown = container if container.type == "object" else self._any_object(container)
        return JsonFacts(
            type=container.type,
            length=container.length,
            repeated_keys=container.repeated,
            item_types=list(container.types),
            members=[] if shown is None else self.members(shown),
            member_count=0 if shown is None else shown.length,
            examples=self.examples(container, ""),
        )

    def type(self, node: Node) -> JsonType:
        if isinstance(node, Container):
            return node.type
        return type_at(self._view[node.start] if isinstance(node, Span) else memoryview(node)[0])

    def opened(self, node: Node) -> Container:
        """An object or array one level deep, decoded once: to decode a level reads all that is below it."""
        if isinstance(node, Container):
            return node
        known = self._opened.get(id(node))  # the node is kept beside its container, so that no other takes its id
        if known is None:
            known = self._opened[id(node)] = (node, self._open(node))
        return known[1]

    def members(self, container: Container) -> list[Member]:
        return [self._member(str(name), node) for name, node in container.head.items()]

    def examples(self, container: Container, path: str) -> list[Example]:
        """The first scalars, those of the top level before those of the levels below."""
        found: list[Example] = []
        for depth in range(1, _DEEPEST_EXAMPLE + 1):
            for scalar in self._scalars(container, path, depth):
                found.append(Example(path=clip(scalar.path.lstrip(".")), value=self._text(scalar.node)))
                if len(found) == MAX_EXAMPLES:
                    return found
        return found

    def _is_nested(self, node: Raw | Span) -> bool:
        return self.type(node) in ("object", "array")

    def _bytes(self, node: Raw | Span) -> memoryview:
        return self._view[node.start : node.end] if isinstance(node, Span) else memoryview(node)

    def _open(self, node: Raw | Span) -> Container:
        text = self._bytes(node)
        try:
            return container_of(parse(CONTAINER, text))
        except Stopped:  # too deep for the parser, or whole no more
            found, _ = Walker(bytes(text), unhurried).value(0)
            return found if isinstance(found, Container) else Container(self.type(node))

    def _any_object(self, container: Container) -> Container | None:
        """The fields of an array's sampled objects together, each as where it is first not null; of long ones fewer."""
        fields: dict[str, Raw] = {}
        nulls: set[str] = set()
        for value in self._sampled(container):
            if not nulls and value.keys() <= fields.keys():
                continue
            for name, raw in value.items():
                if name not in fields or name in nulls:
                    fields[name] = raw
                    (nulls.add if raw == _NULL else nulls.discard)(name)
        if fields:
            return object_of({**fields})
        return self.opened(container.objects[0]) if container.objects else None

    def _sampled(self, container: Container) -> list[dict[str, Raw]]:
        """Objects of an array, decoded at once; none where the first is long, or too deep for the parser."""
        texts: list[memoryview] = []
        room = _MERGED_BYTES
        for node in container.objects:
            if isinstance(node, Container) or (room := room - len(text := self._bytes(node))) < 0:
                break
            texts.append(text)
        try:
            return parse(_OBJECTS, b"[" + b",".join(texts) + b"]")
        except Stopped:
            return []

    def _member(self, name: str, node: Node) -> Member:
        name, kind = clip(name, _NAME_CHARS), self.type(node)
        if kind not in ("object", "array"):
            return Member(name=name, type=kind)
        child = self.opened(node)
        shown = child if kind == "object" else self._any_object(child)
        return Member(
            name=name,
            type=kind,
            length=child.length,
            item_types=list(child.types),
            fields=[] if shown is None else [self._field(str(key), below) for key, below in shown.head.items()],
            field_count=0 if shown is None else max(shown.length, len(shown.head)),
        )

    def _field(self, name: str, node: Node) -> Field:
        kind = self.type(node)
        length = self.opened(node).length if kind in ("object", "array") else None
        return Field(name=clip(name, _NAME_CHARS), type=kind, length=length)

    def _scalars(self, container: Container, path: str, depth: int, *, is_top: bool = True) -> Iterator[_Scalar]:
        """Those exactly `depth` levels down, among the first members; of an array below the top, of its first item."""
        for position, (key, node) in enumerate(container.head.items()):
            if container.type == "array" and position > 0 and not (is_top and depth == 1):
                return
            at = f"{path}{step(key)}"
            if not isinstance(node, Container) and not self._is_nested(node):
                if depth == 1:
                    yield _Scalar(at, node)
            elif depth > 1:
                yield from self._scalars(self.opened(node), at, depth - 1, is_top=False)

    def _text(self, node: Raw | Span) -> str:
        """The scalar as JSON text; a string is decoded first, so that nothing is cut inside an escape."""
        text = self._bytes(node)
        is_string = self.type(node) == "string"
        shown = _string_head(text) if is_string else bytes(text[:_SHOWN_BYTES]).decode(errors="replace").strip()
        shown = clip(shown_scalar(shown) if self._is_mended else shown, MAX_EXAMPLE_CHARS)
        return msgspec.json.encode(shown).decode() if is_string else shown


def step(key: str | int) -> str:
    """A key or index as it stands in a path."""
    if isinstance(key, int):
        return f"[{key}]"
    key = clip(key, _NAME_CHARS)
    return f".{key}" if _PLAIN_NAME.fullmatch(key) else f"[{msgspec.json.encode(key).decode()}]"


def _string_head(text: memoryview) -> str:
    """A string decoded, of a long or unclosed one enough of its start to be clipped."""
    head = bytes(text[:_SHOWN_BYTES])
    for end in range(len(head), max(len(head) - 16, 0), -1):
        for closing in (b"", b'"'):
            try:
                return msgspec.json.decode(head[:end] + closing, type=str)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
    return ""
