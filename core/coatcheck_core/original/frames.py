"""The zstd seekable format: frames one after the other, and where they lie in a skippable frame at the very end.

A skippable frame is its magic and its length, four bytes each, and what every decoder of zstd passes over. The seek
table is one: for each frame its compressed and its raw bytes, four bytes each, then the number of frames in four, a
byte of flags (0: no checksums, those are in the frames), and the magic of seek tables. All numbers are little-endian.
"""

import struct
from array import array
from collections.abc import Sequence

import zstandard

LEVEL = 3
TUNED_BYTES = 512 * 1024
"""As if each frame had so much: for what is shorter zstd takes other parameters, which make logs and JSON larger."""
SEEK_TABLE = 0x184D2A5E
"""The magic of the skippable frame that holds one."""
OUR_INDEX = 0x184D2A57
"""The magic of the one that holds an index of ours."""
SEEKABLE = 0x8F92EAB1
MOST_FRAMES = 1 << 24
"""More are not believed: eight million million bytes."""
FOOTER = struct.Struct("<IBI")
HEADER = struct.Struct("<II")
_ENTRY_BYTES = 8


def compressor() -> zstandard.ZstdCompressor:
    """Makes a frame at a call, with its raw length and a checksum."""
    parameters = zstandard.ZstdCompressionParameters.from_level(
        LEVEL, source_size=TUNED_BYTES, write_checksum=True, write_content_size=True
    )
    return zstandard.ZstdCompressor(compression_params=parameters)


def skippable(magic: int, content: bytes) -> bytes:
    return HEADER.pack(magic, len(content)) + content


def seek_table(compressed: Sequence[int], raw: Sequence[int]) -> bytes:
    """The last frame; its numbers have 32 bits."""
    entries = array("I", bytes(_ENTRY_BYTES * len(raw)))
    entries[::2], entries[1::2] = array("I", compressed), array("I", raw)
    return skippable(SEEK_TABLE, little_endian(entries) + FOOTER.pack(len(raw), 0, SEEKABLE))


def seek_table_bytes(end: bytes) -> int | None:
    """How long the seek table is with which an object ends so; None where it ends otherwise."""
    if len(end) < FOOTER.size:
        return None
    frames: int
    frames, flags, magic = FOOTER.unpack(end[-FOOTER.size :])
    if (flags, magic) != (0, SEEKABLE) or frames > MOST_FRAMES:
        return None
    return HEADER.size + _ENTRY_BYTES * frames + FOOTER.size


def little_endian(column: "array[int]") -> bytes:
    return _swapped(column).tobytes()


def from_little_endian(typecode: str, data: bytes) -> "array[int]":
    return _swapped(array(typecode, data))


def _swapped(column: "array[int]") -> "array[int]":
    if struct.pack("=H", 1) == b"\1\0":
        return column
    column = column[:]
    column.byteswap()
    return column
