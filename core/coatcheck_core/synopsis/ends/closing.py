"""Whether the end of a large document closes what its start has opened, and what a tool has put below it."""

import re

import msgspec

from coatcheck_core.synopsis.text.outcome import outcome_of

_LOOKED_AT_BYTES = 64 * 1024
_TRAILING_BYTES = 4000
_MOST_LINES = 40
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_STRUCTURE = re.compile(rb"[\s,:\[\]{}0-9.eE+\-truefalsnINiy]*+")
_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_PAIRS = {ord("}"): ord("{"), ord("]"): ord("[")}
_GOES_ON = b",:]}"
_BEHIND_ROOT = re.compile(rb"(?:\s++|<!--.*?-->|<\?.*?\?>)*+", re.DOTALL)


class Closing(msgspec.Struct, frozen=True):
    """How a document ends: `trailing` is what stands on the lines below it, and is no part of it."""

    trailing: str = ""

    @property
    def outcome(self) -> list[str]:
        return outcome_of(self.trailing) if self.trailing else []


def json_closing(tail: bytes, opening: int, *, is_long: bool = True) -> Closing | None:
    """Of a JSON document that begins with that bracket; None where the end does not close it.

    `is_long`: it began before `tail`, and so its last bracket closes none of those in it.
    """
    closing = b"}" if opening == ord("{") else b"]"
    tail = tail[-_LOOKED_AT_BYTES:].rstrip()
    end = len(tail)
    for _ in range(_MOST_LINES):
        if len(tail) - end > _TRAILING_BYTES:
            return None
        if tail.endswith(closing, 0, end) and not (is_long and _is_inner(tail[:end])):
            trailing = tail[end:].strip()
            return None if trailing.startswith(tuple(_GOES_ON_EACH)) else Closing(trailing.decode(errors="ignore"))
        newline = tail.rfind(b"\n", 0, end)
        if newline < 0:
            return None
        end = len(tail[:newline].rstrip())
    return None


def xml_closing(tail: bytes, root: bytes) -> Closing | None:
    """Of an XML document with that root tag; None where the end does not close it."""
    at = tail.rfind(b"</" + root)
    closed = None if at < 0 else re.compile(rb"\s*+>").match(tail, at + 2 + len(root))
    if closed is None:
        return None
    behind = _BEHIND_ROOT.match(tail, closed.end())
    rest = tail[closed.end() if behind is None else behind.end() :]
    if not rest.strip():
        return Closing()
    is_below = b"\n" in tail[closed.end() : len(tail) - len(rest)] and len(rest) <= _TRAILING_BYTES
    return Closing(rest.decode(errors="ignore").strip()) if is_below and not rest.startswith(b"<") else None


def _is_inner(end: bytes) -> bool:
    """Whether the last bracket closes one that is opened in this piece of JSON, as the last of a document does not.

    Whether the piece begins in a string is told by what then stands outside of strings.
    """
    outside = [_STRING.sub(b"", end), _STRING.sub(b"", b'"' + end)]
    likely = [body for body in outside if body.endswith((b"]", b"}")) and _STRUCTURE.fullmatch(body)]
    return bool(likely) and not any(_is_unmatched(body.translate(None, _BRACKETS)) for body in likely)


def _is_unmatched(brackets: bytes) -> bool:
    opened: list[int] = []
    for position, bracket in enumerate(brackets):
        if bracket not in _PAIRS:
            opened.append(bracket)
        elif opened and opened[-1] == _PAIRS[bracket]:
            opened.pop()
        elif position == len(brackets) - 1:
            return not opened
        else:
            opened.clear()
    return False


_GOES_ON_EACH = tuple(_GOES_ON[at : at + 1] for at in range(len(_GOES_ON)))
