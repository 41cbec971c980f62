"""One file's versions in storage: the newest counts, and none is ever written over another.

A version is an object `.../versions/{name}/{last - number}`, created exclusively: the newest is listed first, and of
two who write after the same version one is told. The one before is then emptied, not deleted, for whoever still wants
to write after an older one must find its place taken. It goes once it has been of no use for `KEPT_SECONDS`, longer
than any request lives, and than a store takes a signed one.
"""

import secrets
from collections.abc import AsyncGenerator

import msgspec

from coatcheck_core.filesystem.edits import check_size
from coatcheck_core.filesystem.repeating import Asked, with_done
from coatcheck_core.filesystem.versions import Head
from coatcheck_schemas.errors import Code, ObjectExists, ObjectNotFound, RequestError, StoreUnavailable
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.times import to_milliseconds
from coatcheck_workers.retrieval.originals.stored import off_loop

from .stored_versions import MAX_VERSION, Found, StoredVersions

KEPT_SECONDS = 20 * 60.0
_TRIMMED = 200
"""Emptied versions that one write deletes at most."""


class Versions(StoredVersions):
    """Those of one file, to write another. Raises RequestError and StoreError."""

    async def write_after(
        self, found: Found, text: str, *, request: Asked | None = None, replacements: int = 0
    ) -> Head:
        """The version after the one that was found.

        Raises ObjectExists where another was quicker, RequestError `unavailable` where the session was deleted since:
        the text may be made from what was deleted.
        """
        data = text.encode()
        check_size(len(data))
        before = None if found.version is None else found.version.head
        head = with_done(await self._next(_number_after(found), before, data), before, request, replacements)
        if self._is_deleted_since(found):
            raise being_deleted()
        # First, so that no file is without; a name alone is no file. Each time, so that both expire together.
        names = self._retrieval.keys.file_names(self._session)
        await self._retrieval.store.put(f"{names}{self._name}", self._path.encode())
        await self._create(head, data)
        if self._is_deleted_since(found):
            # What was erased by now could not include it.
            if await self._is_there(head):
                await self._retrieval.store.delete(self._key(head.version))
            raise being_deleted()
        if before is not None:
            await self._empty(before, found)
            if head.marked != before.marked:
                await self._trim(before.marked, found)
        return head

    async def take_back(self, head: Head, found: Found) -> None:
        """Leave nothing of a version that was just written after what was found, but its place."""
        await self._empty(head, found)

    async def _next(self, number: int, before: Head | None, data: bytes) -> Head:
        now = to_milliseconds(self._retrieval.now())
        marked, marked_at = (number, now) if before is None else (before.marked, before.marked_at)
        if before is not None and now - marked_at > KEPT_SECONDS * 1000:
            marked, marked_at = before.version, now
        return Head(
            version=number,
            bytes=len(data),
            sha256=await off_loop(len(data), lambda: sha256_hex(data)),
            modified_at=now,
            written_by=secrets.token_hex(8),
            marked=marked,
            marked_at=marked_at,
        )

    async def _create(self, head: Head, data: bytes) -> None:
        key = self._key(head.version)
        try:
            await self._retrieval.store.put(key, msgspec.json.encode(head) + b"\n" + data, exclusive=True)
        except ObjectExists:
            # A put that is tried again may meet what it has put itself.
            if not await self._is_there(head):
                raise

    async def _is_there(self, head: Head) -> bool:
        """Whether this very version is: what is written once its session was erased has the same numbers again."""
        try:
            there = (await self._fetch(self._key(head.version), 0)).head
        except ObjectNotFound:
            return False
        return there.written_by == head.written_by

    async def _empty(self, head: Head, found: Found) -> None:
        if not await self._is_there(head) or self._is_deleted_since(found):
            return
        emptied = msgspec.structs.replace(head, is_emptied=True, done=[])
        await self._retrieval.store.put(self._key(head.version), msgspec.json.encode(emptied) + b"\n")

    async def _trim(self, below: int, found: Found) -> None:
        """Delete those before a version that was the newest so long ago that nobody can want to write after them."""
        count = 0
        keys = self._retrieval.store.list(self._folder, after=self._key(below))
        doomed: list[str] = []
        async for key in keys:
            doomed.append(key)
            count += 1
            if count == _TRIMMED:
                break
        if isinstance(keys, AsyncGenerator):
            await keys.aclose()
        for key in doomed:
            if self._is_deleted_since(found):
                return
            await self._retrieval.store.delete(key)

    def _is_deleted_since(self, found: Found) -> bool:
        """Tombstones are forgotten in time: that none is known any more is no deletion."""
        deleted_at = self._deleted_at()
        return deleted_at is not None and deleted_at != found.deleted_at

    def _key(self, number: int) -> str:
        if not 0 < number < MAX_VERSION:
            raise StoreUnavailable(f"{self._path} has no version {number}")
        return f"{self._folder}{MAX_VERSION - number:012d}"


def _number_after(found: Found) -> int:
    """What a deletion left nothing of goes on behind the numbers of before it: tenths of a second since 1970, which are
    more than a file has versions. All who know of the deletion begin with the same.
    """
    if found.number == 0 and found.deleted_at is not None:
        return to_milliseconds(found.deleted_at) // 100
    return found.number + 1


def being_deleted() -> RequestError:
    return RequestError(Code.UNAVAILABLE, "this session is being deleted: try again once that is over")
