"""An original's bytes out of what is stored of it, every block proved by its checksum."""

import zlib
from collections.abc import Iterator
from typing import IO, Protocol, cast

import zstandard

from coatcheck_schemas.errors import DamagedOriginal
from coatcheck_schemas.metadata import Form

from .index import Index
from .spans import Span, span_of

_MAX_WINDOW_BYTES = 8 * 1024 * 1024


def unpacked(index: Index, span: Span, stored: bytes | memoryview) -> bytes:
    """The raw bytes of the span, of which `stored` are those that lie in storage.

    Raises DamagedOriginal where they are not what the index says.
    """
    data = proved(index, span, stored)
    return data if isinstance(data, bytes) else bytes(data)


def proved(index: Index, span: Span, stored: bytes | memoryview) -> bytes | memoryview:
    """The same, `stored` itself where the original lies there as it is."""
    if index.facts.form == "plain":
        return _proved(index, span, stored)
    blocks = unpacked_blocks(index, span, stored)
    return next(blocks, b"") if span.last - span.first <= 1 else b"".join(blocks)


def unpacked_blocks(index: Index, span: Span, stored: bytes | memoryview) -> Iterator[bytes]:
    """The same block by block, each in a few milliseconds."""
    _check_length(span, stored)
    view = memoryview(stored)
    for block in range(span.first, span.last):
        one = span_of(index, block, block + 1)
        lies = view[one.stored_start - span.stored_start : one.stored_stop - span.stored_start]
        data = bytes(lies) if index.facts.form == "plain" else _decompressed(lies, one.size)
        if len(data) != one.size or zlib.crc32(data) != index.checksums[block]:
            raise _mismatch(index, block)
        yield data


def _proved(index: Index, span: Span, stored: bytes | memoryview) -> bytes | memoryview:
    _check_length(span, stored)
    view = memoryview(stored)
    for block in range(span.first, span.last):
        one = span_of(index, block, block + 1)
        if zlib.crc32(view[one.start - span.start : one.stop - span.start]) != index.checksums[block]:
            raise _mismatch(index, block)
    return stored


def _check_length(span: Span, stored: bytes | memoryview) -> None:
    if len(stored) != span.stored_stop - span.stored_start:
        raise DamagedOriginal(f"{len(stored)} bytes are there of {span.stored_stop - span.stored_start}")


def _mismatch(index: Index, block: int) -> DamagedOriginal:
    return DamagedOriginal(f"block {block} of {index.facts.blocks} does not match its checksum")


_FREE: list[zstandard.ZstdDecompressor] = []
"""As many as were ever at work at a time. To make one for each block takes as long as the block: its memory comes from
the system, and page by page."""


class Readable(Protocol):
    """A file, as far as it is needed here."""

    def read(self, size: int, /) -> bytes:
        """At most so many of the next bytes; none at the end."""
        ...


def read_raw(stored: Readable, form: Form, size: int) -> bytes:
    """The first `size` raw bytes of an original of which what is stored is read from its beginning, unproved.

    Raises DamagedOriginal where it cannot be decompressed.
    """
    if form == "plain":
        return stored.read(size)
    decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES)
    try:
        return decompressor.stream_reader(cast(IO[bytes], stored), read_across_frames=True).read(size)
    except zstandard.ZstdError as error:
        raise DamagedOriginal(f"it cannot be decompressed: {error}") from None


def _decompressed(frames: memoryview, size: int) -> bytes:
    """Never more than `size`, whatever the frames say."""
    try:
        if zstandard.get_frame_parameters(frames).content_size == size:
            return _decompressed_frame(frames, size)
        reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES).stream_reader(
            frames, read_across_frames=True
        )
        data = reader.read(size)
        more = reader.read(1)
    except (zstandard.ZstdError, MemoryError) as error:
        raise DamagedOriginal(f"a block cannot be decompressed: {error}") from None
    if more:
        raise DamagedOriginal(f"a block has more than its {size} bytes")
    return data


def _decompressed_frame(frame: memoryview, size: int) -> bytes:
    """All of one frame that says itself to have `size` raw bytes; zstandard allocates what it says.

    Safe in many threads: each takes a decompressor off the list, and one that has failed is not put back.
    """
    try:
        decompressor = _FREE.pop()
    except IndexError:
        decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES)
    data = decompressor.decompress(frame, max_output_size=size, allow_extra_data=False)
    _FREE.append(decompressor)
    return data
