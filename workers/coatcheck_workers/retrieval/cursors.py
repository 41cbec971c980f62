"""Opaque cursors: a position, bound to the question it answers.

A cursor is no authority: whoever makes one up reaches nothing that the request itself would not give.
"""

import binascii
import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, TypeVar

import msgspec

from coatcheck_schemas.errors import Code, RequestError

MAX_CURSOR_CHARS = 1000
MAX_POSITION = 2**53

_Position = TypeVar("_Position", bound=msgspec.Struct)


def malformed_cursor() -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, "cursor is malformed: pass one as a reply gave it, or none to begin")


def question(*terms: Any) -> str:
    """What a cursor is bound to: a digest of the terms that must be the same when it comes back."""
    return hashlib.sha256(msgspec.json.encode(terms)).hexdigest()[:16]


def encode_cursor(asked: str, position: msgspec.Struct) -> str:
    """The cursor for a position, which must be an array-like struct."""
    return urlsafe_b64encode(msgspec.json.encode([asked, position])).rstrip(b"=").decode()


def decode_cursor(cursor: str, asked: str, kind: type[_Position]) -> _Position:
    """The position that a cursor says.

    Raises RequestError `invalid_argument` where it is none of ours, or answers another question.
    """
    try:
        if len(cursor) > MAX_CURSOR_CHARS:
            raise ValueError("too long")
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        if urlsafe_b64encode(raw).rstrip(b"=").decode() != cursor:
            raise ValueError("not as we write it")
        bound, encoded = msgspec.json.decode(raw, type=tuple[str, msgspec.Raw])
    except (ValueError, binascii.Error, RecursionError):  # msgspec's errors are ValueErrors
        raise malformed_cursor() from None
    if bound != asked:
        raise RequestError(
            Code.INVALID_ARGUMENT, "cursor belongs to another request: repeat that one's fields with it, or pass none"
        )
    try:
        return msgspec.json.decode(encoded, type=kind)
    except (ValueError, RecursionError):
        raise malformed_cursor() from None
