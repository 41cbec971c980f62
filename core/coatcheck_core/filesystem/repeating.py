"""Telling a request that comes again, whose answer was lost on the way, from a new one."""

import hashlib

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import EditRequest, WriteRequest

from .versions import Done, Head

KEPT_REQUESTS = 16
"""So many of a file's last changes are known by their request's id."""
_HASH_CHARS = 16


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Short hashes of a request's id and of all that it asks for."""

    request_id: str
    request: str


def asked(request: WriteRequest | EditRequest) -> Asked | None:
    """None where it has no id; an empty one is none, for some languages send that for a field that is not set."""
    if not request.request_id:
        return None
    # A path may be written in several ways, and is that of the file in which this is kept.
    fields = msgspec.structs.replace(request, path="", request_id=None)
    whole = msgspec.json.encode((type(request).__name__, fields))
    return Asked(request_id=_hash(request.request_id.encode()), request=_hash(whole))


def done_before(head: Head, request: Asked | None) -> Done | None:
    """What this very request has made, if that is one of the last changes.

    Raises RequestError `invalid_argument` where another request had its id.
    """
    if request is None:
        return None
    for one in reversed(head.done):
        if one.request_id == request.request_id:
            if one.request != request.request:
                raise RequestError(
                    Code.INVALID_ARGUMENT,
                    "another change of this file had this request_id already: give each change one of its own, and send"
                    " it again only with all else as it was",
                )
            return one
    return None


def with_done(head: Head, before: Head | None, request: Asked | None, replacements: int) -> Head:
    """The head with what is known of the changes that led to it, the last of which it is itself."""
    done = [] if before is None else before.done
    if request is not None:
        made = Done(request.request_id, request.request, head.version, head.bytes, replacements)
        done = [*done, made][-KEPT_REQUESTS:]
    return msgspec.structs.replace(head, done=done)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_HASH_CHARS]
