"""References: how a stub names an original, and how a reader says it back."""

import hashlib
import re

import msgspec

from .errors import InvalidRef, InvalidSegment
from .segments import check_segment

SCHEME = "coat://"
_RESULT_ID = re.compile(r"(.{1,80})-([0-9a-f]{32})", re.DOTALL)
_WRAPPING = (
    " \t\r\n\u00a0\u3000\u200b\ufeff"  # blanks, some of no width
    "\"'`<>()[]{}«»‹›“”„‘’‚「」『』《》〈〉【】（）［］＂＇"
    ",;:.!?*…，、；：。．｡！？"
)
"""What a model puts around a ref; no char of it is one of a ref's own ends."""


class Ref(msgspec.Struct, frozen=True):
    """An original, or one part of it.

    `session` is None for a bare result id, which belongs to whichever session asks.
    """

    session: str | None
    result_id: str
    part: int | None = None

    def __str__(self) -> str:
        whole = f"{SCHEME}{self.session}/{self.result_id}" if self.session is not None else self.result_id
        return whole if self.part is None else f"{whole}/{self.part}"


def result_id(call_segment: str, sha256: str) -> str:
    """The id of one call's one content; `sha256` is the whole hex digest of the original's bytes."""
    return f"{call_segment}-{sha256[:32]}"


def failed_id(call_segment: str) -> str:
    """The last segment of the stub of a result that could not be decoded."""
    return f"{call_segment}-failed"


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def check_result_id(text: str) -> str:
    """The result id itself where it is well formed; raises InvalidRef otherwise."""
    match = _RESULT_ID.fullmatch(text)
    if match:
        try:
            check_segment(match[1])
        except InvalidSegment:
            match = None
    if match is None:
        raise InvalidRef(f"{text[:200]!r} is not a reference: it looks like {SCHEME}SESSION/CALL-0123456789abcdef...")
    return text


def parse_ref(text: str) -> Ref:
    """A reference as a model copies it: quotes, brackets, blanks and marks of punctuation around it are forgiven.

    Takes `coat://SESSION/RESULT_ID`, a bare `RESULT_ID`, and either with `/INDEX` of a part. Raises InvalidRef.
    """
    bare = text.strip(_WRAPPING)
    pieces = bare.removeprefix(SCHEME).split("/")
    session = None
    if bare.startswith(SCHEME) and len(pieces) > 1:
        try:
            session = check_segment(pieces.pop(0))
        except InvalidSegment as error:
            raise InvalidRef(f"{text[:200]!r} is not a reference: {error}") from None
    elif bare.startswith(SCHEME):
        raise InvalidRef(f"{text[:200]!r} is not a reference: {SCHEME}SESSION/RESULT_ID has two segments")
    part = None
    if len(pieces) == 2 and re.fullmatch(r"0|[1-9][0-9]{0,5}", pieces[1]):
        part = int(pieces.pop())
    if len(pieces) != 1:
        raise InvalidRef(f"{text[:200]!r} is not a reference: it looks like {SCHEME}SESSION/RESULT_ID")
    return Ref(session, check_result_id(pieces[0]), part)
