"""Put the pieces of a result in order, and see whether they are all there. Pure."""

import re
from array import array
from collections.abc import Mapping
from heapq import heappop, heappush
from itertools import islice
from urllib.parse import unquote

import msgspec

from coatcheck_schemas import pieces
from coatcheck_schemas.errors import InvalidResult

MAX_PIECES = 10_000_000
"""More than any stream holds; a larger number is no place of a piece."""
MAX_EARLY_BYTES = 4 * 1024**2
"""What is kept of pieces whose turn has not come; a producer has a few in flight."""
_EARLY_OVERHEAD_BYTES = 256
"""What keeping one takes besides its bytes, so that tiny ones are bounded as well."""
_SHOWN = 80
_NAMED = 10
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """What a producer said last: how much there is, or why no more comes (`error`).

    `is_error` is None where the opening event's stands.
    """

    count: int | None = None
    size: int | None = None
    sha256: str | None = None
    error: str | None = None
    is_error: bool | None = None


def read_ending(headers: Mapping[str, str]) -> Ending | None:
    """Of the headers of one message; None where it is a piece. Raises InvalidResult for one that is neither."""
    is_error = _boolean(headers.get(pieces.IS_ERROR))
    if (reason := headers.get(pieces.FAILED)) is not None:
        return Ending(error=pieces.clip_reason(unquote(reason, errors="replace")), is_error=is_error)
    if _boolean(final := headers.get(pieces.FINAL, "false").lower()) is None:
        raise _wrong(f"{pieces.FINAL} must be true, on the last message, or absent, not {final[:_SHOWN]!r}")
    if final == "false":
        return None
    digest = headers.get(pieces.SHA256, "").lower()
    if not _SHA256.fullmatch(digest):
        raise _wrong(f"{pieces.SHA256} of the last message must be 64 hex digits, not {digest[:_SHOWN]!r}")
    return Ending(
        count=_number(headers, pieces.COUNT, MAX_PIECES),
        size=_number(headers, pieces.BYTES, 2**63),
        sha256=digest,
        is_error=is_error,
    )


class Assembly:
    """Takes messages as they lie in the stream, gives the pieces in their order.

    What comes of them depends on nothing but their order there, however often some are read: the first message that
    ends them counts, and what lies behind it counts only as far as it is still missing.

    What comes early is kept within `early_bytes`, that whose turn is next first; beyond that `reread` says from which
    message on the stream is to be read again. All errors are InvalidResult.
    """

    def __init__(self, early_bytes: int = MAX_EARLY_BYTES) -> None:
        self.ending: Ending | None = None
        self.taken = 0
        self.size = 0
        self._early = Early(early_bytes)
        self._ended_at = 0
        self._read_to = 0
        self._highest = -1
        self._sizes = array("I")

    @property
    def is_complete(self) -> bool:
        """Whether nothing more is to be waited for: all pieces are there, or the producer gave up."""
        if self.ending is None:
            return False
        if self.ending.error is not None:
            return self.reread is None and self._read_to >= self._ended_at
        return self.ending.count == self.taken

    @property
    def reread(self) -> int | None:
        """From which message on pieces are to be read again whose turn may have come; None while none has."""
        return self._early.reread(self.taken)

    def read_again(self) -> None:
        """What `reread` asks for is being done."""
        self._read_to = (self.reread or 1) - 1
        self._early.read_again()

    def take(self, sequence: int, headers: Mapping[str, str], body: bytes) -> list[bytes]:
        """One message, which the stream has at `sequence`; the pieces whose turn has come by it."""
        self._read_to = sequence
        has_failed = self.ending is not None and self.ending.error is not None
        if self.is_complete or (has_failed and sequence > self._ended_at):
            return []
        ending = read_ending(headers)
        if ending is not None:
            if body and ending.error is None:
                raise _wrong(f"the message that ends an upload has no body: publish its bytes as a piece, {pieces.SEQ}")
            self._end(sequence, ending)
            return []
        number = _number(headers, pieces.SEQ, MAX_PIECES)
        if number < self.taken:
            self._check_repeated(number, body)
            return []
        if self.ending is not None and self.ending.count is not None and number >= self.ending.count:
            return []
        self._highest = max(self._highest, number)
        if number > self.taken:
            self._early.keep(sequence, number, body, self.taken)
            return []
        return self._next(body)

    def check(self, digest: str) -> None:
        """Whether what came is what was sent."""
        ending = self.ending
        if ending is None or ending.error is not None:
            return
        if ending.size != self.size:
            raise _wrong(f"{self.size} bytes came, the last message says {ending.size}")
        if ending.sha256 != digest:
            raise InvalidResult(
                "upload_mismatch", f"the sha256 of what came is {digest}, the last message says {ending.sha256}"
            )

    def missing(self) -> str:
        """What is waited for, in words."""
        if self.ending is None or self.ending.count is None:
            return f"{self.taken} pieces have come, and no last message"
        missing = (number for number in range(self.taken, self.ending.count) if number not in self._early)
        named = list(islice(missing, _NAMED + 1))
        shown = ", ".join(map(str, named[:_NAMED])) + (", ..." if len(named) > _NAMED else "")
        return f"{self.ending.count - self.taken - len(self._early)} of {self.ending.count} pieces are missing: {shown}"

    def _end(self, sequence: int, ending: Ending) -> None:
        if self.ending is not None:
            return
        if ending.count is not None and self._highest >= ending.count:
            raise _wrong(f"more pieces came than the {ending.count} that the last message says")
        self.ending, self._ended_at = ending, sequence

    def _check_repeated(self, number: int, body: bytes) -> None:
        if self._sizes[number] != len(body):
            raise _wrong(f"piece {number} came twice, of {self._sizes[number]} and of {len(body)} bytes")

    def _next(self, body: bytes) -> list[bytes]:
        ready = [body, *self._early.following(self.taken + 1)]
        self.taken += len(ready)
        self.size += sum(map(len, ready))
        self._sizes.extend(map(len, ready))
        return ready


class Early:
    """Pieces whose turn has not come, within `most_bytes`: of more, those whose turn comes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: dict[int, tuple[int, bytes]] = {}
        self._farthest: list[int] = []
        self._dropped_from: int | None = None
        self._dropped_at = 0

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, number: int) -> bool:
        return number in self._kept

    def keep(self, sequence: int, number: int, body: bytes, taken: int) -> None:
        if number in self._kept:
            if self._kept[number][1] != body:
                raise _wrong(f"piece {number} came twice with other content: one upload has one producer")
            return
        self._kept[number] = sequence, body
        self._bytes += _EARLY_OVERHEAD_BYTES + len(body)
        heappush(self._farthest, -number)
        while self._bytes > self._most_bytes:
            self._drop_farthest(taken)

    def following(self, number: int) -> list[bytes]:
        """The pieces from this number on, as far as they are here."""
        ready: list[bytes] = []
        while number + len(ready) in self._kept:
            ready.append(self._take(number + len(ready))[1])
        return ready

    def reread(self, taken: int) -> int | None:
        """What was dropped is asked for once its turn may have come: while it has not, reading it again is in vain."""
        return self._dropped_from if taken > self._dropped_at else None

    def read_again(self) -> None:
        self._dropped_from = None

    def _drop_farthest(self, taken: int) -> None:
        number = -heappop(self._farthest)
        if number not in self._kept:
            return
        sequence, _ = self._take(number)
        if self._dropped_from is None:
            self._dropped_from, self._dropped_at = sequence, taken
        self._dropped_from = min(self._dropped_from, sequence)

    def _take(self, number: int) -> tuple[int, bytes]:
        sequence, body = self._kept.pop(number)
        self._bytes -= _EARLY_OVERHEAD_BYTES + len(body)
        return sequence, body


def _number(headers: Mapping[str, str], name: str, most: int) -> int:
    text = headers.get(name)
    if text is None:
        raise _wrong(f"a message without {name}: a piece has {pieces.SEQ}, the last message {pieces.FINAL}")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < _SHOWN else -1
    if not 0 <= number <= most:
        raise _wrong(f"{name} must be a whole number from 0, not {text[:_SHOWN]!r}")
    return number


def _boolean(text: str | None) -> bool | None:
    return None if text not in ("true", "false") else text == "true"


def _wrong(message: str) -> InvalidResult:
    return InvalidResult("invalid_upload", message)
