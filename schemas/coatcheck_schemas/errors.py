"""Every error that Coatcheck raises on purpose, in one tree.

CoatcheckError
├── InvalidInput            the input is wrong: the sender can mend it, a retry cannot
│   ├── InvalidId           an id is over 4096 UTF-8 bytes or not Unicode
│   ├── InvalidSegment      a segment is not canonical
│   ├── InvalidSubject      a subject has the wrong shape or a segment that is not canonical
│   ├── InvalidRef          a reference is malformed
│   └── InvalidResult       a result event cannot be decoded
├── RequestError            a request's answer is an error; carries the code that goes on the wire
├── DamagedOriginal         what is stored of an original, or its index, is not what was put there
└── StoreError              object storage
    ├── ObjectNotFound      no such object
    ├── ObjectExists        an exclusive put met an object
    ├── ObjectChanged       an object is no longer the version that was read
    ├── StoreUnavailable    refused, timed out, 5xx: a later try may go through
    └── StoreRejected       denied or misconfigured: a later try goes through only once somebody mends it
"""

from enum import StrEnum
from typing import Any


class Code(StrEnum):
    """The codes of a request's error, with the HTTP-like number of each."""

    INVALID_ARGUMENT = "invalid_argument"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    GONE = "gone"
    TOO_LARGE = "too_large"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"

    @property
    def number(self) -> int:
        return _NUMBERS[self]


_NUMBERS = {
    Code.INVALID_ARGUMENT: 400,
    Code.NOT_FOUND: 404,
    Code.CONFLICT: 409,
    Code.GONE: 410,
    Code.TOO_LARGE: 413,
    Code.UNAVAILABLE: 503,
    Code.INTERNAL: 500,
}


class CoatcheckError(Exception):
    """The root of the tree above."""


class InvalidInput(CoatcheckError):
    """The input is wrong; the message names what is wrong and what to do."""


class InvalidId(InvalidInput):
    """An id that no segment can be made of."""


class InvalidSegment(InvalidInput):
    """A segment that does not match the grammar of design's identifiers."""


class InvalidSubject(InvalidInput):
    """A subject that is not one of ours."""


class InvalidRef(InvalidInput):
    """A reference that names no original."""


class InvalidResult(InvalidInput):
    """A result event that cannot be decoded.

    `reason` is the short word that a dead letter bears (`invalid_json`, `invalid_field`, ...).
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class RequestError(CoatcheckError):
    """The error answer to a request: `code`, a message for people, and facts in `details`."""

    def __init__(self, code: Code, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class DamagedOriginal(CoatcheckError):
    """What is stored of an original, or its index, is not what was put there; the message says what is wrong."""


class StoreError(CoatcheckError):
    """Object storage did not do what was asked."""


class ObjectNotFound(StoreError):
    """There is no object under this key."""


class ObjectExists(StoreError):
    """An exclusive put met an object under this key."""


class ObjectChanged(StoreError):
    """An object is no longer the version that was read."""


class StoreUnavailable(StoreError):
    """The store refused, timed out or failed; a later try may go through."""


class StoreRejected(StoreError):
    """The store denies access or lacks the bucket; somebody must mend the configuration."""
