"""`delete`: one result, or the whole session."""

from contextlib import suppress

from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import DeleteReply, DeleteRequest

from .missing import check_not_deleted, missing
from .model import Retrieval
from .originals.loading import load_metadata, resolve


async def delete(retrieval: Retrieval, session: str, request: DeleteRequest) -> DeleteReply:
    """Raises RequestError, InvalidRef, StoreError."""
    if retrieval.deleter is None:
        raise RequestError(Code.UNAVAILABLE, "this worker deletes nothing")
    if request.all == (request.ref is not None):
        raise RequestError(Code.INVALID_ARGUMENT, "give either the ref of a result, or all: true for the whole session")
    if request.ref is None:
        return DeleteReply(deleted=await retrieval.deleter.delete(session, None))
    ref = resolve(retrieval, session, request.ref)
    if ref.part is not None:
        raise RequestError(
            Code.INVALID_ARGUMENT,
            f"{ref} is a part of a result; delete the result itself, {Ref(session, ref.result_id)}",
        )
    await _check_there(retrieval, session, ref)
    return DeleteReply(deleted=await retrieval.deleter.delete(session, ref.result_id))


async def _check_there(retrieval: Retrieval, session: str, ref: Ref) -> None:
    """A result is there where it is stored, and also where its session has but a stub of it.

    Raises RequestError `not_found` or `gone`.
    """
    try:
        metadata = await load_metadata(retrieval, session, ref.result_id)
    except ObjectNotFound:
        pass
    except RequestError:
        return  # damaged, and there all the same
    else:
        with suppress(RequestError):
            check_not_deleted(retrieval, session, metadata)
            return
    if await retrieval.events.event_of(session, ref.result_id) is None:
        raise await missing(retrieval, ref)
