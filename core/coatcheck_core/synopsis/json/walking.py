"""One JSON value of any length, read in parts: what it holds, where it ends, or where it stops being JSON."""

import re

import msgspec

from coatcheck_core.synopsis.effort import Step
from coatcheck_schemas.synopsis import JsonType

from .faults import Fault, cut, no_value, wrong
from .leaping import Leaps
from .nodes import Container, Node, Span, type_at
from .parsing import RAW, Stopped, parse
from .skimming import skim
from .strings import PART_BYTES, number_end, string_end

DEEPEST = 48
"""Of containers that are too long or too deep for the compiled parser, so many levels are told apart."""
_BLANKS = re.compile(rb"[ \t\r\n]*+")
_MOST_PROBED_BYTES = 1024 * 1024
_CLOSING = {"object": b"}", "array": b"]"}


class Walker:
    """Reads `data`; after a `fault` no more is read, and what was met until then is in the containers."""

    def __init__(self, data: bytes, step: Step) -> None:
        self.data = data
        self.fault: Fault | None = None
        self._step = step
        self._view = memoryview(data)

    def blanks_end(self, at: int) -> int:
        found = _BLANKS.match(self.data, at)
        return at if found is None else found.end()

    def value(self, at: int, depth: int = 0, probed: int = PART_BYTES) -> tuple[Node, int]:
        """The value that begins at `at`, and where it ends; at a fault, what there is of it.

        A short one is checked by the compiled parser at once. One that goes on behind `probed` bytes, or is broken, is
        read item by item.
        """
        self._step()
        first = self.data[at] if at < len(self.data) else 0
        if first in b"-0123456789":
            return self._number(at)
        stop = min(at + probed, len(self.data))
        try:
            parse(RAW, self._view[at:stop])
            return Span(at, stop), stop
        except Stopped as stopped:
            if stopped.why == "trailing":
                return Span(at, at + stopped.at), at + stopped.at
        if first in b"{[":
            if depth < DEEPEST:
                return self._container(at, "object" if first == ord("{") else "array", depth)
            end = skim(self.data, at, self._step)
        else:
            end = string_end(self.data, at) if first == ord('"') else no_value(self.data, at)
        return self._ended(at, end)

    def _number(self, at: int) -> tuple[Node, int]:
        end = number_end(self.data, at)
        if end is None:
            return self._ended(at, no_value(self.data, at))
        if end == len(self.data):
            return self._ended(at, cut(self.data, "inside a number"))
        return Span(at, end), end

    def _ended(self, at: int, end: int | Fault) -> tuple[Node, int]:
        if isinstance(end, int):
            return Span(at, end), end
        self.fault = end
        return Span(at, end.at), end.at

    def _container(self, start: int, kind: JsonType, depth: int) -> tuple[Container, int]:
        container = Container(kind)
        closing = _CLOSING[kind]
        leaps = Leaps(self.data, container, start)
        at = self.blanks_end(start + 1)
        if self.data[at : at + 1] == closing:
            return container, at + 1
        longest = 0
        while True:
            if (landed := leaps.leap(at)) is not None:
                at, is_closed = landed
                if is_closed:
                    return container, at + 1
                self._step()
                at = self.blanks_end(at)
                continue
            begun = at
            at = self._next(container, at, depth, min(max(PART_BYTES, 2 * longest), _MOST_PROBED_BYTES))
            longest = max(longest, at - begun)
            comma = self._behind(container, at)
            if comma is None:
                return container, at
            if self.data[comma] == closing[0]:
                return container, comma + 1
            leaps.learn(at, comma)
            at = self.blanks_end(comma + 1)

    def _next(self, container: Container, at: int, depth: int, probed: int) -> int:
        """Read one member or item into the container; the end of it."""
        key: str | int = container.length
        if container.type == "object":
            opened = self._key(at)
            if opened is None:
                return at
            key, at = opened
        begins = type_at(self.data[at]) if at < len(self.data) else "null"
        node, end = self.value(at, depth + 1, probed)
        if self.fault is not None:
            self.fault.path.append(key)
            if self.fault.at > at or self.fault.is_cut:
                container.leave_open(key, node)
        elif isinstance(key, str):
            container.add_member(key, node)
        else:
            container.add_item(node, begins)
        return end

    def _key(self, at: int) -> tuple[str, int] | None:
        """A key, and where its value begins."""
        if at >= len(self.data):
            self.fault = cut(self.data, "inside an object")
        elif self.data[at] != ord('"'):
            self.fault = wrong(self.data, at, "a key in quotes")
        elif isinstance(end := string_end(self.data, at), Fault):
            self.fault = end
        elif (colon := self.blanks_end(end)) >= len(self.data):
            self.fault = cut(self.data, "behind a key")
        elif self.data[colon] != ord(":"):
            self.fault = wrong(self.data, colon, "a colon")
        elif (begin := self.blanks_end(colon + 1)) >= len(self.data):
            self.fault = cut(self.data, "behind a key")
        else:
            return decoded(self._view[at:end]), begin
        return None

    def _behind(self, container: Container, at: int) -> int | None:
        """Where the comma or closing bracket behind an item stands; None at a fault."""
        if self.fault is not None:
            return None
        closing = _CLOSING[container.type]
        place = self.blanks_end(at)
        if place >= len(self.data):
            self.fault = cut(self.data, f"inside an {container.type}")
        elif self.data[place] == closing[0]:
            return place
        elif self.data[place] != ord(","):
            self.fault = wrong(self.data, place, f"a comma or {closing.decode()}")
        elif (behind := self.blanks_end(place + 1)) >= len(self.data):
            self.fault = cut(self.data, "behind a comma")
        elif self.data[behind] == closing[0]:
            self.fault = wrong(self.data, behind, "a value" if container.type == "array" else "a key in quotes")
        else:
            return place
        return None


def decoded(string: memoryview) -> str:
    """A JSON string that the parser has checked already."""
    return msgspec.json.decode(string, type=str)
