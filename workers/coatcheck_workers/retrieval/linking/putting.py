"""`upload`: a URL to put one result to. Nothing is kept of it: the upload's id says all that is to be checked later."""

import secrets

from coatcheck_schemas.direct import MAX_PUT_BYTES, RANDOM_CHARS, direct_id
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import UploadReply, UploadRequest
from coatcheck_schemas.segments import encode_segment

from ..model import Retrieval
from .signing import signed

_HEADERS = {"Content-Type": "application/octet-stream"}
"""What an HTTP library sends of itself may be anything; the event says what the result is."""


async def upload(retrieval: Retrieval, session: str, request: UploadRequest) -> UploadReply:
    """Raises RequestError, InvalidId."""
    for identifier in (request.call_id, request.turn_id):
        encode_segment(identifier or "")
    size = request.bytes
    if size is not None and not 0 <= size <= MAX_PUT_BYTES:
        raise RequestError(
            Code.INVALID_ARGUMENT,
            f"bytes must lie between 0 and {MAX_PUT_BYTES} (5 GiB), the most that one PUT carries: publish more in"
            " pieces",
        )
    name = direct_id(size, secrets.token_hex(RANDOM_CHARS // 2))
    expires_seconds = retrieval.settings.upload.expires_seconds
    url, expires_at = await signed(retrieval, "PUT", retrieval.keys.upload(session, name), expires_seconds)
    return UploadReply(upload=name, url=url, headers=_HEADERS, expires_at=expires_at)
