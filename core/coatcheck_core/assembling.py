"""Put the pieces of a result in order, and see whether they are all there. Pure."""

import re
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import unquote

import msgspec

from coatcheck_schemas import pieces
from coatcheck_schemas.errors import InvalidResult

MAX_PIECES = 10_000_000
"""More than any stream holds; a larger number is no place of a piece."""
MAX_EARLY_BYTES = 4 * 1024**2
"""What is kept of pieces whose turn has not come; a producer has a few in flight."""
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
    if pieces.FINAL not in headers:
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

    What comes early is kept within `early_bytes`; beyond that `reread` says from which message on the stream is to
    be read again once the gap is filled. All errors are InvalidResult.
    """

    def __init__(self, early_bytes: int = MAX_EARLY_BYTES) -> None:
        self._most_early_bytes = early_bytes
        self.ending: Ending | None = None
        self.taken = 0
        self.size = 0
        self.reread: int | None = None
        self._early: dict[int, bytes] = {}
        self._early_bytes = 0
        self._sizes: list[int] = []

    @property
    def is_complete(self) -> bool:
        """Whether nothing more is to be waited for: all pieces are there, or the producer gave up."""
        ending = self.ending
        return ending is not None and (ending.error is not None or ending.count == self.taken)

    def take(self, sequence: int, headers: Mapping[str, str], body: bytes) -> list[bytes]:
        """One message, which the stream has at `sequence`; the pieces whose turn has come by it."""
        ending = read_ending(headers)
        if ending is not None:
            self._end(ending)
            return []
        number = _number(headers, pieces.SEQ, MAX_PIECES)
        if number < self.taken:
            self._check_repeated(number, body)
            return []
        if self.ending is not None and self.ending.count is not None and number >= self.ending.count:
            raise _wrong(f"piece {number} came, where the last message says that there are {self.ending.count}")
        if number > self.taken:
            self._keep_early(sequence, number, body)
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
        wanted = [number for number in range(self.taken, self.ending.count) if number not in self._early]
        named = ", ".join(map(str, wanted[:_NAMED])) + (", ..." if len(wanted) > _NAMED else "")
        return f"{len(wanted)} of {self.ending.count} pieces are missing: {named}"

    def _end(self, ending: Ending) -> None:
        if self.ending is None:
            self.ending = ending
        elif (ending.count, ending.sha256, ending.error) != (self.ending.count, self.ending.sha256, self.ending.error):
            raise _wrong("two last messages disagree: one upload has one producer")
        if ending.count is not None and max([self.taken, *(number + 1 for number in self._early)]) > ending.count:
            raise _wrong(f"more pieces came than the {ending.count} that the last message says")

    def _check_repeated(self, number: int, body: bytes) -> None:
        if self._sizes[number] != len(body):
            raise _wrong(f"piece {number} came twice, of {self._sizes[number]} and of {len(body)} bytes")

    def _keep_early(self, sequence: int, number: int, body: bytes) -> None:
        known = self._early.get(number)
        if known is not None:
            if known != body:
                raise _wrong(f"piece {number} came twice with other content: one upload has one producer")
        elif self._early_bytes + len(body) > self._most_early_bytes:
            self.reread = sequence if self.reread is None else min(self.reread, sequence)
        else:
            self._early[number] = body
            self._early_bytes += len(body)

    def _next(self, body: bytes) -> list[bytes]:
        ready = [body]
        while (early := self._early.pop(self.taken + len(ready), None)) is not None:
            self._early_bytes -= len(early)
            ready.append(early)
        self.taken += len(ready)
        self.size += sum(map(len, ready))
        self._sizes += map(len, ready)
        return ready


def digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()


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
