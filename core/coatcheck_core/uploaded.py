"""A result that came by an upload, once it is whole."""

from typing import Any

import msgspec

from coatcheck_core.contents import Contents
from coatcheck_schemas.results import Received, with_blocks
from coatcheck_schemas.synopsis import Synopsis

_BOM = b"\xef\xbb\xbf"


class Uploaded(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came, and what its producer said at the end: `error` is why it gave up, `is_error` None where unsaid.

    `synopsis` is there where the contents are not in memory; `blocks` in place of contents, a JSON list.
    """

    contents: Contents | None = None
    blocks: bytes | None = None
    synopsis: Synopsis | None = None
    error: str | None = None
    is_error: bool | None = None


def received_whole(received: Received, uploaded: Uploaded) -> Received:
    """The result as if it had come in one message, as far as its contents are in memory. Raises InvalidResult."""
    if uploaded.blocks is not None:
        received = with_blocks(received, uploaded.blocks)
    contents = uploaded.contents
    fields: dict[str, Any] = {
        "incomplete": uploaded.error is not None,
        "error": uploaded.error,
        "is_error": received.is_error if uploaded.is_error is None else uploaded.is_error,
    }
    if contents is not None and contents.placed is None:
        fields |= {"data": contents.data, "text": contents.data.decode() if contents.encoding == "utf-8" else None}
    return msgspec.structs.replace(received, **fields)


def ordinary_event(opening: bytes, content: bytes, is_error: bool | None) -> bytes | None:
    """The body of the event that would have borne the text itself; None where the opening event is beyond that."""
    try:
        fields = msgspec.json.decode(opening.removeprefix(_BOM), type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    del fields["upload"]
    fields["content"] = msgspec.Raw(msgspec.json.encode(content.decode()))
    if is_error is not None:
        fields["is_error"] = msgspec.Raw(b"true" if is_error else b"false")
    return msgspec.json.encode(fields)
