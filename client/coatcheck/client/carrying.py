"""How a result whose content is all there travels: in one message where one carries it, else in pieces."""

from typing import NamedTuple

import msgspec

from coatcheck_schemas.blocks import MAX_BLOCKS_BYTES, blocks_too_large

from .connection import Connection
from .encoding import Content, Envelope, Outgoing, encode_blocks, encode_whole, needs_json
from .sending import fits


class InPieces(NamedTuple):
    """What goes in pieces. `known` is what it will be known by, where that is not of these bytes but of their text."""

    envelope: Envelope
    data: str | bytes
    known: Outgoing | None = None


def carry(connection: Connection, envelope: Envelope, content: Content) -> Outgoing | InPieces:
    """Raises InvalidInput for what a worker would refuse."""
    if isinstance(content, (bytes, bytearray, memoryview)):
        data = bytes(content)
        if len(data) > connection.max_payload or (needs_json(envelope) and not _is_utf8(data)):
            return InPieces(envelope, data)
        return _whole(connection, envelope, data) or InPieces(envelope, data)
    if isinstance(content, str):
        if len(content) > connection.max_payload:
            return InPieces(envelope, content)
        return _whole(connection, envelope, content) or InPieces(envelope, content)
    message = encode_whole(envelope, content)
    if fits(connection, message.headers, message.body):
        return message
    document = encode_blocks(content)
    if len(document) > MAX_BLOCKS_BYTES:
        raise blocks_too_large(len(document))
    opening = msgspec.structs.replace(envelope, event={**envelope.event, "blocks": True})
    return InPieces(opening, document, message)


def _whole(connection: Connection, envelope: Envelope, content: str | bytes) -> Outgoing | None:
    message = encode_whole(envelope, content)
    return message if fits(connection, message.headers, message.body) else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
