"""Presigned URLs, as requests give them out."""

from datetime import timedelta
from typing import Literal

from coatcheck_schemas.errors import Code, RequestError, StoreRejected
from coatcheck_schemas.times import format_time
from coatcheck_workers.clock import utc_now

from ..model import Retrieval


async def signed(
    retrieval: Retrieval, method: Literal["GET", "PUT"], key: str, expires_seconds: int
) -> tuple[str, str]:
    """The URL, and until when it is valid. Raises RequestError `invalid_argument` where the store signs none."""
    expires_at = utc_now() + timedelta(seconds=expires_seconds)
    try:
        url = await retrieval.store.presign(method, key, expires_seconds)
    except StoreRejected as error:
        raise RequestError(
            Code.INVALID_ARGUMENT, f"this deployment's object storage gives no URLs ({error}): {_INSTEAD[method]}"
        ) from error
    return url, format_time(expires_at)


_INSTEAD = {"GET": "use read", "PUT": "publish the result in one message or in pieces"}
