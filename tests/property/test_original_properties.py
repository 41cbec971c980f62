"""Any text in any encoding, cut anyhow: what is stored gives it back, and every offset finds its block."""

import struct
from typing import Literal

from hypothesis import assume, given
from hypothesis import strategies as st

from coatcheck_core.lines import count_lines
from coatcheck_core.original import (
    Index,
    Writing,
    block_of_char,
    block_of_line,
    decode_index,
    span_of,
    span_of_bytes,
    span_of_chars,
    unpacked,
)

PIECES = st.sampled_from(["\n", "\r\n", "\r", "a", "word ", "é", "漢", "\U0001f600", "\u010a", "\u2028", "x" * 60])
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=60).map("".join))
ENCODINGS = st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-be", "gb18030"])
SIZES = st.integers(1, 40)
COMPRESSIONS = st.sampled_from(["zstd", "none"])


def write(
    data: bytes, pieces: list[int], compression: Literal["zstd", "none"], mime_type: str | None, block_bytes: int
) -> tuple[bytes, Index]:
    writing = Writing(mime_type=mime_type, compression=compression, head=data, block_bytes=block_bytes)
    stored, at, turn = [], 0, 0
    while at < len(data):
        size = pieces[turn % len(pieces)]
        stored.append(writing.feed(memoryview(data)[at : at + size]))
        at, turn = at + size, turn + 1
    stored.append(writing.finish())
    written = writing.written
    whole = b"".join(stored)
    assert written.stored_bytes == len(whole)
    if written.index is not None:
        return whole, decode_index(written.index)
    end = whole[-written.index_bytes :]
    return whole, decode_index(end[8 : 8 + struct.unpack("<I", end[4:8])[0]])


@given(
    text=TEXTS,
    encoding=ENCODINGS,
    compression=COMPRESSIONS,
    block_bytes=SIZES,
    pieces=st.lists(SIZES, min_size=1, max_size=5),
    at=st.integers(0, 4000),
    length=st.integers(0, 200),
)
def test_every_offset_finds_the_blocks_that_hold_it(
    text: str,
    encoding: str,
    compression: Literal["zstd", "none"],
    block_bytes: int,
    pieces: list[int],
    at: int,
    length: int,
) -> None:
    data = text.encode(encoding)
    stored, index = write(data, pieces, compression, f"text/plain; charset={encoding}", block_bytes)
    assume(index.facts.encoding is not None)
    encoding = index.facts.encoding or ""
    decoded = data.decode(encoding)
    assert (index.facts.bytes, index.facts.chars, index.facts.lines) == (len(data), len(decoded), count_lines(decoded))

    by_bytes = span_of_bytes(index, at, at + length)
    raw = unpacked(index, by_bytes, stored[by_bytes.stored_start : by_bytes.stored_stop])
    assert raw[max(0, at - by_bytes.start) :][: len(data[at : at + length])] == data[at : at + length]

    by_chars = span_of_chars(index, at, at + length)
    raw = unpacked(index, by_chars, stored[by_chars.stored_start : by_chars.stored_stop])
    inside = raw.decode(encoding)
    assert inside == decoded[by_chars.chars_start : by_chars.chars_stop]
    wanted = decoded[at : at + length]
    assert inside[max(0, at - by_chars.chars_start) :][: len(wanted)] == wanted
    assert by_chars.newlines_start == decoded[: by_chars.chars_start].count("\n")


@given(text=TEXTS.filter(bool), block_bytes=SIZES, line=st.integers(0, 80))
def test_a_line_begins_in_the_block_of_the_newline_before_it(text: str, block_bytes: int, line: int) -> None:
    _, index = write(text.encode(), [7], "none", None, block_bytes)
    assert index.facts.encoding == "utf-8"
    start = sum(map(len, text.split("\n")[:line])) + line if line <= text.count("\n") else len(text)
    span = span_of(index, block_of_line(index, line), block_of_line(index, line) + 1)
    assert span.chars_start <= start <= span.chars_stop
    char = span_of(index, block_of_char(index, start), block_of_char(index, start) + 1)
    assert char.chars_start <= start < char.chars_stop or start == len(text) == char.chars_stop


@given(
    data=st.one_of(st.binary(max_size=120), TEXTS.map(str.encode)),
    compression=COMPRESSIONS,
    block_bytes=SIZES,
    one=st.lists(SIZES, min_size=1, max_size=4),
    other=st.lists(SIZES, min_size=1, max_size=4),
)
def test_what_is_stored_does_not_depend_on_the_pieces(
    data: bytes, compression: Literal["zstd", "none"], block_bytes: int, one: list[int], other: list[int]
) -> None:
    stored, index = write(data, one, compression, None, block_bytes)
    assert write(data, other, compression, None, block_bytes)[0] == stored
    whole = span_of(index, 0, index.facts.blocks)
    assert unpacked(index, whole, stored[whole.stored_start : whole.stored_stop]) == data
