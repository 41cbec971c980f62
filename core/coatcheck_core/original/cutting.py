"""Cutting an original into blocks of whole chars, counted and with their checksums, while its bytes pass."""

import copy
import zlib
from collections.abc import Iterator

import msgspec

from coatcheck_core.encodings import Decoder

_BITE_BYTES = 64 * 1024


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """`chars` and `newlines` mean nothing where the whole turns out to be no text."""

    data: bytes
    chars: int
    newlines: int
    checksum: int


class Cutter:
    """Feed it the bytes in order, in pieces of any length: where blocks end does not depend on them.

    A block has `block_bytes`, less the first bytes of a char that would be cut in two, which begin the next one, or
    enough for one char. What is no text, or no more, is cut anywhere.
    """

    def __init__(self, encoding: str | None, block_bytes: int) -> None:
        self._block_bytes = block_bytes
        self._decoder = None if encoding is None else Decoder(encoding)
        self._held = b""
        self._room = block_bytes
        self._begin()

    @property
    def text(self) -> Decoder | None:
        """What has counted it, and says whether all so far is text; None where the first bytes were none."""
        return self._decoder

    def feed(self, data: bytes | memoryview) -> Iterator[Block]:
        at, end = 0, len(data)
        while at < end:
            piece = bytes(data[at : at + min(self._room, _BITE_BYTES)])
            at += len(piece)
            self._take(piece)
            if self._room <= 0:
                if self._pieces:
                    yield self._cut()
                else:
                    self._room = 1

    def whole(self, last: bytes) -> bytes:
        """What is to be fed next, and last, of a text that was cut: without what is there of its last char."""
        if self._decoder is None:
            return last
        after = copy.copy(self._decoder)
        return last[: max(0, len(last) - after.unfinished)] if after.feed(last) else last

    def finish(self) -> Iterator[Block]:
        """The last block, if there is one. After it `text` knows whether all was text."""
        if self._decoder is not None:
            self._decoder.finish()
        if self._held:
            self._settle(self._held)
            self._held = b""
        if self._pieces:
            yield self._cut()

    def _begin(self) -> None:
        self._pieces: list[bytes] = []
        self._checksum = 0
        self._room = max(1, self._block_bytes - len(self._held))
        self._chars_before = 0 if self._decoder is None else self._decoder.chars
        self._newlines_before = 0 if self._decoder is None else self._decoder.newlines

    def _take(self, piece: bytes) -> None:
        self._room -= len(piece)
        unfinished = 0
        if self._decoder is not None and self._decoder.feed(piece):
            unfinished = self._decoder.unfinished
        whole = self._held + piece if self._held else piece
        settled = whole[: len(whole) - unfinished]
        self._held = whole[len(settled) :]
        if settled:
            self._settle(settled)

    def _settle(self, data: bytes) -> None:
        self._pieces.append(data)
        self._checksum = zlib.crc32(data, self._checksum)

    def _cut(self) -> Block:
        chars = newlines = 0
        if self._decoder is not None:
            chars = self._decoder.chars - self._chars_before
            newlines = self._decoder.newlines - self._newlines_before
        block = Block(data=b"".join(self._pieces), chars=chars, newlines=newlines, checksum=self._checksum)
        self._begin()
        return block
