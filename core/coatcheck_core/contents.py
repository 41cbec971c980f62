"""An original's bytes as decisions see them: counted, hashed, and whole in memory or by their two ends."""

import msgspec

from coatcheck_core.encodings import UTF_8, TextSize, text_size
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


def contents_of(received: Received) -> Contents:
    """Of a result that is in memory."""
    return _counted(received.data, _text_size(received))


def contents_of_bytes(data: bytes, mime_type: str | None) -> Contents:
    """Of an original that is in memory."""
    return _counted(data, text_size(data, mime_type))


def _counted(data: bytes, size: TextSize | None) -> Contents:
    return Contents(
        data=data,
        size=len(data),
        chars=None if size is None else size.chars,
        lines=None if size is None else size.lines,
        sha256=sha256_hex(data),
        encoding=None if size is None else size.encoding,
    )


def _text_size(received: Received) -> TextSize | None:
    """Of what was decoded already; with NULs in it, it may be UTF-16 all the same."""
    text = received.text
    if text is None or "\0" in text:
        return text_size(received.data, received.mime_type)
    return TextSize(len(text), count_lines(text), UTF_8)
