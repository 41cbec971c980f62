"""The media that came with an offloaded result: passed on as far as one message carries them."""

import msgspec

from coatcheck_core.stub.escaping import one_line
from coatcheck_schemas.blocks import TEXT_BLOCK, Block
from coatcheck_schemas.events import StubEvent

_URI_CHARS = 200
_NOTE_BYTES = 500
"""Room for the block that says how many were left out."""


def with_media(event: StubEvent, blocks: list[Block], ref: str, max_bytes: int) -> StubEvent:
    """The event with the stub as a text block, then the media, as they came; unchanged where there are none.

    Where one message of `max_bytes` cannot carry them all, references stand in for the largest; where it cannot carry
    those either, a note says how many are left out. All of them are kept under `ref`.
    """
    media = {index: block for index, block in enumerate(blocks) if block.type != TEXT_BLOCK}
    if not media:
        return event
    stub = _text_block(str(event.content))
    alone = msgspec.structs.replace(event, content=[msgspec.Raw(stub)])
    carried = _carry(media, ref, max_bytes - len(msgspec.json.encode(alone)))
    return msgspec.structs.replace(event, content=[msgspec.Raw(block) for block in (stub, *carried)])


def _carry(media: dict[int, Block], ref: str, room: int) -> list[bytes | msgspec.Raw]:
    """The blocks in their order, with a comma each in at most `room` bytes; linear but for one sorting."""
    carried: dict[int, bytes | msgspec.Raw] = {index: block.raw for index, block in media.items()}
    total = sum(len(raw) + 1 for raw in carried.values())
    for index, block in sorted(media.items(), key=lambda item: -len(item[1].raw)):
        if total <= room:
            return list(carried.values())
        reference = _reference(index, block, ref)
        if len(reference) < len(block.raw):
            carried[index] = reference
            total -= len(block.raw) - len(reference)
    return list(carried.values()) if total <= room else _first(list(carried.values()), ref, room - _NOTE_BYTES)


def _first(blocks: list[bytes | msgspec.Raw], ref: str, room: int) -> list[bytes | msgspec.Raw]:
    taken = 0
    while taken < len(blocks) and len(blocks[taken]) + 1 <= room:
        room -= len(blocks[taken]) + 1
        taken += 1
    note = f"[and {len(blocks) - taken} more, kept as {ref}/INDEX by their places in the result]"
    return [*blocks[:taken], _text_block(note)]


def _reference(index: int, block: Block, ref: str) -> bytes:
    named = [one_line(block.mime_type or block.type), f"{len(block.data or b'')} bytes"]
    if block.uri is not None and block.type != "resource_link":
        named.append(one_line(block.uri[:_URI_CHARS]))
    return _text_block(f"[{', '.join(named)}, kept as {ref}/{index}]")


def _text_block(text: str) -> bytes:
    return msgspec.json.encode({"type": TEXT_BLOCK, "text": text})
