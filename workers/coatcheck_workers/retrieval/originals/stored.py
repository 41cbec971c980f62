"""Where an original lies, and what is shared by all that reads it."""

import logging
from collections.abc import Callable
from typing import TypeVar

from coatcheck_core.layout import output_key_of
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref

from ..model import Retrieval
from ..threads import in_request_thread

log = logging.getLogger("coatcheck.retrieval")

OFF_LOOP_BYTES = 256 * 1024
"""Work on more bytes than this goes to a thread, so that no request holds the event loop for long."""

_T = TypeVar("_T")


async def off_loop(size: int, work: Callable[[], _T]) -> _T:
    """The outcome of `work` on `size` bytes, done in a thread where they are many."""
    return await in_request_thread(work) if size > OFF_LOOP_BYTES else work()


def output_key(retrieval: Retrieval, session: str, metadata: Metadata) -> str:
    """The key of the original's object."""
    return output_key_of(retrieval.keys, metadata, session)


def is_indexed(metadata: Metadata) -> bool:
    """Whether parts of the original are read by an index; else it is small, and read by the lengths of its blocks."""
    return metadata.index_bytes > 0 or metadata.form != "plain"


def damaged(ref: Ref | str) -> RequestError:
    return RequestError(
        Code.INTERNAL,
        f"what is stored of {ref} does not match its checksum, so it is not given out: run the tool again, and tell"
        " whoever runs the store",
        ref=str(ref),
    )
