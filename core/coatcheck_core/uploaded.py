"""A result that came by an upload, once it is whole."""

from typing import Any

import msgspec

from coatcheck_core.contents import Contents
from coatcheck_schemas.results import Received
from coatcheck_schemas.synopsis import Synopsis


class Uploaded(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came, and what its producer said at the end: `error` is why it gave up, `is_error` None where unsaid.

    `synopsis` is there where the contents are not in memory.
    """

    contents: Contents
    synopsis: Synopsis | None = None
    error: str | None = None
    is_error: bool | None = None


def received_whole(received: Received, uploaded: Uploaded) -> Received:
    """The result as if it had come in one message, as far as its contents are in memory."""
    contents = uploaded.contents
    fields: dict[str, Any] = {
        "incomplete": uploaded.error is not None,
        "error": uploaded.error,
        "is_error": received.is_error if uploaded.is_error is None else uploaded.is_error,
    }
    if contents.placed is None:
        fields |= {"data": contents.data, "text": contents.data.decode() if contents.encoding == "utf-8" else None}
    return msgspec.structs.replace(received, **fields)
