"""What is stored of a large original: frames that any decoder of zstd reads, an index, and both ends."""

import struct
import zlib
from array import array
from hashlib import sha256
from random import Random
from typing import Literal

import pytest
import zstandard

from coatcheck_core.original import (
    Index,
    Writing,
    Written,
    block_of_char,
    block_of_line,
    decode_index,
    grouped,
    span_of,
    span_of_bytes,
    span_of_chars,
    unpacked,
)
from coatcheck_core.original.blocks import Columns, Noted
from coatcheck_core.original.checksums import joined_crc32
from coatcheck_core.original.ends import HEAD_BYTES, TAIL_BYTES
from coatcheck_core.original.frames import seek_table_bytes
from coatcheck_core.original.index import MAX_BYTES, TRAILER, Facts, encode_index
from coatcheck_schemas.errors import DamagedOriginal

LINES = "".join(f'{{"id": {n}, "name": "Zoë {n * n}"}}\n' for n in range(3000))


def write(
    data: bytes,
    *,
    compression: Literal["zstd", "none"] = "zstd",
    mime_type: str | None = None,
    block_bytes: int | None = None,
    piece: int = 1 << 20,
) -> tuple[bytes, Written]:
    writing = Writing(mime_type=mime_type, compression=compression, head=data[: 1 << 20], block_bytes=block_bytes)
    pieces = [writing.feed(data[at : at + piece]) for at in range(0, len(data), piece)]
    return b"".join([*pieces, writing.finish()]), writing.written


def index_in(stored: bytes, written: Written) -> Index:
    if written.index is not None:
        return decode_index(written.index)
    end = stored[-written.index_bytes :]
    magic, length = struct.unpack("<II", end[:8])
    assert magic == 0x184D2A57
    return decode_index(end[8 : 8 + length])


def test_text_is_compressed_and_its_frames_are_read_by_any_decoder() -> None:
    data = LINES.encode()
    stored, written = write(data, block_bytes=10_000)
    assert (written.form, written.index, written.stored_bytes) == ("zstd", None, len(stored))
    assert len(stored) < len(data) / 3
    with zstandard.ZstdDecompressor().stream_reader(stored, read_across_frames=True) as reader:
        assert reader.read() == data


def test_the_seek_table_says_where_each_frame_lies() -> None:
    data = LINES.encode()
    stored, written = write(data, block_bytes=10_000)
    frames, flags, magic = struct.unpack("<IBI", stored[-9:])
    assert (flags, magic) == (0, 0x8F92EAB1)
    table = stored[-9 - 8 * frames : -9]
    assert struct.unpack("<II", stored[-17 - 8 * frames : -9 - 8 * frames]) == (0x184D2A5E, len(table) + 9)
    assert seek_table_bytes(stored) == len(table) + 17
    at, raw = 0, []
    for compressed, size in struct.iter_unpack("<II", table):
        raw.append(zstandard.ZstdDecompressor().decompress(stored[at : at + compressed]))
        assert len(raw[-1]) == size
        at += compressed
    assert b"".join(raw) == data
    assert at == len(stored) - written.index_bytes


def test_what_is_no_text_or_not_to_be_compressed_is_stored_as_it_is() -> None:
    noise = bytes(range(256)) * 1000
    stored, written = write(noise)
    assert (stored, written.form, written.encoding, written.chars, written.lines) == (noise, "plain", None, None, None)
    stored, written = write(LINES.encode(), compression="none")
    assert (stored, written.form) == (LINES.encode(), "plain")
    assert (written.chars, written.lines) == (len(LINES), 3000)


def test_what_begins_as_text_and_is_none_is_kept_exactly_and_not_counted() -> None:
    data = LINES.encode() + b"\xff\xfe\xfd" + b"x" * 50_000
    writing = Writing(mime_type=None, compression="zstd", head=data[:1000], block_bytes=4096)
    stored = writing.feed(data) + writing.finish()
    written = writing.written
    assert (written.form, written.encoding, written.chars, written.lines) == ("zstd", None, None, None)
    index = index_in(stored, written)
    whole = span_of(index, 0, index.facts.blocks)
    assert unpacked(index, whole, stored[: whole.stored_stop]) == data
    assert (whole.chars_stop, whole.newlines_stop) == (0, 0)


def test_what_ends_within_a_char_is_no_text() -> None:
    _, written = write("漢字".encode()[:-1], compression="none")
    assert written.encoding is None


def test_an_empty_original_has_an_index_of_no_blocks() -> None:
    stored, written = write(b"", compression="none")
    index = index_in(stored, written)
    assert (stored, written.size, written.sha256, index.facts.blocks) == (b"", 0, sha256().hexdigest(), 0)
    assert span_of_bytes(index, 0, 5).size == span_of_chars(index, 3, 9).size == 0
    assert (block_of_char(index, 0), block_of_line(index, 0)) == (0, 0)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "iso8859-1", "gb18030"])
def test_chars_and_lines_are_counted_in_the_text_s_own_encoding(encoding: str) -> None:
    text = "Zoë \u010a first\r\nsecond\n" * 40 if encoding != "iso8859-1" else "Zoë first\r\nsecond\n" * 40
    data = text.encode(encoding)
    mime_type = f"text/plain; charset={encoding}"
    _, written = write(data, compression="none", mime_type=mime_type, block_bytes=17, piece=5)
    assert (written.encoding, written.chars, written.lines) == (encoding, len(text), 80)
    assert written.index is not None
    index = decode_index(written.index)
    for block in range(index.facts.blocks):
        span = span_of(index, block, block + 1)
        inside = unpacked(index, span, data[span.start : span.stop]).decode(encoding)
        assert inside == text[span.chars_start : span.chars_stop]
        assert inside.count("\n") == span.newlines_stop - span.newlines_start


def test_ascii_that_was_declared_to_be_something_else_is_utf_8() -> None:
    _, written = write(b"plain\n" * 100, mime_type="text/plain; charset=iso-8859-1")
    assert written.encoding == "utf-8"


def test_both_ends_are_kept_as_they_came() -> None:
    data = b"".join(b"%08d\n" % n for n in range(700_000))
    _, written = write(data)
    assert written.head == data[:HEAD_BYTES]
    assert written.tail == data[-TAIL_BYTES:]
    _, written = write(data[:1000], piece=7)
    assert written.head == written.tail == data[:1000]


def test_what_is_finished_takes_no_more() -> None:
    writing = Writing(mime_type=None, compression="none", head=b"a")
    with pytest.raises(RuntimeError):
        _ = writing.written
    writing.finish()
    with pytest.raises(RuntimeError):
        writing.feed(b"a")


def columns(blocks: int, size: int) -> Columns:
    noted, random = Noted(max_blocks=1 << 20), Random(1)
    for _ in range(blocks):
        chars, newlines, stored = random.randrange(size - 5000, size), random.randrange(5000), random.randrange(size)
        noted.add(size, chars, newlines, stored + 1, random.getrandbits(32))
    return noted.columns


def facts_of(of: Columns) -> Facts:
    chars, lines = sum(of.chars), sum(of.newlines)
    return Facts(
        form="zstd", encoding="utf-8", sha256="0" * 64, bytes=sum(of.sizes), chars=chars, lines=lines, blocks=0
    )


def test_an_index_never_takes_more_than_64_kib() -> None:
    of = columns(30_000, 1 << 19)
    encoded = encode_index(facts_of(of), of)
    assert MAX_BYTES / 3 < len(encoded) <= MAX_BYTES
    index = decode_index(encoded)
    assert index.ends[-1] == 30_000 << 19
    assert index.facts.blocks == 30_000 / 8


def test_a_gigabyte_that_is_plain_has_blocks_of_256_kib_at_most() -> None:
    noted, random = Noted(), Random(1)
    for _ in range((1 << 30) // (64 * 1024)):
        chars, newlines = random.randrange(63_000, 64_000), random.randrange(1500)
        noted.add(64 * 1024, chars, newlines, 64 * 1024, random.getrandbits(32))
    of = noted.columns
    facts = Facts(
        form="plain",
        encoding="utf-8",
        sha256="0" * 64,
        bytes=sum(of.sizes),
        chars=sum(of.chars),
        lines=sum(of.newlines),
        blocks=0,
    )
    assert decode_index(encode_index(facts, of)).facts.blocks >= 4096


def test_entries_stay_bounded_and_joined_ones_say_the_same() -> None:
    data = bytes(range(251)) * 40
    blocks = [data[at : at + 100] for at in range(0, len(data), 100)]
    noted = Noted(max_blocks=8)
    for block in blocks:
        noted.add(len(block), 2, 1, 10, zlib.crc32(block))
        assert len(noted.columns) <= 8
    at = 0
    for size, checksum in zip(noted.columns.sizes, noted.columns.checksums, strict=True):
        assert zlib.crc32(data[at : at + size]) == checksum
        at += size
    assert at == len(data)
    assert sum(noted.columns.newlines) == len(blocks)


@pytest.mark.parametrize("cut", [0, 1, 7, 8, 12, 50, 100, -1])
def test_a_truncated_index_is_one_clear_error(cut: int) -> None:
    _, written = write(LINES.encode(), compression="none", block_bytes=1000)
    assert written.index is not None
    with pytest.raises(DamagedOriginal, match="index"):
        decode_index(written.index[:cut])


def sealed(body: bytes) -> bytes:
    body += struct.pack("<I", len(body) + TRAILER.size)
    return body + struct.pack("<I", zlib.crc32(body))


@pytest.mark.parametrize(
    ("was", "is_now"),
    [
        (b'"bytes":12000', b'"bytes":12001'),
        (b'"chars":12000', b'"chars":11999'),
        (b'"lines":2000', b'"lines":2005'),
        (b'"blocks":12', b'"blocks":13'),
        (b'"blocks":12', b'"blocks":-1'),
        (b'"blocks":12', b'"blocks":9e9'),
        (b'"encoding":"utf-8"', b'"encoding":"rot13"'),
        (b'"encoding":"utf-8"', b'"encoding":null'),
        (b'"form":"plain"', b'"form":"zstd"'),
        (b'"form":"plain"', b'"form":"lzma"'),
        (b'"sha256":"', b'"sha256":"x'),
    ],
)
def test_an_index_that_contradicts_itself_is_one_clear_error(was: bytes, is_now: bytes) -> None:
    _, written = write(b"short\n" * 2000, compression="none", block_bytes=1000)
    assert written.index is not None
    start, length = written.index[:8], struct.unpack("<I", written.index[8:12])[0]
    header, packed = written.index[12 : 12 + length], written.index[12 + length : -TRAILER.size]
    assert was in header
    header = header.replace(was, is_now)
    with pytest.raises(DamagedOriginal, match="contradicts itself"):
        decode_index(sealed(start + struct.pack("<I", len(header)) + header + packed))


def test_an_index_whose_blocks_would_fill_the_memory_is_refused() -> None:
    _, written = write(b"short\n" * 2000, compression="none", block_bytes=1000)
    assert written.index is not None
    length = struct.unpack("<I", written.index[8:12])[0]
    bomb = zlib.compress(bytes(100_000_000))
    with pytest.raises(DamagedOriginal, match="not as many"):
        decode_index(sealed(written.index[: 12 + length] + bomb))


def test_a_later_version_s_index_is_not_read_as_this_one_s() -> None:
    _, written = write(b"short\n", compression="none")
    assert written.index is not None
    with pytest.raises(DamagedOriginal, match="version"):
        decode_index(written.index.replace(b"CoatIdx\x01", b"CoatIdx\x02"))


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_a_block_that_is_not_as_it_was_written_is_never_given_out(compression: Literal["zstd", "none"]) -> None:
    data = LINES.encode()
    stored, written = write(data, compression=compression, block_bytes=5000)
    index = index_in(stored, written)
    span = span_of_bytes(index, 12_000, 12_010)
    assert (span.first, span.last) == (2, 3)
    lies = bytearray(stored[span.stored_start : span.stored_stop])
    assert unpacked(index, span, bytes(lies)) == data[span.start : span.stop]
    lies[len(lies) // 2] ^= 1
    with pytest.raises(DamagedOriginal):
        unpacked(index, span, bytes(lies))
    with pytest.raises(DamagedOriginal, match="bytes are there"):
        unpacked(index, span, bytes(lies[:-1]))


def test_a_frame_that_is_a_bomb_is_cut_short() -> None:
    stored, written = write(LINES.encode(), block_bytes=5000)
    index = index_in(stored, written)
    bomb = zstandard.ZstdCompressor().compress(bytes(50_000_000))
    index.stored = array("Q", [len(bomb)])
    index.ends = array("Q", [5000])
    with pytest.raises(DamagedOriginal, match="more than its 5000 bytes"):
        unpacked(index, span_of(index, 0, 1), bomb)


def test_a_join_s_checksum_is_that_of_its_bytes() -> None:
    for first, second in [(b"", b""), (b"a", b""), (b"", b"b"), (b"abc", b"defgh" * 70_000)]:
        assert joined_crc32(zlib.crc32(first), zlib.crc32(second), len(second)) == zlib.crc32(first + second)


def test_blocks_are_grouped_by_what_they_have() -> None:
    stored, written = write(b"x" * 1000, compression="none", block_bytes=100)
    index = index_in(stored, written)
    bounds = [(span.first, span.last) for span in grouped(index, index.ends, 2, 9, 250)]
    assert bounds == [(2, 4), (4, 6), (6, 8), (8, 9)]
    assert [span.size for span in grouped(index, index.ends, 0, 3, 99)] == [100, 100, 100]
    assert grouped(index, index.ends, 4, 4, 99) == []
