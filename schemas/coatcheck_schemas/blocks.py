"""MCP content blocks: what a list of them may be, and reading them in memory that is bounded by their bytes."""

import binascii
import codecs
import re
from typing import Any

import msgspec

from .errors import InvalidResult

TEXT_BLOCK = "text"
BLOCK_TYPES = ("text", "image", "audio", "resource", "resource_link")
JSON_TYPE = "application/json"

MAX_BLOCKS = 100_000
MAX_MEDIA_BLOCKS = 1000
"""Blocks that are no text: each is an object of its own in storage."""
MAX_BLOCKS_BYTES = 64 * 1024 * 1024
"""Of a list that comes in pieces: it is read whole, since JSON cannot be taken apart before its end."""
MAX_FIELDS_BYTES = 4 * 1024 * 1024
"""Of what all blocks say besides their text and data, as annotations and `_meta`."""

_MOST_MARKS = 4_000_000
"""Brackets, commas and strings of a list that are looked at to count its blocks: about a second."""
_STEP = 1024 * 1024
"""A multiple of 4: so much of base64 or UTF-8 is read at once, for others shall get their turn in between."""
_PLAIN_TEXT_BYTES = len(b'{"type": "text", "text": }')
"""A text block that has no more than this around its text says nothing else: the least other field would need more."""
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_PADDING = ord("=")
_ESCAPE = re.compile(rb"\\")
_MARKS = re.compile(rb'\{(?:[^][{}"]++|' + _STRING + rb")*+\}|" + _STRING + rb"|[][{},]", re.DOTALL)
"""A flat object is one mark; inside strings there is none."""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """One MCP content block: as it came (`raw`, part of what it was read from), and what is in it.

    `data` are a medium's bytes; those of a link are its own JSON, since what it points at did not come. `sha256` is
    theirs, once it is known. `chars` is a text's length. `fields` is the block as JSON with null for its text or data,
    or None where the rest of this struct says as much.
    """

    type: str
    raw: msgspec.Raw
    chars: int | None = None
    data: bytes | None = None
    mime_type: str | None = None
    uri: str | None = None
    fields: bytes | None = None
    sha256: str | None = None

    @property
    def text(self) -> str | None:
        """A text block's text, read anew each time: it is in the result's text already."""
        if self.chars is None:
            return None
        text: str = msgspec.json.decode(_MEMBERS.decode(self.raw).text)
        return text


class _Members(msgspec.Struct, frozen=True, rename={"mime_type": "mimeType"}):
    """What is looked at of a block or a resource; whatever else is there takes no memory."""

    type: msgspec.Raw = msgspec.Raw()
    text: msgspec.Raw = msgspec.Raw()
    data: msgspec.Raw = msgspec.Raw()
    blob: msgspec.Raw = msgspec.Raw()
    mime_type: msgspec.Raw = msgspec.Raw()
    uri: msgspec.Raw = msgspec.Raw()
    resource: msgspec.Raw = msgspec.Raw()


_MEMBERS = msgspec.json.Decoder(_Members)
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_ABSENT = (b"", b"null")


def blocks_too_large(size: int) -> InvalidResult:
    """The refusal of a list of `size` bytes or more, before it is read or while it comes."""
    return InvalidResult(
        "too_large",
        f"the content blocks have {size} bytes; a list may have {MAX_BLOCKS_BYTES}: publish the text and each medium "
        "as results of their own, or put them where the agent can fetch them and send resource_link blocks",
    )


def split_blocks(document: bytes) -> list[msgspec.Raw]:
    """The elements of a JSON list that came in pieces. Raises InvalidResult.

    They are counted before anything is made of them: a list of 64 MiB may have 30 million elements.
    """
    if len(document) > MAX_BLOCKS_BYTES:
        raise blocks_too_large(len(document))
    _check_count(document)
    try:
        _check_utf8(document)  # msgspec skips what stays raw without a look at its bytes
        return _LIST.decode(document)
    except msgspec.ValidationError as error:
        raise InvalidResult("invalid_field", f"the pieces are not a JSON list of content blocks: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidResult("invalid_json", f"the pieces are not a JSON list of content blocks: {error}") from None
    except RecursionError:
        raise InvalidResult("invalid_json", "the content blocks nest too deep to be read") from None


def read_blocks(raws: list[msgspec.Raw], path: str) -> list[Block]:
    """The blocks of a list that stands at `path`. Raises InvalidResult that says what is wrong and where."""
    if len(raws) > MAX_BLOCKS:
        raise _too_many()
    blocks = []
    media = fields_bytes = 0
    for i, raw in enumerate(raws):
        block = _block(raw, f"{path}[{i}]")
        media += block.type != TEXT_BLOCK
        fields_bytes += len(block.fields or b"")
        if fields_bytes > MAX_FIELDS_BYTES:
            raise InvalidResult(
                "too_large",
                f"up to {path}[{i}] the blocks' fields besides their text and data have over {MAX_FIELDS_BYTES} bytes; "
                "send what is so large as structured_content or as a resource",
            )
        blocks.append(block)
    if media > MAX_MEDIA_BLOCKS:
        raise InvalidResult(
            "invalid_field", f"content has {media} blocks that are no text; a result may have {MAX_MEDIA_BLOCKS}"
        )
    return blocks


def joined_text(blocks: list[Block]) -> str:
    """The original's text: the text blocks', with a line end between them."""
    return "\n".join([text for block in blocks if (text := block.text) is not None])


def _check_count(document: bytes) -> None:
    """There is a comma between any two; where those inside of texts make it too many, they are looked at."""
    if document.count(b",") < MAX_BLOCKS:
        return
    depth = blocks = 0
    for marks, found in enumerate(_MARKS.finditer(document)):
        mark = found[0] if found.end() - found.start() == 1 else b""
        depth += (mark in (b"[", b"{")) - (mark in (b"]", b"}"))
        blocks += depth == 1 and mark == b","
        if blocks >= MAX_BLOCKS:
            raise _too_many()
        if marks > _MOST_MARKS:
            raise InvalidResult(
                "too_large", f"the content blocks hold over {_MOST_MARKS} values: send them as one text block of JSON"
            )


def _too_many() -> InvalidResult:
    return InvalidResult(
        "too_large", f"content has over {MAX_BLOCKS} blocks; join texts that belong together, or publish one text"
    )


def _check_utf8(document: bytes) -> None:
    """Raises UnicodeDecodeError. Whole, a text with one rare char would take four times its size."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(document)
    for start in range(0, len(view), _STEP):
        decoder.decode(view[start : start + _STEP])
    decoder.decode(b"", final=True)


def _block(raw: msgspec.Raw, path: str) -> Block:
    members = _members(raw, path)
    kind = _kind(members.type)
    if kind not in BLOCK_TYPES:
        known = ", ".join(BLOCK_TYPES)
        raise InvalidResult("invalid_field", f"unknown content block type {kind[:80]!r} at {path}; known: {known}")
    if kind == TEXT_BLOCK:
        return _text_block(raw, members, path)
    if kind == "resource":
        return _resource(raw, members, path)
    if kind == "resource_link":
        uri = _string(members.uri, f"{path}.uri")
        return Block(type=kind, raw=raw, data=bytes(raw), mime_type=JSON_TYPE, uri=uri)
    mime_type = _optional(members.mime_type, f"{path}.mimeType")
    data = _base64(members.data, f"{path}.data")
    fields = _fields(raw, "data")
    is_plain = fields.keys() == {"type", "data"} | ({"mimeType"} if mime_type is not None else set())
    return Block(type=kind, raw=raw, data=data, mime_type=mime_type, fields=None if is_plain else _encode(fields))


def _text_block(raw: msgspec.Raw, members: _Members, path: str) -> Block:
    text = _string(members.text, f"{path}.text")
    fields = None
    if len(raw) - len(members.text) > _PLAIN_TEXT_BYTES:
        found = _fields(raw, "text")
        fields = None if found.keys() == {"type", "text"} else _encode(found)
    return Block(type=TEXT_BLOCK, raw=raw, chars=len(text), fields=fields)


def _resource(raw: msgspec.Raw, members: _Members, path: str) -> Block:
    at = f"{path}.resource"
    if not _opens(members.resource, b"{"):
        raise InvalidResult("invalid_field", f"an object is missing at {at}")
    inner = _members(members.resource, at)
    name = "blob" if bytes(inner.text) in _ABSENT else "text"
    data = _string(inner.text, f"{at}.text").encode() if name == "text" else _base64(inner.blob, f"{at}.blob")
    fields = _fields(raw, "")
    said = _fields(members.resource, name)
    if name == "text" and bytes(inner.blob) == b"null":
        del said["blob"]  # the one null there says which of the two it was
    fields["resource"] = msgspec.Raw(_encode(said))
    return Block(
        type="resource",
        raw=raw,
        data=data,
        mime_type=_optional(inner.mime_type, f"{at}.mimeType"),
        uri=_optional(inner.uri, f"{at}.uri"),
        fields=_encode(fields),
    )


def _members(raw: msgspec.Raw, path: str) -> _Members:
    try:
        return _MEMBERS.decode(raw)
    except msgspec.ValidationError:
        raise InvalidResult("invalid_field", f"a content block must be an object: {path}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidResult("invalid_json", f"the content block at {path} cannot be read: {error}") from None


def _kind(raw: msgspec.Raw) -> str:
    """The type, or what stands in its place."""
    try:
        kind: str = msgspec.json.decode(raw, type=str)
    except (msgspec.DecodeError, RecursionError):
        return bytes(memoryview(raw)[:80]).decode(errors="replace")
    return kind


def _fields(raw: msgspec.Raw, payload: str) -> dict[str, Any]:
    """An object's members as they came, with null for the payload."""
    fields: dict[str, Any] = _FIELDS.decode(raw)
    if payload:
        fields[payload] = None
    return fields


def _encode(fields: dict[str, Any]) -> bytes:
    return msgspec.json.encode(fields)


def _string(raw: msgspec.Raw, path: str) -> str:
    try:
        text: str = msgspec.json.decode(raw, type=str)
    except msgspec.DecodeError:
        raise InvalidResult("invalid_field", f"a text is missing at {path}") from None
    return text


def _optional(raw: msgspec.Raw, path: str) -> str | None:
    return None if bytes(raw) in _ABSENT else _string(raw, path)


def _base64(raw: msgspec.Raw, path: str) -> bytes:
    """Read from the JSON itself where it has no escapes: as a text it would be in memory once more."""
    if not _opens(raw, b'"'):
        raise InvalidResult("invalid_field", f"a text is missing at {path}")
    encoded = memoryview(raw)[1:-1]
    if _ESCAPE.search(encoded) is not None:
        encoded = memoryview(_string(raw, path).encode())
    try:
        return b"".join(
            _base64_step(encoded[start : start + _STEP], is_last=start + _STEP >= len(encoded))
            for start in range(0, len(encoded), _STEP)
        )
    except (binascii.Error, ValueError) as error:
        raise InvalidResult("invalid_field", f"not base64 at {path}: {error}") from None


def _base64_step(encoded: memoryview, *, is_last: bool) -> bytes:
    if not is_last and encoded[-1] == _PADDING:
        raise ValueError("Excess data after padding")
    return binascii.a2b_base64(encoded, strict_mode=True)


def _opens(raw: msgspec.Raw, mark: bytes) -> bool:
    return bytes(memoryview(raw)[:1]) == mark
