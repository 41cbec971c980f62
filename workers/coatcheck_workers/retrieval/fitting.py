"""Metadata as replies carry it: with no more of its parts than there is room for, and with a count of all."""

import msgspec

from coatcheck_core.parts import fitting_parts
from coatcheck_schemas.metadata import Metadata


def with_fitting_parts(metadata: Metadata, max_bytes: int) -> Metadata:
    """The metadata with the first parts, as many as take at most `max_bytes` as JSON."""
    return msgspec.structs.replace(
        metadata, parts=fitting_parts(metadata.parts, max_bytes), total_parts=count_of_parts(metadata)
    )


def count_of_parts(metadata: Metadata) -> int | None:
    """How many there are; metadata that names them all need not say so."""
    if metadata.total_parts is None and metadata.parts is not None:
        return len(metadata.parts)
    return metadata.total_parts
