"""A result that came as several blocks: what its parts are called, and what is kept of each."""

from collections.abc import Sequence

import msgspec

from coatcheck_core.block_list import MAX_LISTED_TEXTS, encode_list, is_list_kept, shown_uri
from coatcheck_schemas.blocks import JSON_TYPE, TEXT_BLOCK, Block
from coatcheck_schemas.events import BLOCKS, STRUCTURED, Part
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.results import Received


def name_parts(received: Received, ref: str | None) -> list[Part] | None:
    """The parts in the order of the blocks, then the list of these, structured content last; None where there is one
    text and nothing else. Of texts, the first `MAX_LISTED_TEXTS`.

    `ref` is the original's; None where nothing is stored, and then no part has one.
    """
    if not total_parts(received, ref):
        return None
    parts = _block_parts(received, ref)
    for index, kind, body in _beside(received, ref):
        part = Part(index=index, type=kind, mime_type=JSON_TYPE, bytes=len(body), ref=_part_ref(ref, index))
        parts.append(msgspec.structs.replace(part, sha256=sha256_hex(body)))
    return parts


def total_parts(received: Received, ref: str | None) -> int | None:
    """How many parts there are; None where there is one text and nothing else."""
    blocks = received.blocks
    is_listed = ref is not None and is_list_kept(blocks)
    has_structured = received.structured_content is not None
    if not has_structured and not is_listed and (blocks is None or [block.type for block in blocks] == [TEXT_BLOCK]):
        return None
    return (1 if blocks is None else len(blocks)) + is_listed + has_structured or None


def part_bodies(received: Received) -> list[tuple[int, bytes]]:
    """The bytes to keep for each part that is not a range of the text, by index."""
    bodies = [(index, block.data) for index, block in enumerate(received.blocks or []) if block.data is not None]
    return bodies + [(index, body) for index, _, body in _beside(received, "")]


def fitting_parts(parts: list[Part] | None, max_bytes: int) -> list[Part] | None:
    """The first parts, as many as take at most `max_bytes` as JSON: too long a list must not crowd out the rest.

    Those that are no blocks, at the end, come before: by them the others are found.
    """
    if parts is None:
        return None
    last = [part for part in parts[-2:] if part.type in (BLOCKS, STRUCTURED)]
    max_bytes -= sum(map(_size, last))
    if max_bytes < 0:
        return []
    blocks = parts[: len(parts) - len(last)]
    for taken, part in enumerate(blocks):
        max_bytes -= _size(part)
        if max_bytes < 0:
            return blocks[:taken] + last
    return parts


def _size(part: Part) -> int:
    return len(msgspec.json.encode(part)) + 1


def _block_parts(received: Received, ref: str | None) -> list[Part]:
    """Content that came as one text is one block."""
    if received.blocks is None:
        return [Part(index=0, type=TEXT_BLOCK, start=0, end=len(received.text or ""))]
    parts: list[Part] = []
    start = texts = 0
    for index, block in enumerate(received.blocks):
        if block.chars is None:
            parts.append(_medium(index, block, ref))
            continue
        if texts < MAX_LISTED_TEXTS:
            parts.append(Part(index=index, type=TEXT_BLOCK, start=start, end=start + block.chars))
        texts += 1
        start += block.chars + 1
    return parts


def _medium(index: int, block: Block, ref: str | None) -> Part:
    return Part(
        index=index,
        type=block.type,
        mime_type=block.mime_type,
        bytes=len(block.data or b""),
        uri=shown_uri(block.uri),
        sha256=block.sha256,
        ref=_part_ref(ref, index),
    )


def _beside(received: Received, ref: str | None) -> Sequence[tuple[int, str, bytes]]:
    """What is kept that is no block, by index and type."""
    index = 1 if received.blocks is None else len(received.blocks)
    found: list[tuple[int, str, bytes]] = []
    if received.blocks is not None and ref is not None and is_list_kept(received.blocks):
        found.append((index, BLOCKS, encode_list(received.blocks)))
    if received.structured_content is not None:
        found.append((index + len(found), STRUCTURED, received.structured_content))
    return found


def _part_ref(ref: str | None, index: int) -> str | None:
    return None if ref is None else f"{ref}/{index}"
