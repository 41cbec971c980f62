"""`fs read` of a result: of a call's path whichever is the newest by now."""

import asyncio

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import FileReadReply
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.requests import ReadReply, ReadRequest
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.originals.known import Named
from coatcheck_workers.retrieval.reading.reading import read, read_at_hand

from .results import looked_up, newest_since, remembered_newest

_BY_WHAT_IS_STORED = frozenset({Code.NOT_FOUND, Code.GONE, Code.INTERNAL})
"""Errors that may be the fault of what is remembered; another is the request's own."""
_MORE_BYTES = 300
"""What the reply of a file that is a result has more than that of a read: its ref, of two segments at most."""


async def read_result(retrieval: Retrieval, session: str, path: str, asked: ReadRequest) -> FileReadReply:
    """A page of the result that a normalized path names; of `asked` the ref counts for nothing.

    Which one a call's path names is looked up while the one is read that it named before: where that is at hand, by one
    listing and nothing else. Raises RequestError, StoreError.
    """
    narrower = msgspec.structs.replace(retrieval, max_reply_bytes=retrieval.max_reply_bytes - _MORE_BYTES)
    pages = _Pages(retrieval=narrower, session=session, asked=asked)
    before = remembered_newest(retrieval, session, path)
    if before is not None:
        reply = await _of_newest(pages, path, before)
        if reply is not None:
            return reply
    result_id = (await looked_up(retrieval, session, path)).result_id
    is_by_call = remembered_newest(retrieval, session, path) is not None
    return await pages.fetched(result_id, keeps=is_by_call)


class _Pages(msgspec.Struct, frozen=True, kw_only=True):
    """The page that is asked for, of one result or another."""

    retrieval: Retrieval
    session: str
    asked: ReadRequest

    async def at_hand(self, result_id: str) -> FileReadReply:
        """For whoever finds out meanwhile that the result is there still. Fetched where it is not in memory."""
        reply = await read_at_hand(self.retrieval, self.session, self._request(result_id))
        return await self.fetched(result_id, keeps=True) if reply is None else self._file_reply(result_id, reply)

    async def fetched(self, result_id: str, *, keeps: bool) -> FileReadReply:
        reply = await read(self.retrieval, self.session, self._request(result_id), keeps=keeps)
        return self._file_reply(result_id, reply)

    def _request(self, result_id: str) -> ReadRequest:
        return msgspec.structs.replace(self.asked, ref=result_id)

    def _file_reply(self, result_id: str, reply: ReadReply) -> FileReadReply:
        return FileReadReply(**msgspec.structs.asdict(reply), ref=str(Ref(self.session, result_id)))


async def _of_newest(pages: _Pages, path: str, before: Named) -> FileReadReply | None:
    """Of what a call named before, or of what came since; None where neither is there any more, or can be told."""
    # Begun first: the store answers while a page is made of what is at hand.
    listing = asyncio.ensure_future(newest_since(pages.retrieval, pages.session, path, before))
    reading = asyncio.ensure_future(pages.at_hand(before.result_id))
    try:
        newest = await listing
        if newest is None:
            return None
        return await (reading if newest == before.result_id else pages.fetched(newest, keeps=True))
    except RequestError as error:
        if error.code not in _BY_WHAT_IS_STORED:
            raise
        return None
    finally:
        listing.cancel()
        reading.cancel()
        await asyncio.gather(listing, reading, return_exceptions=True)
