"""A result that came as several blocks: what its parts are called, and what is kept of each."""

import msgspec

from coatcheck_schemas.events import Part
from coatcheck_schemas.refs import Ref, parse_ref
from coatcheck_schemas.results import STRUCTURED, TEXT_BLOCK, Received


def name_parts(received: Received, ref: str | None) -> list[Part] | None:
    """The parts in the order of the blocks, structured content last; None where there is one text and nothing else.

    `ref` is the original's; None where nothing is stored, and then no part has one.
    """
    blocks = received.blocks
    structured = received.structured_content if keeps_structured(received) else None
    if structured is None and (blocks is None or [block.type for block in blocks] == [TEXT_BLOCK]):
        return None
    parts: list[Part] = []
    start = 0
    texts = (
        [(TEXT_BLOCK, received.text or "", None, None)]
        if blocks is None
        else [(block.type, block.text, block.data, block.mime_type) for block in blocks]
    )
    for index, (kind, text, data, mime_type) in enumerate(texts):
        if kind == TEXT_BLOCK and text is not None:
            parts.append(Part(index=index, type=kind, start=start, end=start + len(text)))
            start += len(text) + 1
        else:
            size = None if data is None else len(data)
            parts.append(Part(index=index, type=kind, mime_type=mime_type, bytes=size, ref=_part_ref(ref, index, data)))
    if structured is not None:
        index = len(texts)
        parts.append(
            Part(
                index=index,
                type=STRUCTURED,
                mime_type="application/json",
                bytes=len(structured),
                ref=_part_ref(ref, index, structured),
            )
        )
    return parts


def part_bodies(received: Received) -> list[tuple[int, bytes]]:
    """The bytes to keep for each part that is not a range of the text, by index."""
    blocks = received.blocks or []
    bodies = [(index, block.data) for index, block in enumerate(blocks) if block.data is not None]
    if keeps_structured(received) and received.structured_content is not None:
        count = 1 if received.blocks is None else len(blocks)
        bodies.append((count, received.structured_content))
    return bodies


def keeps_structured(received: Received) -> bool:
    """Whether there is structured content that says more than the text: what repeats it is not kept twice."""
    structured = received.structured_content
    if structured is None:
        return False
    text = (received.text or "").lstrip()
    if not text.startswith(("{", "[")):
        return True
    try:
        return bool(msgspec.json.decode(text) != msgspec.json.decode(structured))
    except (msgspec.DecodeError, RecursionError):
        return True


def _part_ref(ref: str | None, index: int, data: bytes | None) -> str | None:
    if ref is None or data is None:
        return None
    whole = parse_ref(ref)
    return str(Ref(whole.session, whole.result_id, index))
