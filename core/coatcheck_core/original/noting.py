"""The index of an original of which none is stored: it is noted while the bytes pass that prove it."""

import hashlib

from coatcheck_core.encodings.names import sort_of

from .blocks import Noted
from .cutting import Block, Cutter
from .index import Facts, Index

NOTED_BLOCK_BYTES = 16 * 1024
"""What a page needs is fetched in blocks: so small that little is fetched in vain, and an index of a MiB takes 3 KB."""


class Noting:
    """Feed it the bytes in order, in pieces of any length; a second for some 150 MB. Nothing of them is kept.

    `encoding` is the text's as it was found when it was stored, None of no text. What is no text in it, and a text in
    an encoding that is not known here, has neither chars nor lines.
    """

    def __init__(self, encoding: str | None, block_bytes: int = NOTED_BLOCK_BYTES) -> None:
        self._cutter = Cutter(_known(encoding), block_bytes)
        self._noted = Noted()
        self._sha256 = hashlib.sha256()
        self._size = 0

    def feed(self, data: bytes | memoryview) -> None:
        self._sha256.update(data)
        self._size += len(data)
        for block in self._cutter.feed(data):
            self._note(block)

    def finish(self) -> Index:
        """Of the plain original that all of it is, with its sha256 and its size."""
        for block in self._cutter.finish():
            self._note(block)
        text = self._cutter.text if self._cutter.text is not None and self._cutter.text.is_valid else None
        columns = self._noted.columns
        facts = Facts(
            form="plain",
            encoding=None if text is None else text.encoding,
            sha256=self._sha256.hexdigest(),
            bytes=self._size,
            chars=None if text is None else text.chars,
            lines=None if text is None else text.lines,
            blocks=len(columns),
        )
        return Index(facts, columns if text is not None else columns.uncounted())

    def _note(self, block: Block) -> None:
        size = len(block.data)
        self._noted.add(size, block.chars, block.newlines, size, block.checksum)


def _known(encoding: str | None) -> str | None:
    if encoding is None:
        return None
    try:
        sort_of(encoding)
    except ValueError:
        return None
    return encoding
