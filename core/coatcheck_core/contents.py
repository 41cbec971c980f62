"""An original's bytes as decisions see them: counted, hashed, and whole in memory or by their two ends."""

import msgspec

from coatcheck_core.lines import count_lines
from coatcheck_schemas.metadata import Form
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.results import Received


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """An original that is in the store already, under `key`, as `form` says, in `stored_bytes`.

    `index` is what is to be put beside a plain one; a compressed one has its own inside, `index_bytes` long. `version`
    is what the store calls it: where it is given, a copy is of that version or fails.
    """

    key: str
    form: Form
    stored_bytes: int
    index_bytes: int = 0
    index: bytes | None = None
    version: str | None = None


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """`data` is the whole, or where `placed` says that it lies in the store its first bytes, and `tail` its last.

    `chars` and `lines` are None of what is no text, `encoding` the text's.
    """

    data: bytes
    size: int
    chars: int | None
    lines: int | None
    sha256: str
    encoding: str | None
    tail: bytes = b""
    placed: Placed | None = None


def with_contents(received: Received, contents: Contents) -> Received:
    """A result as if it had come in one message, as far as its contents are in memory."""
    if contents.placed is not None:
        return received
    text = contents.data.decode() if contents.encoding == "utf-8" else None
    return msgspec.structs.replace(received, data=contents.data, text=text)


def contents_of(received: Received) -> Contents:
    """Of a result that is in memory."""
    text = received.text
    return Contents(
        data=received.data,
        size=len(received.data),
        chars=None if text is None else len(text),
        lines=None if text is None else count_lines(text),
        sha256=sha256_hex(received.data),
        encoding=None if text is None else "utf-8",
    )
