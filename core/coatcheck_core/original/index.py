"""The index of an original: how many bytes, chars and lines its blocks have, their checksums, and where they lie.

At most `MAX_BYTES` long, whatever the original's size. All numbers are little-endian:

- 8 bytes: `CoatIdx` and the version, a byte 1
- 4 bytes: the length of the header; the header: a JSON object with `form` (`plain`, `zstd`), `encoding` (the text's,
  null of no text), `sha256` (64 hex digits, of the original's bytes), `bytes`, `chars`, `lines` (null of no text) and
  `blocks`, their number; a reader passes over other fields
- the blocks, compressed by zlib: one column after the other with one number a block: raw bytes; raw bytes less chars;
  newlines; where the form is `zstd`, bytes in storage (one or more whole frames); CRC-32 of the raw bytes. A number has
  8 bytes, a CRC-32 has 4; of a column first come the lowest bytes of all its numbers, then the next ones, and so on
- 4 bytes: the length of the whole index; 4 bytes: the CRC-32 of all before

A line ends at the newline of the text's encoding. Blocks hold whole chars, and the first begins at the first byte.
"""

import struct
import zlib
from array import array
from collections.abc import Sequence
from itertools import accumulate
from operator import gt, sub
from typing import Annotated

import msgspec

from coatcheck_core.encodings.names import sort_of
from coatcheck_schemas.errors import DamagedOriginal
from coatcheck_schemas.metadata import Form

from .blocks import Columns, counts
from .frames import from_little_endian, little_endian

MAX_BYTES = 64 * 1024
TRAILER = struct.Struct("<II")
_START = b"CoatIdx\x01"
_LENGTH = struct.Struct("<I")
_MOST_BLOCKS = 1 << 16
_MOST_HEADER_BYTES = 4096

Sums = Sequence[int]
"""From the first block to each."""

_OBJECTS_BYTES = 1200
"""Of an index beside its columns' numbers: the objects, and the sha256 and encoding as strings."""

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The header: what is true of the whole original. `chars` and `lines` are None of what is no text."""

    form: Form
    encoding: str | None
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    bytes: _Count
    chars: _Count | None
    lines: _Count | None
    blocks: Annotated[int, msgspec.Meta(ge=0, le=_MOST_BLOCKS)]


class Index:
    """An index as it is looked up: sums over the blocks, from the first to each."""

    def __init__(self, facts: Facts, columns: Columns) -> None:
        self.facts = facts
        self.ends = _sums(columns.sizes)
        self.chars = _sums(columns.chars)
        self.newlines = _sums(columns.newlines)
        self.stored = self.ends if facts.form == "plain" else _sums(columns.stored)
        self.checksums = columns.checksums

    @property
    def memory_bytes(self) -> int:
        """What it takes, to within some hundred bytes."""
        columns = [self.ends, self.chars, self.newlines, self.checksums]
        if self.stored is not self.ends:
            columns.append(self.stored)
        return _OBJECTS_BYTES + sum(column.itemsize * len(column) for column in columns)


def encode_index(facts: Facts, columns: Columns) -> bytes:
    """The index, its blocks joined where it would be too long otherwise; `facts.blocks` is filled in here."""
    while len(encoded := _encoded(facts, columns)) > MAX_BYTES:
        columns = columns.halved()
    return encoded


def decode_index(data: bytes) -> Index:
    """Raises DamagedOriginal for what is no whole index, or one that contradicts itself."""
    if not data.startswith(_START):
        raise DamagedOriginal("it is no index of a version that is read here")
    if len(data) < len(_START) + _LENGTH.size + TRAILER.size:
        raise DamagedOriginal("the index is cut off")
    length, checksum = TRAILER.unpack(data[-TRAILER.size :])
    if (length, checksum) != (len(data), zlib.crc32(data[: -_LENGTH.size])):
        raise DamagedOriginal("the index does not have the length or the checksum that it says")
    try:
        return _decoded(data)
    except (ValueError, zlib.error) as error:  # msgspec's errors are ValueErrors
        raise DamagedOriginal(f"the index contradicts itself: {error}") from None


def _encoded(facts: Facts, columns: Columns) -> bytes:
    header = msgspec.json.encode(msgspec.structs.replace(facts, blocks=len(columns)))
    gaps = array("Q", (size - chars for size, chars in zip(columns.sizes, columns.chars, strict=True)))
    written = [columns.sizes, gaps, columns.newlines]
    if facts.form == "zstd":
        written.append(columns.stored)
    written.append(columns.checksums)
    packed = zlib.compress(b"".join(map(_planes, written)), 6)
    body = _START + _LENGTH.pack(len(header)) + header + packed
    body += _LENGTH.pack(len(body) + TRAILER.size)
    return body + _LENGTH.pack(zlib.crc32(body))


def _decoded(data: bytes) -> Index:
    begin = len(_START) + _LENGTH.size
    (header_bytes,) = _LENGTH.unpack(data[len(_START) : begin])
    if header_bytes > min(_MOST_HEADER_BYTES, len(data) - begin - TRAILER.size):
        raise ValueError("its header is too long")
    facts = _FACTS.decode(data[begin : begin + header_bytes])
    columns = _unpacked(facts, data[begin + header_bytes : -TRAILER.size])
    _check(facts, columns)
    return Index(facts, columns)


_FACTS = msgspec.json.Decoder(Facts)


def _unpacked(facts: Facts, packed: bytes) -> Columns:
    codes = "QQQQI" if facts.form == "zstd" else "QQQI"
    expected = facts.blocks * (8 * (len(codes) - 1) + 4)
    inflating = zlib.decompressobj()
    raw = inflating.decompress(packed, expected + 1)
    if len(raw) != expected or not inflating.eof or inflating.unused_data:
        raise ValueError("its blocks are not as many as it says")
    columns = []
    for code in codes:
        width = array(code).itemsize
        columns.append(_from_planes(code, width, raw[: width * facts.blocks]))
        raw = raw[width * facts.blocks :]
    sizes, gaps, newlines, *stored, checksums = columns
    if any(map(gt, gaps, sizes)):
        raise ValueError("a block has less than no chars")
    return Columns(
        sizes=sizes,
        chars=array("Q", map(sub, sizes, gaps)),
        newlines=newlines,
        stored=stored[0] if stored else counts(),
        checksums=checksums,
    )


def _check(facts: Facts, columns: Columns) -> None:
    """So that no lookup leads astray. Raises ValueError."""
    if (facts.encoding is None) != (facts.chars is None) or (facts.encoding is None) != (facts.lines is None):
        raise ValueError("a text has an encoding, chars and lines, and what is none has none of them")
    if facts.encoding is not None:
        sort_of(facts.encoding)
    if sum(columns.sizes) != facts.bytes or sum(columns.chars) != (facts.chars or 0) or 0 in columns.sizes:
        raise ValueError("its blocks are not those of the whole")
    if (facts.lines or 0) - sum(columns.newlines) not in (0, 1) or 0 in columns.stored:
        raise ValueError("its lines are not those of the whole")
    if sum(columns.stored) > 2**62:
        raise ValueError("no object is that long")


def _planes(column: "array[int]") -> bytes:
    data, width = little_endian(column), column.itemsize
    return b"".join(data[plane::width] for plane in range(width))


def _from_planes(code: str, width: int, planes: bytes) -> "array[int]":
    number = len(planes) // width
    data = bytearray(len(planes))
    for plane in range(width):
        data[plane::width] = planes[plane * number : (plane + 1) * number]
    return from_little_endian(code, bytes(data))


def _sums(column: "array[int]") -> "array[int]":
    return array("Q", accumulate(column))
