"""How many chars and lines a text has in its encoding, counted while its bytes pass."""

import codecs
from collections.abc import Callable

from .names import UTF_8, sort_of, undefined_bytes

_BITE_BYTES = 64 * 1024
"""What is decoded at once, while the interpreter's lock is held: a fifth of a millisecond or so."""

_Decode = Callable[[bytes], tuple[str, bytes]]
"""The text of the bytes, and the last ones, which are an unfinished char; raises UnicodeDecodeError."""


class Decoder:
    """Feed it the bytes in order, in pieces of any length; `finish` says whether all of them were text.

    Counts are of the whole chars so far; `unfinished` of the last bytes begin a char that is not yet whole, and count
    with what is fed next. A block that is cut before them is whole chars. A byte order mark counts as a char.
    Memory is bounded; UTF-8 takes well under a nanosecond a byte where it is ASCII.

    Raises ValueError for an encoding that `text_encoding` never names.
    """

    def __init__(self, encoding: str) -> None:
        self._declared = encoding
        self._sort = sort_of(encoding)
        self.chars = 0
        self.newlines = 0
        self.is_valid = True
        self.is_ascii = self._sort != "wide"
        self._held = b""
        self._ends_line = True
        self._undefined = undefined_bytes(encoding) if self._sort == "single" else b""
        self._decode = None if self._sort == "single" else _decode_of(encoding)

    @property
    def encoding(self) -> str:
        """Of what has been fed: UTF-8 as long as that is ASCII, though it was declared to be something else."""
        return UTF_8 if self.is_ascii else self._declared

    @property
    def unfinished(self) -> int:
        return len(self._held)

    @property
    def lines(self) -> int:
        """A line ends at a newline alone; a last one without it counts."""
        return self.newlines + (not self._ends_line)

    def feed(self, data: bytes) -> bool:
        """Whether all so far is text; once it is not, nothing is counted any more."""
        for at in range(0, len(data), _BITE_BYTES):
            if not self.is_valid:
                break
            self._bite(data if len(data) <= _BITE_BYTES else data[at : at + _BITE_BYTES])
        return self.is_valid

    def finish(self) -> bool:
        """Whether all of it was text, its last char included."""
        self.is_valid = self.is_valid and not self._held
        return self.is_valid

    def _bite(self, data: bytes) -> None:
        if self._sort != "wide" and not self._held and data.isascii():
            self._count(len(data), data.count(b"\n"), data.endswith(b"\n"))
        elif self._decode is not None:
            self._decoded(self._decode, data)
        else:
            self.is_ascii = False
            self.is_valid = not self._undefined or len(data.translate(None, self._undefined)) == len(data)
            self._count(len(data), data.count(b"\n"), data.endswith(b"\n"))

    def _decoded(self, decode: _Decode, data: bytes) -> None:
        self.is_ascii = False
        try:
            text, self._held = decode(self._held + data if self._held else data)
        except UnicodeDecodeError:
            self.is_valid = False
            return
        if text:
            self._count(len(text), text.count("\n"), text.endswith("\n"))

    def _count(self, chars: int, newlines: int, ends_line: bool) -> None:
        self.chars += chars
        self.newlines += newlines
        self._ends_line = ends_line


def _decode_of(encoding: str) -> _Decode:
    if encoding in _STATELESS:
        stateless = _STATELESS[encoding]

        def decode(data: bytes) -> tuple[str, bytes]:
            text, used = stateless(data, "strict", False)
            return text, data[used:]

        return decode

    def decode_bytes_of_multi(data: bytes) -> tuple[str, bytes]:
        decoder = codecs.getincrementaldecoder(encoding)("strict")
        text = decoder.decode(data)
        return text, decoder.getstate()[0]

    return decode_bytes_of_multi


_STATELESS = {
    UTF_8: codecs.utf_8_decode,
    "utf-16-le": codecs.utf_16_le_decode,
    "utf-16-be": codecs.utf_16_be_decode,
    "utf-32-le": codecs.utf_32_le_decode,
    "utf-32-be": codecs.utf_32_be_decode,
}
