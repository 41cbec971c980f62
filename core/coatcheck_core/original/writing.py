"""Making what is stored of an original while its bytes pass, once: hash, counts, index, frames, and its two ends."""

import hashlib
from array import array
from typing import Literal

import msgspec

from coatcheck_core.contents import Contents, Placed
from coatcheck_core.encodings import text_encoding
from coatcheck_schemas.metadata import Form

from .blocks import Noted
from .cutting import Block, Cutter
from .ends import Ends
from .frames import OUR_INDEX, compressor, seek_table, skippable
from .index import Facts, encode_index

PLAIN_BLOCK_BYTES = 64 * 1024
ZSTD_BLOCK_BYTES = 256 * 1024

Compression = Literal["zstd", "none"]


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """An original of which all has been stored, in `stored_bytes`.

    `encoding`, `chars` and `lines` are None where it is no text. `index` is what is to be put beside a plain one, of
    `index_bytes`; a compressed one has its own inside: the last `index_bytes` of the object are the skippable frames
    of the index and of the seek table. `head` and `tail` are its first and last bytes, or all where it has not more.
    """

    form: Form
    size: int
    chars: int | None
    lines: int | None
    sha256: str
    encoding: str | None
    stored_bytes: int
    index: bytes | None
    index_bytes: int
    head: bytes
    tail: bytes

    def contents(self, key: str, version: str | None = None) -> Contents:
        """Those of a result that lies under `key` now."""
        return Contents(
            data=self.head,
            size=self.size,
            chars=self.chars,
            lines=self.lines,
            sha256=self.sha256,
            encoding=self.encoding,
            tail=self.tail,
            placed=Placed(
                key=key,
                form=self.form,
                stored_bytes=self.stored_bytes,
                index_bytes=self.index_bytes,
                index=self.index,
                version=version,
            ),
        )


class Writing:
    """`head` is the first bytes of the original, 1 MiB or so or all there are, by which encoding and form are chosen.

    They are not taken for fed: `feed` is to be given every byte, in order, in pieces of any length (and of some 1 MiB
    at most where the interpreter's lock matters). `encoding` is the text's where it is known already, None of no text.
    What it gives back is to be stored next; `finish` gives the last of
    it. What is stored depends on the bytes alone, not on the pieces. Not to be shared by threads at a time.
    """

    def __init__(
        self,
        *,
        mime_type: str | None,
        compression: Compression,
        head: bytes,
        encoding: str | msgspec.UnsetType | None = msgspec.UNSET,
        block_bytes: int | None = None,
    ) -> None:
        if encoding is msgspec.UNSET:
            encoding = text_encoding(head, mime_type)
        self.form: Form = "zstd" if compression == "zstd" and encoding is not None else "plain"
        default = ZSTD_BLOCK_BYTES if self.form == "zstd" else PLAIN_BLOCK_BYTES
        self._cutter = Cutter(encoding, block_bytes or default)
        self._compressor = compressor() if self.form == "zstd" else None
        self._sha256 = hashlib.sha256()
        self._noted = Noted()
        self._frames = array("I")
        self._frame_sizes = array("I")
        self._size = self._stored_bytes = 0
        self._ends = Ends()
        self._written: Written | None = None

    @property
    def written(self) -> Written:
        """Raises RuntimeError before `finish`."""
        if self._written is None:
            raise RuntimeError("the original is not finished")
        return self._written

    @property
    def size(self) -> int:
        """What has been fed so far, in bytes."""
        return self._size

    def feed(self, data: bytes | memoryview) -> bytes:
        """Raises RuntimeError after `finish`."""
        if self._written is not None:
            raise RuntimeError("the original is finished")
        self._size += len(data)
        self._sha256.update(data)
        self._ends.feed(data)
        frames = [self._note(block) for block in self._cutter.feed(data)]
        return self._out(bytes(data) if self.form == "plain" else b"".join(frames))

    def whole(self, last: bytes) -> bytes:
        """What is to be fed of the last bytes, at least three, where the original was cut: of a text whole chars."""
        return self._cutter.whole(last)

    def finish(self) -> bytes:
        """All that has been fed is the original."""
        frames = [self._note(block) for block in self._cutter.finish()]
        facts, columns = self._facts(), self._noted.columns
        index = encode_index(facts, columns if facts.encoding is not None else columns.uncounted())
        last, index_bytes = b"", len(index)
        if self.form == "zstd":
            closing = skippable(OUR_INDEX, index) + seek_table(self._frames, self._frame_sizes)
            last, index_bytes = b"".join([*frames, closing]), len(closing)
        self._out(last)
        self._written = Written(
            form=self.form,
            size=self._size,
            chars=facts.chars,
            lines=facts.lines,
            sha256=facts.sha256,
            encoding=facts.encoding,
            stored_bytes=self._stored_bytes,
            index=index if self.form == "plain" else None,
            index_bytes=index_bytes,
            head=self._ends.head(),
            tail=self._ends.tail(),
        )
        return last

    def _note(self, block: Block) -> bytes:
        """The block's frame; the block itself lies in what was fed where there are none."""
        size = stored = len(block.data)
        frame = b""
        if self._compressor is not None:
            # A copy: what zstandard gives lies at the start of a buffer of the block's size, and holds all of it.
            frame = bytes(memoryview(self._compressor.compress(block.data)))
            stored = len(frame)
            self._frames.append(stored)
            self._frame_sizes.append(size)
        self._noted.add(size, block.chars, block.newlines, stored, block.checksum)
        return frame

    def _out(self, stored: bytes) -> bytes:
        self._stored_bytes += len(stored)
        return stored

    def _facts(self) -> Facts:
        text = self._cutter.text
        if text is not None and not text.is_valid:
            text = None
        return Facts(
            form=self.form,
            encoding=None if text is None else text.encoding,
            sha256=self._sha256.hexdigest(),
            bytes=self._size,
            chars=None if text is None else text.chars,
            lines=None if text is None else text.lines,
            blocks=0,
        )
