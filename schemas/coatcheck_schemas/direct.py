"""Upload ids of results that their producer puts into the store itself: `put-{bytes or any}-{random}`.

The id bears the announced size, so that the worker that reads what was put can check it and nothing is to be kept
between the request and the event.
"""

import re
from typing import Final

from .errors import InvalidResult

DIRECT: Final = "put-"
"""What these ids begin with."""
MAX_PUT_BYTES: Final = 5 * 1024**3
"""S3 takes no more in one PUT."""
RANDOM_CHARS: Final = 32

_ID = re.compile(r"put-(?P<bytes>any|0|[1-9][0-9]{0,9})-(?P<random>[0-9a-f]{32})")
_SHOWN = 80


def direct_id(size: int | None, random: str) -> str:
    """The id for an upload of so many bytes, None where nobody knows; `random` is 32 hex digits that nobody guesses."""
    return f"{DIRECT}{'any' if size is None else size}-{random}"


def is_direct(upload: str) -> bool:
    return upload.startswith(DIRECT)


def announced_bytes(upload: str) -> int | None:
    """The size that was announced, None where none was. Raises InvalidResult for an id that no worker gave."""
    match = _ID.fullmatch(upload)
    if match is None or (match["bytes"] != "any" and int(match["bytes"]) > MAX_PUT_BYTES):
        raise InvalidResult(
            "invalid_upload", f"upload {upload[:_SHOWN]!r} is no id of the request `upload`: use the one from its reply"
        )
    return None if match["bytes"] == "any" else int(match["bytes"])
