"""From one item of a long array or object to one far behind it, without a look at each of those between.

What stands between the first two items (`}, {"id"`) most likely stands between the others. Where an array's items up to
such a place, in brackets of their own, are JSON, then a comma of that array stands there: a parser reads from left to
right, and after the same text it is in the same state. So a guess that was wrong is always seen.
"""

import re

from msgspec import Raw

from .nodes import SAMPLED_ITEMS, Container
from .parsing import ITEMS, MEMBERS, RAW, Stopped, parse

BLOCK_BYTES = 96 * 1024
"""What the processor has at hand, with what is made of it."""
MOST_BYTES_AN_ITEM = 16 * 1024
"""Larger ones are read one by one, which costs no more."""
_LEAST_ITEMS = 12
_TRIES = 2
_MOST_PATIENCE = 4096
_BEFORE = re.compile(rb'"?[\]} \t\r\n]*+\Z')
_BEFORE_BYTES = 64
_BEHIND = re.compile(rb'[ \t\r\n]*+(?:[\[{][ \t\r\n]*+){0,8}(?:"(?:[^"\\]{0,60}+")?)?')
_SIGNS = (b'"', b"{", b"[")
_MOST_CHECKED_MEMBERS = 500
"""So many members are looked at for keys that come twice; it costs as much as to read them."""


class Leaps:
    """The leaps within one container, that tell it of what they go over."""

    def __init__(self, data: bytes, container: Container, start: int) -> None:
        self._data = data
        self._view = memoryview(data)
        self._start = start
        self._container = container
        self._is_object = container.type == "object"
        self._between: list[tuple[bytes, int]] = []
        self._patience = _LEAST_ITEMS
        self._until_next = _LEAST_ITEMS

    def learn(self, end: int, comma: int) -> None:
        """That an item ends at `end`, with a comma behind it."""
        if self._until_next > 2:
            self._until_next -= 1
            return
        self._until_next -= 1
        data = self._data
        before = _last(_BEFORE, bytes(data[max(end - _BEFORE_BYTES, 0) : comma]))
        found = _BEHIND.match(data, comma + 1)
        behind = b"" if found is None else found[0]
        if self._is_object:
            behind = behind[: behind.find(b'"') + 1]
        short = behind[: len(behind) - len(behind.lstrip(b" \t\r\n[{"))]
        self._between = [(before + b"," + behind, len(before))]
        if short != behind:
            self._between.append((before[-1:] + b"," + short, len(before[-1:])))

    def leap(self, at: int) -> tuple[int, bool] | None:
        """Behind a comma far from `at` (False), or at the closing bracket (True); None where one more is to be read."""
        if self._until_next > 0 or not self._between:
            return None
        read = self._container.length + self._container.repeated
        if at - self._start > MOST_BYTES_AN_ITEM * read:
            self._until_next = _LEAST_ITEMS
            return None
        landed = self._leap(at)
        if landed is None:
            self._patience = min(self._patience * 2, _MOST_PATIENCE)
            self._until_next = self._patience
        return landed

    def _leap(self, at: int) -> tuple[int, bool] | None:
        end = min(at + BLOCK_BYTES, len(self._data))
        if end == len(self._data) and (closing := self._take(at, end, closed=False)) is not None:
            return closing
        for between, comma in self._between:
            limit = end
            for _ in range(_TRIES):
                found = self._data.rfind(between, at, limit)
                if found < 0:
                    break
                landed = self._take(at, found + comma, closed=True)
                if landed is not None:
                    if not landed[1] and found - at < BLOCK_BYTES // 8:
                        self._until_next = _LEAST_ITEMS  # a rare place: what stands between items is another by now
                    return landed
                limit = found + len(between) - 1
        return None

    def _take(self, at: int, end: int, *, closed: bool) -> tuple[int, bool] | None:
        """Count what stands there; to its closing bracket where that comes first, or is not to be put there."""
        opening, closing = (b"{", b"}") if self._is_object else (b"[", b"]")
        piece = b"".join((opening, self._view[at:end], closing if closed else b""))
        try:
            if not self._count(piece):
                return None
        except Stopped as stopped:
            if stopped.why != "trailing":
                return None
            last = piece.rfind(closing, 0, stopped.at)
            return (at + last - 1, True) if self._count(piece[: last + 1]) else None
        return (end + 1, False) if closed else (at + piece.rfind(closing) - 1, True)

    def _count(self, piece: bytes) -> bool:
        """Tell the container of what is in it; False where that has to be read one by one. Raises Stopped."""
        container = self._container
        if self._is_object:
            members = parse(MEMBERS, piece)
            read = container.length + container.repeated + len(members)
            if read <= _MOST_CHECKED_MEMBERS and may_repeat(piece, members):
                return False
            container.add_members(members)
        elif container.length >= SAMPLED_ITEMS and not any(piece.find(sign, 1) >= 0 for sign in _SIGNS):
            parse(RAW, piece)
            container.add_scalars(len(piece) - len(piece.translate(None, b",")) + 1)
        else:
            container.add_items(parse(ITEMS, piece))
        return True


def may_repeat(text: bytes, members: dict[str, Raw]) -> bool:
    """Whether an object may have a key twice: there are more quotes in it than its distinct members have."""
    quotes = 2 * len(members) + sum(key.count('"') for key in members)
    return text.count(b'"') != quotes + sum(bytes(raw).count(b'"') for raw in members.values())


def _last(pattern: re.Pattern[bytes], data: bytes) -> bytes:
    found = pattern.search(data)
    return b"" if found is None else found[0]
