"""The list of blocks that a result came as, without their texts and data: what it takes to restore it exactly.

It is kept as a part of its own, of the type `blocks`, where the other parts do not say everything: a JSON list with an
entry for each block, a number (the chars of a text block that says nothing else) or an object (`Entry`).
"""

import base64
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from coatcheck_schemas.blocks import TEXT_BLOCK, Block
from coatcheck_schemas.events import Part

MAX_LISTED_TEXTS = 1000
"""Text blocks that are parts by name; of tens of thousands the metadata, read with every page, would be megabytes."""
MOST_WITHOUT_LIST = 100
"""Blocks whose parts one reply names in any case; of more it names the first, and the list is kept."""
MAX_URI_CHARS = 512
_NOTHING = msgspec.Raw()
"""Left out of the JSON for being this very object; any other without bytes would stand there as nothing."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A block: `chars` are a text's length, the rest is a medium's as a `Part` has it.

    `block` is the block as it came with null in place of its text or data; absent where these say as much.
    """

    type: str
    chars: int | None = None
    bytes: int | None = None
    mime_type: str | None = None
    uri: str | None = None
    sha256: str | None = None
    block: msgspec.Raw = _NOTHING


_LIST = msgspec.json.Decoder(list[int | Entry])


def is_list_kept(blocks: Sequence[Block] | None) -> bool:
    """Whether the parts alone do not say all: blocks have other fields, or there are too many."""
    if blocks is None:
        return False
    return len(blocks) > MOST_WITHOUT_LIST or any(block.fields is not None for block in blocks)


def encode_list(blocks: Sequence[Block]) -> bytes:
    return msgspec.json.encode([_entry(block) for block in blocks])


def decode_list(document: bytes) -> list[int | Entry]:
    """Raises ValueError for what is no such list."""
    return _LIST.decode(document)


def part_at(entries: Sequence[int | Entry], index: int, ref: str) -> Part | None:
    """The part that is the block `index` of the result `ref`; None where it has no such block."""
    if not 0 <= index < len(entries):
        return None
    entry = entries[index]
    chars = _chars(entry)
    if chars is None and not isinstance(entry, int):
        return Part(
            index=index,
            type=entry.type,
            mime_type=entry.mime_type,
            bytes=entry.bytes,
            uri=entry.uri,
            sha256=entry.sha256,
            ref=f"{ref}/{index}",
        )
    before = [length for one in entries[:index] if (length := _chars(one)) is not None]
    start = sum(before) + len(before)
    return Part(index=index, type=TEXT_BLOCK, start=start, end=start + (chars or 0))


def entries_of(parts: Sequence[Part]) -> list[int | Entry]:
    """The entries where the parts say all; those that are no blocks are left out by the caller."""
    return [
        (part.end or 0) - (part.start or 0)
        if part.type == TEXT_BLOCK
        else Entry(type=part.type, bytes=part.bytes, mime_type=part.mime_type, uri=part.uri, sha256=part.sha256)
        for part in parts
    ]


def restore(entries: Sequence[int | Entry], text: str, data: Callable[[int], bytes]) -> list[dict[str, Any]]:
    """The blocks as they came, from the original's text and the bytes of each part that is no text, by its index."""
    blocks: list[dict[str, Any]] = []
    start = 0
    for index, entry in enumerate(entries):
        chars = _chars(entry)
        if chars is None and not isinstance(entry, int):
            blocks.append(_restored_medium(entry, data(index)))
            continue
        said = {} if isinstance(entry, int) or not entry.block else msgspec.json.decode(entry.block)
        blocks.append({"type": TEXT_BLOCK} | said | {"text": text[start : start + (chars or 0)]})
        start += (chars or 0) + 1
    return blocks


def shown_uri(uri: str | None) -> str | None:
    """A URI may be a megabyte of data itself; the list has it whole."""
    return uri if uri is None or len(uri) <= MAX_URI_CHARS else None


def _entry(block: Block) -> int | Entry:
    fields = _NOTHING if block.fields is None else msgspec.Raw(block.fields)
    if block.chars is not None:
        return block.chars if block.fields is None else Entry(type=TEXT_BLOCK, chars=block.chars, block=fields)
    return Entry(
        type=block.type,
        bytes=len(block.data or b""),
        mime_type=block.mime_type,
        uri=shown_uri(block.uri),
        sha256=block.sha256,
        block=fields,
    )


def _chars(entry: int | Entry) -> int | None:
    return entry if isinstance(entry, int) else entry.chars


def _restored_medium(entry: Entry, data: bytes) -> dict[str, Any]:
    if entry.type == "resource_link":
        link: dict[str, Any] = msgspec.json.decode(data)
        return link
    if entry.block:
        block: dict[str, Any] = msgspec.json.decode(entry.block)
    else:
        block = {"type": entry.type, "data": None}
        if entry.mime_type is not None:
            block["mimeType"] = entry.mime_type
    if entry.type != "resource":
        return block | {"data": _base64(data)}
    inner = block["resource"]
    is_text = inner.get("text", "") is None and inner.get("blob", "") is not None
    return block | {"resource": inner | ({"text": data.decode()} if is_text else {"blob": _base64(data)})}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
