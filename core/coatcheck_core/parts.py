"""A result that came as several blocks: what its parts are called, and what is kept of each."""

import msgspec

from coatcheck_schemas.blocks import JSON_TYPE, TEXT_BLOCK
from coatcheck_schemas.events import Part
from coatcheck_schemas.results import STRUCTURED, Received


def without_repetition(received: Received) -> Received:
    """The result without structured content that says the same as its text: it is not kept twice."""
    structured = received.structured_content
    text = (received.text or "").lstrip()
    if structured is None or not text.startswith(("{", "[")):
        return received
    try:
        repeats = _canonical(text) == _canonical(structured)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        repeats = False
    return msgspec.structs.replace(received, structured_content=None) if repeats else received


def name_parts(received: Received, ref: str | None) -> list[Part] | None:
    """The parts in the order of the blocks, structured content last; None where there is one text and nothing else.

    `ref` is the original's; None where nothing is stored, and then no part has one.
    """
    blocks = received.blocks
    if received.structured_content is None and (blocks is None or [block.type for block in blocks] == [TEXT_BLOCK]):
        return None
    parts: list[Part] = []
    start = 0
    for index, text in enumerate(_texts(received)):
        if text is not None:
            parts.append(Part(index=index, type=TEXT_BLOCK, start=start, end=start + len(text)))
            start += len(text) + 1
        elif blocks is not None:
            block = blocks[index]
            parts.append(_object_part(index, block.type, block.mime_type, block.data or b"", ref))
    if received.structured_content is not None:
        parts.append(_object_part(len(parts), STRUCTURED, JSON_TYPE, received.structured_content, ref))
    return parts


def part_bodies(received: Received) -> list[tuple[int, bytes]]:
    """The bytes to keep for each part that is not a range of the text, by index."""
    bodies = [(index, block.data) for index, block in enumerate(received.blocks or []) if block.data is not None]
    if received.structured_content is not None:
        bodies.append((len(_texts(received)), received.structured_content))
    return bodies


def fitting_parts(parts: list[Part] | None, max_bytes: int) -> list[Part] | None:
    """The first parts, as many as take at most `max_bytes` as JSON: too long a list must not crowd out the rest."""
    for taken, part in enumerate(parts or []):
        max_bytes -= len(msgspec.json.encode(part)) + 1
        if max_bytes < 0:
            return (parts or [])[:taken]
    return parts


def _texts(received: Received) -> list[str | None]:
    """The text of each block, None for another kind's; content that came as one text is one block."""
    if received.blocks is None:
        return [received.text or ""]
    return [block.text if block.type == TEXT_BLOCK else None for block in received.blocks]


def _object_part(index: int, kind: str, mime_type: str | None, data: bytes, ref: str | None) -> Part:
    part_ref = None if ref is None else f"{ref}/{index}"
    return Part(index=index, type=kind, mime_type=mime_type, bytes=len(data), ref=part_ref)


def _canonical(document: str | bytes) -> bytes:
    """One spelling of a JSON document. Compared as values, `true` would equal `1`."""
    return msgspec.json.encode(msgspec.json.decode(document), order="deterministic")
