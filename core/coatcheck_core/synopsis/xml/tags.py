"""The tags of a text that a parser has accepted, a block at a time: what each is, and how deep it stands."""

import re
from array import array
from collections.abc import Iterator
from itertools import accumulate
from operator import itemgetter

from coatcheck_core.synopsis.effort import Step

from .finding import OPEN, construct_end, find
from .grammar import START_TAG, constructs_in, is_empty

TAGS_BYTES = 64 * 1024
"""There may be a tag each three bytes, and a processor has them all at hand."""
START, EMPTY, END = 0x01, 0x00, 0xFF
"""What a tag does to the depth, as a signed byte."""
DEEPEST = 255
_BY_FIRST_BYTE = bytes(END if byte == 0x2F else START for byte in range(256))
_CLOSER = b"\x03"
"""Stands for `/>`: no well-formed text has this character."""
_MARKS = bytes(0xFF if byte == 0x3C else byte for byte in range(256))
_NO_MARKS = bytes(byte for byte in range(256) if byte not in b"<" + _CLOSER)


class Tags:
    """Some that follow each other: each is a piece with the text behind it, without its `<`.

    `steps` says byte by byte what each is: START, EMPTY or END. They were read from `block`, which begins at `at`.
    """

    def __init__(self, at: int, block: bytes, pieces: list[bytes], steps: bytes) -> None:
        self._at = at
        self._block = block
        self.pieces = pieces
        self.steps = steps
        self._before: list[int] = []

    @property
    def is_bare(self) -> bool:
        """Whether there is nothing but tags and text."""
        return constructs_in(self._block) is None

    def position(self, number: int) -> int:
        """Where that one begins."""
        if not self._before:
            constructs = constructs_in(self._block)
            block = self._block if constructs is None else constructs.sub(_blanked, self._block)
            self._before = list(accumulate(map(len, block.split(b"<"))))
        return self._at + self._before[number] + number

    def depths(self, before: int) -> bytes:
        """How deep each stands, and what follows the last: DEEPEST at most, and 0 at least."""
        changes = array("b", self.steps)
        try:
            return bytes(accumulate(changes, initial=before))
        except ValueError:
            return bytes([min(max(depth, 0), DEEPEST) for depth in accumulate(changes, initial=before)])

    def end_of(self, data: bytes, number: int) -> int:
        """Behind that one, in the text itself."""
        at = self.position(number)
        start = START_TAG.match(data, at)
        return data.find(b">", at) + 1 if start is None else start.end()

    @property
    def change(self) -> int:
        """How much deeper it is behind the last than before the first."""
        return self.steps.count(START) - self.steps.count(END)


class TagReader:
    """All tags between two places that cut none; the pieces are without comments, CDATA sections and instructions.

    Of a tag longer than a block its piece has the name alone. Who is `trusting` takes each `/>` for the end of a tag:
    one in a text or an attribute takes a START for an EMPTY, so that there is an END too many. What follows is at `at`.
    """

    def __init__(self, data: bytes, at: int, end: int, step: Step, *, trusting: bool = False) -> None:
        self._data = data
        self._end = end
        self._step = step
        self._trusting = trusting
        self.at = at

    def read(self) -> Tags | None:
        """The next ones; None where there are no more."""
        while self.at < self._end:
            self._step()
            at = self.at
            block, bare = _whole_block(self._data, at, self._end)
            if block:
                self.at += len(block)
                first = bare.find(b"<")
                if first >= 0:
                    bare = bare if first == 0 else bare[first:]
                    pieces = bare.split(b"<")[1:]
                    return Tags(at, block, pieces, _steps(bare, pieces, self._trusting))
            elif self._data.startswith((b"<!", b"<?"), at):
                behind = construct_end(self._data, at, self._end, self._step)
                self.at = self._end if behind == OPEN else behind
            else:
                tag, self.at = _long_tag(self._data, at, self._end, self._step)
                return tag
        return None


def read_tags(data: bytes, at: int, end: int, step: Step) -> Iterator[Tags]:
    """All of them."""
    return iter(TagReader(data, at, end, step).read, None)


def _whole_block(data: bytes, at: int, end: int) -> tuple[bytes, bytes]:
    """Up to the last `<` in it, or the whole where there is none; nothing where what begins there is longer.

    The same again without what is no tag or text.
    """
    block = data[at : min(at + TAGS_BYTES, end)]
    is_last = at + len(block) == end
    constructs = constructs_in(block)
    if constructs is None:
        last = OPEN if is_last else block.rfind(b"<")
        block = block if last == OPEN else block[:last]
        return block, block
    parts = constructs.split(block)
    opened = parts[-2] if len(parts) > 1 else None
    if opened is not None:
        block = block[: -len(opened) - 2]
    elif not is_last and (last := parts[-1].rfind(b"<")) >= 0:
        block = block[: len(block) - len(parts[-1]) + last]
        parts[-1] = parts[-1][:last]
    return block, b"".join(parts[::2])


def _blanked(construct: re.Match[bytes]) -> bytes:
    return b" " * len(construct[0])


def _long_tag(data: bytes, at: int, end: int, step: Step) -> tuple[Tags, int]:
    """The one that begins there, and where it ends."""
    start = START_TAG.match(data, at, end)
    if start is not None:
        piece, what = (start[1] + b"/>", EMPTY) if is_empty(start) else (start[1] + b">", START)
        return Tags(at, b"<", [piece], bytes([what])), start.end()
    closing = find(data, b">", at, end, step)
    return Tags(at, b"<", [b"/>"], bytes([END])), end if closing == OPEN else closing + 1


def _steps(block: bytes, pieces: list[bytes], trusting: bool) -> bytes:
    """An end tag begins with a slash, and one at the end of another tells an empty element."""
    steps = bytes(map(itemgetter(0), pieces)).translate(_BY_FIRST_BYTE)
    closed = block.split(b"/>")
    if len(closed) == 1:
        return steps
    if not trusting and block.count(b">") > len(pieces):
        closed = _closed_by_tags(block)
    if len(closed) - 1 == steps.count(START):
        return steps.replace(bytes([START]), bytes([EMPTY]))
    # Of each tag a 0xFF stays, or a 0 for an empty element's: an AND of all of them at once is one of two numbers.
    kept = _CLOSER.join(closed).translate(_MARKS, _NO_MARKS).replace(b"\xff" + _CLOSER, b"\x00").replace(_CLOSER, b"")
    return (int.from_bytes(steps) & int.from_bytes(kept)).to_bytes(len(steps))


def _closed_by_tags(block: bytes) -> list[bytes]:
    """What stands between the ends of the empty elements' tags."""
    closed, behind, at = [], 0, 0
    while (found := block.find(b"/>", at)) >= 0:
        start = START_TAG.match(block, block.rfind(b"<", at, found))
        if start is not None and is_empty(start):
            closed.append(block[behind : start.end() - 2])
            behind = start.end()
        at = block.find(b"<", found)
        if at < 0:
            break
    return [*closed, block[behind:]]
