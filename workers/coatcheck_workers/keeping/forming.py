"""The form in which a large original is kept that came in one message."""

import asyncio

import msgspec

from coatcheck_core.original import Compression, written_whole
from coatcheck_core.rules import Stored
from coatcheck_core.settings.model import StorageSettings


async def formed(stored: Stored, storage: StorageSettings) -> Stored:
    """As it is to be put: indexed and, if it is text, compressed, where it is longer than `large_bytes`."""
    output = stored.output
    if not isinstance(output, bytes) or len(output) <= storage.large_bytes:
        return stored
    return await asyncio.to_thread(_formed, stored, output, storage.compression)


def _formed(stored: Stored, output: bytes, compression: Compression) -> Stored:
    body, written = written_whole(output, stored.metadata.encoding, compression)
    metadata = msgspec.structs.replace(
        stored.metadata, form=written.form, stored_bytes=written.stored_bytes, index_bytes=written.index_bytes
    )
    return msgspec.structs.replace(stored, output=body, index=written.index, metadata=metadata)
