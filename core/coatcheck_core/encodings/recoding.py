"""A text in another encoding as UTF-8, a block at a time."""

import codecs
from collections.abc import Callable, Iterator

_BLOCK_BYTES = 128 * 1024
"""A millisecond of work for the slowest codecs."""


def as_utf8(data: bytes, encoding: str, step: Callable[[], None] = lambda: None, *, is_cut: bool = False) -> bytes:
    """The same chars, a byte order mark too; `step` is called before each block.

    `is_cut`: a char may be unfinished at the end, and is left out; else all of it must be text.
    Raises UnicodeDecodeError where it is not.
    """
    return b"".join(_recoded(data, encoding, step, is_cut))


def _recoded(data: bytes, encoding: str, step: Callable[[], None], is_cut: bool) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    for at in range(0, len(data), _BLOCK_BYTES):
        step()
        yield decoder.decode(data[at : at + _BLOCK_BYTES]).encode()
    if not is_cut:
        yield decoder.decode(b"", True).encode()
