"""The bytes of an original in order, as they were put."""

from collections.abc import AsyncGenerator

from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref

from ..model import Retrieval
from .indexed import Indexed
from .loading import load_checked
from .stored import is_indexed


async def whole(retrieval: Retrieval, session: str, metadata: Metadata) -> AsyncGenerator[bytes, None]:
    """All of it, proved by its checksums, some MiB in memory at a time; to be closed where it is not exhausted.

    Raises ObjectNotFound, StoreError, and RequestError `internal` where it is not what was stored.
    """
    if not is_indexed(metadata):
        yield (await load_checked(retrieval, Ref(session, metadata.result_id), metadata)).data
        return
    original = Indexed(retrieval, session, metadata)
    async for piece in original.raw(0, (await original.index()).facts.bytes):
        yield piece
