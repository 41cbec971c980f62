"""The stretch of a text that a search has at hand while the text passes."""

from coatcheck_core.encodings import UTF_8
from coatcheck_core.lines import Place

from .chars import MOST_CHAR_BYTES, char_start


class Stretch:
    """Bytes of UTF-8 that are fed at the end and let go at the beginning, and which places of the text they are.

    `encoding` is that of what is fed, in whole chars, and in whose bytes places are counted.
    """

    def __init__(self, encoding: str = UTF_8) -> None:
        self.data = b""
        self.is_last = False
        self._encoding = encoding
        self._at = 0
        self._place = Place()

    def feed(self, data: bytes | memoryview, place: Place | None, *, is_last: bool, let_go: int) -> int:
        """The next bytes, which begin at `place`, or where that is not known right after the last ones.

        What lies before `let_go` goes; how much that is, for all places move by so much: a char is not cut.
        """
        gone = char_start(self.data, max(0, let_go))
        place = place or self.place(len(self.data))
        if self._encoding != UTF_8:
            data = bytes(data).decode(self._encoding).encode()
        self._at, self._place = len(self.data) - gone, place
        self.data = b"".join((self.data[gone:], data))
        self.is_last = is_last
        return gone

    @property
    def stop(self) -> int:
        """How far matches may reach: but for the text's end, a char beyond is there to be looked at."""
        return len(self.data) if self.is_last else max(0, char_start(self.data, len(self.data) - 1))

    def place(self, at: int) -> Place:
        """Counted from the last one asked for, or from where the last bytes began; `at` is the start of a char."""
        if at < self._at:
            chars, newlines, size = self._counted(at, self._at)
            return Place(
                chars=self._place.chars - chars,
                newlines=self._place.newlines - newlines,
                bytes=self._place.bytes - size,
            )
        chars, newlines, size = self._counted(self._at, at)
        self._at = at
        self._place = Place(
            chars=self._place.chars + chars, newlines=self._place.newlines + newlines, bytes=self._place.bytes + size
        )
        return self._place

    def chars(self, start: int, stop: int) -> int:
        return self._counted(start, stop)[0]

    def before(self, at: int, chars: int) -> str:
        """As many chars as are there."""
        begin = char_start(self.data, max(0, at - MOST_CHAR_BYTES * chars))
        return self.data[begin:at].decode()[-chars:] if chars else ""

    def after(self, at: int, chars: int, until: int | None = None) -> str:
        """As many chars as are there, up to `until`."""
        stop = at + MOST_CHAR_BYTES * chars
        stop = len(self.data) if stop >= len(self.data) else char_start(self.data, stop)
        return self.data[at : stop if until is None else min(stop, until)].decode()[:chars]

    def has_after(self, at: int, chars: int) -> bool:
        """Whether surely as many chars are there, or the text ends before."""
        return self.is_last or at + MOST_CHAR_BYTES * chars <= len(self.data)

    def _counted(self, start: int, stop: int) -> tuple[int, int, int]:
        piece = self.data[start:stop]
        if piece.isascii() and self._encoding == UTF_8:
            return len(piece), piece.count(b"\n"), len(piece)
        text = piece.decode()
        size = len(piece) if self._encoding == UTF_8 else len(text.encode(self._encoding))
        return len(text), piece.count(b"\n"), size
