"""Blocks out of frames: as they are written, joined, and as nobody of ours writes them."""

import zlib
from array import array
from concurrent.futures import ThreadPoolExecutor

import pytest
import zstandard

from coatcheck_core.original import Index, span_of, unpacked
from coatcheck_core.original.blocks import Columns
from coatcheck_core.original.frames import compressor, skippable
from coatcheck_core.original.index import Facts
from coatcheck_schemas.errors import DamagedOriginal

DATA = b"some text that is compressed\n" * 2000


def frame(data: bytes) -> bytes:
    return bytes(compressor().compress(data))


def one_block(data: bytes, stored: bytes) -> Index:
    """The index of an original that is one block."""
    facts = Facts(form="zstd", encoding=None, sha256="0" * 64, bytes=len(data), chars=None, lines=None, blocks=1)
    columns = Columns(
        sizes=array("Q", [len(data)]),
        chars=array("Q", [0]),
        newlines=array("Q", [0]),
        stored=array("Q", [len(stored)]),
        checksums=array("I", [zlib.crc32(data)]),
    )
    return Index(facts, columns)


def read(data: bytes, stored: bytes) -> bytes:
    index = one_block(data, stored)
    return unpacked(index, span_of(index, 0, 1), stored)


def unsaid(data: bytes) -> bytes:
    """A frame that does not say how long its content is."""
    return zstandard.ZstdCompressor(write_content_size=False).compress(data)


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param(frame(DATA), id="one frame"),
        pytest.param(frame(DATA[:999]) + frame(DATA[999:]), id="two frames"),
        pytest.param(unsaid(DATA), id="length not said"),
        pytest.param(frame(DATA[:999]) + unsaid(DATA[999:]), id="length not said of the second"),
    ],
)
def test_a_block_is_what_its_frames_hold(stored: bytes) -> None:
    assert read(DATA, stored) == DATA


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param(frame(DATA + b"x"), id="a byte more"),
        pytest.param(frame(DATA[:-1]), id="a byte less"),
        pytest.param(frame(DATA[::-1]), id="other bytes"),
        pytest.param(frame(DATA) + frame(b"more"), id="a frame more"),
        pytest.param(frame(DATA) + b"\x00\x01", id="bytes after it"),
        pytest.param(frame(DATA)[:-1], id="cut off"),
        pytest.param(frame(DATA)[:3], id="cut off in its header"),
        pytest.param(frame(DATA)[:60] + b"\xff" + frame(DATA)[61:], id="a byte is another"),
        pytest.param(skippable(0x184D2A50, b"x" * 40), id="no content"),
        pytest.param(frame(b"\x00" * 5_000_000), id="a hundred times as much"),
        pytest.param(unsaid(b"\x00" * 5_000_000), id="a hundred times as much, not said"),
        pytest.param(b"no frame at all", id="no frame"),
    ],
)
def test_frames_that_hold_anything_else_are_damaged(stored: bytes) -> None:
    with pytest.raises(DamagedOriginal):
        read(DATA, stored)
    assert read(DATA, frame(DATA)) == DATA, "what failed before must not matter"


def test_blocks_are_read_in_many_threads_at_once() -> None:
    texts = [bytes([65 + n]) * 100_000 for n in range(16)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: read(text, frame(text)), texts * 8)) == texts * 8
