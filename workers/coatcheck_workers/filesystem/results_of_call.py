"""Which results a call has, where the store tells it by one listing of no more than these."""

from datetime import datetime

from coatcheck_core.filesystem.results import call_of
from coatcheck_schemas.errors import InvalidRef, StoreError
from coatcheck_schemas.keys import METADATA
from coatcheck_schemas.refs import check_result_id
from coatcheck_workers.deleting.stored import StoredTombstones
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.storage.beginnings import beginning_with
from coatcheck_workers.storage.listing import list_some

MOST_KEYS = 100
"""A result has two or three, and one for each of its media. Calls whose ids begin alike share them."""
_NOTE = ".json"
_AFTER_ALL = "~"
"""Greater than all chars that ids of results have."""


async def results_of_call(retrieval: Retrieval, session: str, call: str) -> list[str] | None:
    """The ids of all there are, in no order, by the call's segment; None where that cannot be told so.

    What is wrong where it cannot the other listings tell: those of entries, which every store has.
    """
    folder = retrieval.keys.result(session, "")[:-1]
    try:
        keys = await beginning_with(retrieval.store, f"{folder}{call}-", MOST_KEYS)
    except StoreError:
        return None
    if keys is None:
        return None
    names = (key.removeprefix(folder).partition("/") for key in keys)
    return [name for name, _, rest in names if rest == METADATA and is_of_call(name, call)]


async def deletion_of_call(retrieval: Retrieval, session: str, call: str) -> tuple[str, datetime] | None:
    """The id of a result of the call's that was deleted, and when; None where storage has no word of any.

    Raises StoreError.
    """
    folder = retrieval.keys.deleted(session, "").removesuffix(_NOTE)
    start = f"{folder}{call}-"
    keys = await list_some(retrieval.store, folder, after=start, below=f"{start}{_AFTER_ALL}", most=MOST_KEYS)
    notes = StoredTombstones(retrieval.store, retrieval.keys)
    for key in keys:
        name = key.removeprefix(folder).removesuffix(_NOTE)
        if is_of_call(name, call) and (moment := await notes.deleted_at(session, name)) is not None:
            return name, moment
    return None


def is_of_call(name: str, call: str) -> bool:
    """Whether a name is the id of one of the call's results."""
    try:
        return call_of(check_result_id(name)) == call
    except InvalidRef:
        return False
