"""Ids as they stand in a subject, a KV key or an object key.

Ids are hostile input: empty, long, with dots, wildcards and any script. Bytes `A-Za-z0-9_-` stand as they are, every
other byte as `=` and two upper-case hex digits; the empty id is `=`. Over 80 characters a segment becomes its first
60 (never half an escape), `==` and 16 hex of the id's sha256. So no two ids share a segment.
"""

import codecs
import hashlib
import re
from functools import lru_cache

from .errors import InvalidId, InvalidSegment

MAX_ID_BYTES = 4096
MAX_SEGMENT_CHARS = 80
EMPTY = "="

_HEAD_CHARS = 60
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,80}")
_ESCAPED = re.compile(r"(?:[A-Za-z0-9_-]|=[0-9A-F]{2})+")
_ESCAPE = re.compile(r"=([0-9A-F]{2})")
_SHORTENED = re.compile(r"((?:[A-Za-z0-9_-]|=[0-9A-F]{2}){20,60})==[0-9a-f]{16}")
_BYTE = [chr(b) if re.fullmatch(r"[A-Za-z0-9_-]", chr(b)) else f"={b:02X}" for b in range(256)]


@lru_cache(maxsize=4096)
def encode_segment(identifier: str) -> str:
    """The segment of an id.

    Raises InvalidId over 4096 UTF-8 bytes, or where the id holds a lone surrogate.
    """
    if _PLAIN.fullmatch(identifier):
        return identifier
    try:
        raw = identifier.encode()
    except UnicodeEncodeError as error:
        raise InvalidId(f"an id must be Unicode text; this one has a lone surrogate at {error.start}") from None
    if not raw:
        return EMPTY
    if len(raw) > MAX_ID_BYTES:
        raise InvalidId(f"an id may have {MAX_ID_BYTES} UTF-8 bytes; this one has {len(raw)}")
    segment = "".join([_BYTE[b] for b in raw])
    if len(segment) <= MAX_SEGMENT_CHARS:
        return segment
    head = segment[:_HEAD_CHARS]
    cut = head.rfind("=", _HEAD_CHARS - 2)
    return f"{head if cut < 0 else head[:cut]}=={hashlib.sha256(raw).hexdigest()[:16]}"


def is_shortened(segment: str) -> bool:
    """Whether the segment no longer says its id back."""
    return "==" in segment


@lru_cache(maxsize=4096)
def decode_segment(segment: str) -> str:
    """The id that a segment says; a shortened one stands for itself.

    Raises InvalidSegment where the segment is not canonical: then it must not be used for anything.
    """
    if _PLAIN.fullmatch(segment):
        return segment
    if segment == EMPTY:
        return ""
    if shortened := _SHORTENED.fullmatch(segment):
        _check_head(shortened[1], segment)
        return segment
    if len(segment) > MAX_SEGMENT_CHARS or not _ESCAPED.fullmatch(segment):
        raise InvalidSegment(f"{segment[:100]!r} is not a segment: ids are escaped as =XX, upper-case hex")
    try:
        identifier = _unescape(segment).decode()
    except UnicodeDecodeError:
        raise InvalidSegment(f"{segment!r} does not decode to UTF-8") from None
    if encode_segment(identifier) != segment:
        raise InvalidSegment(f"{segment!r} is not canonical: its id encodes to {encode_segment(identifier)!r}")
    return identifier


def check_segment(segment: str) -> str:
    """The segment itself where it is canonical; raises InvalidSegment otherwise."""
    decode_segment(segment)
    return segment


def _unescape(segment: str) -> bytes:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)), segment).encode("latin-1")


def _check_head(head: str, segment: str) -> None:
    """A shortened head ends within two chars of 60, escapes only what must be, and may end inside a code point."""
    raw = _unescape(head)
    if not _HEAD_CHARS - 2 <= len(head) <= _HEAD_CHARS or "".join([_BYTE[b] for b in raw]) != head:
        raise InvalidSegment(f"{segment!r} is not a shortened segment")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(raw)
    except UnicodeDecodeError:
        raise InvalidSegment(f"{segment!r} does not decode to UTF-8") from None
