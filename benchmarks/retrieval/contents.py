"""What is read and searched: logs, which are all ASCII, and Chinese text, in pieces of PIECE_BYTES.

Both have a vertical tab here and there, so that the bundled S3 server does not compress them by itself: see
`benchmarks.large.contents.unlike_text`.
"""

import random
from collections.abc import Iterator
from functools import cache

from benchmarks.large.contents import PIECE_BYTES, log_text, unlike_text

_BLOCKS = 12
_LINE_CHARS = 60
_HAN = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年"
    "动同工也能下过子说产种面而方后多定行学法所民得经"
)

KINDS = ("logs", "Chinese")


def pieces_of(kind: str, size: int, end: str = "") -> Iterator[bytes]:
    """So many bytes in all; no two pieces begin alike, and the last ends in `end`."""
    return (_piece(kind, size, number, end) for number in range(-(-size // PIECE_BYTES)))


def last_chars(kind: str, size: int, chars: int, end: str = "") -> str:
    """The end of the whole, no longer than a piece."""
    return _piece(kind, size, -(-size // PIECE_BYTES) - 1, end).decode()[-chars:]


def _piece(kind: str, size: int, number: int, end: str) -> bytes:
    piece = _begun(_block(kind, number % _BLOCKS), f"{number:010d} ")
    left = size - number * PIECE_BYTES
    return piece if left > PIECE_BYTES else _ended(piece[:left], end)


def _begun(block: bytes, begin: str) -> bytes:
    """All blocks begin with a line of ASCII that is longer than that."""
    return begin.encode() + block[len(begin) :]


def _ended(piece: bytes, end: str) -> bytes:
    """Of the same length in bytes, and no char cut."""
    kept = piece[: len(piece) - len(end.encode())].decode(errors="ignore").encode()
    return kept.ljust(len(piece) - len(end.encode()), b"\n") + end.encode()


@cache
def _block(kind: str, number: int) -> bytes:
    if kind == "logs":
        return _logs()[number * PIECE_BYTES : (number + 1) * PIECE_BYTES]
    return _chinese(random.Random(number))


@cache
def _logs() -> bytes:
    return unlike_text(log_text(_BLOCKS * PIECE_BYTES))


def _chinese(rng: random.Random) -> bytes:
    lines = ["-" * 20 + "\v\n"]
    size = len(lines[0])
    while size < PIECE_BYTES:
        lines.append("".join(rng.choices(_HAN, k=_LINE_CHARS)) + "\v\n")
        size += 3 * _LINE_CHARS + 2
    return "".join(lines).encode()[:PIECE_BYTES].decode(errors="ignore").encode().ljust(PIECE_BYTES, b"\n")
