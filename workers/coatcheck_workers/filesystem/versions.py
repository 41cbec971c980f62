"""One file's versions in storage: the newest counts, and none is ever written over another.

A version is an object `.../versions/{name}/{last - number}`, created exclusively: the newest is listed first, and of
two who write after the same version one is told. The one before is then emptied, not deleted, for whoever still wants
to write after an older one must find its place taken. It goes once it has been of no use for `KEPT_SECONDS`, longer
than any request lives, and than a store takes a signed one.
"""

import secrets
import sys
from collections.abc import AsyncGenerator
from datetime import datetime

import msgspec

from coatcheck_core.filesystem.edits import check_size
from coatcheck_core.filesystem.paths import stored_name
from coatcheck_core.filesystem.repeating import Asked, with_done
from coatcheck_core.filesystem.versions import Head, Version, head_of
from coatcheck_schemas.errors import Code, ObjectExists, ObjectNotFound, RequestError, StoreUnavailable
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.times import from_milliseconds, to_milliseconds
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.originals.known import KeptFile
from coatcheck_workers.retrieval.originals.stored import off_loop
from coatcheck_workers.storage.marks import first_of
from coatcheck_workers.streams.tombstone import is_old

KEPT_SECONDS = 20 * 60.0
MAX_VERSION = 10**12 - 1
_HEAD_BYTES = 2048
"""No head is longer."""
_KEPT_BYTES = 1000
"""Of one in memory, its text not counted."""
_TRIES = 8
"""A version may be emptied while it is fetched: then there is a newer one."""
_TRIMMED = 200
"""Emptied versions that one write deletes at most."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """`number` is the newest version's, 0 where there is none.

    `version` is None also where its session was deleted, and where all that is left is emptied. `deleted_at` is what
    was known of deletions before anything was looked for.
    """

    number: int
    version: Version | None
    deleted_at: datetime | None


class Versions:
    """Those of one file. Raises RequestError and StoreError."""

    def __init__(self, retrieval: Retrieval, session: str, path: str) -> None:
        self._retrieval = retrieval
        self._session = session
        self._path = path
        self._name = stored_name(path)
        self._folder = retrieval.keys.file_versions(session, self._name)

    async def newest(self, *, head_only: bool = False) -> Found:
        deleted_at = self._deleted_at()
        before = None
        for _ in range(_TRIES):
            try:
                key, version = await (self._newest_head() if head_only else self._newest_text())
            except ObjectNotFound:
                continue
            if key is None or version is None:
                return Found(number=0, version=None, deleted_at=deleted_at)
            if not version.head.is_emptied:
                shown = None if self._is_deleted(version.head) else version
                return Found(number=self._number(key), version=shown, deleted_at=deleted_at)
            if key == before:
                # It was emptied when there was a newer one already, which expired or was erased before it.
                return Found(number=self._number(key), version=None, deleted_at=deleted_at)
            before = key
        raise _busy(self._path)

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
            there = (await self._fetch(self._key(head.version), head_only=True)).head
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

    async def _newest_head(self) -> tuple[str | None, Version | None]:
        first = await first_of(self._retrieval.store, self._folder)
        return (None, None) if first is None else (first[0], await self._fetch(first[0], head_only=True))

    async def _newest_text(self) -> tuple[str | None, Version | None]:
        """The whole is fetched once: one that was read before is told from any other by its mark, or by its head."""
        first = await first_of(self._retrieval.store, self._folder)
        if first is None:
            return None, None
        key, mark = first
        files, name = self._retrieval.known.files, (self._session, self._path)
        kept = files.get(name)
        if kept is not None and kept.key == key and await self._is_as_kept(kept, mark):
            return key, kept.version
        version = await self._fetch(key)
        if not version.head.is_emptied:
            files.put(name, KeptFile(key, mark, version), _KEPT_BYTES + sys.getsizeof(version.text))
        return key, version

    async def _is_as_kept(self, kept: KeptFile, mark: str | None) -> bool:
        if mark is not None:
            return mark == kept.mark
        return (await self._fetch(kept.key, head_only=True)).head == kept.version.head

    async def _fetch(self, key: str, *, head_only: bool = False) -> Version:
        store = self._retrieval.store
        raw = await (store.get_range(key, 0, _HEAD_BYTES) if head_only else store.get(key))
        line, _, data = raw.partition(b"\n")
        try:
            head = head_of(line)
            if head_only or head.is_emptied:
                return Version(head=head)
            if await off_loop(len(data), lambda: sha256_hex(data)) != head.sha256:
                raise ValueError("it does not have the sha256 that it says")
            return Version(head=head, text=data.decode())
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
            self._retrieval.damage.report(key, f"it is no file of ours: {error}")
            raise RequestError(
                Code.INTERNAL, f"what is stored of {self._path[:200]} is damaged; the worker's log has more"
            ) from None

    def _is_deleted(self, head: Head) -> bool:
        deleted_at = self._deleted_at()
        return deleted_at is not None and is_old(from_milliseconds(head.modified_at), deleted_at)

    def _is_deleted_since(self, found: Found) -> bool:
        """Tombstones are forgotten in time: that none is known any more is no deletion."""
        deleted_at = self._deleted_at()
        return deleted_at is not None and deleted_at != found.deleted_at

    def _deleted_at(self) -> datetime | None:
        return self._retrieval.tombstones.deleted_at(self._session)

    def _key(self, number: int) -> str:
        if not 0 < number < MAX_VERSION:
            raise StoreUnavailable(f"{self._path} has no version {number}")
        return f"{self._folder}{MAX_VERSION - number:012d}"

    def _number(self, key: str) -> int:
        try:
            return MAX_VERSION - int(key.removeprefix(self._folder))
        except ValueError:
            raise StoreUnavailable(f"{key} is no version of a file") from None


def _number_after(found: Found) -> int:
    """What a deletion left nothing of goes on behind the numbers of before it: tenths of a second since 1970, which are
    more than a file has versions. All who know of the deletion begin with the same.
    """
    if found.number == 0 and found.deleted_at is not None:
        return to_milliseconds(found.deleted_at) // 100
    return found.number + 1


def being_deleted() -> RequestError:
    return RequestError(Code.UNAVAILABLE, "this session is being deleted: try again once that is over")


def _busy(path: str) -> RequestError:
    return RequestError(Code.CONFLICT, f"{path[:200]} is being changed all the time: try again")
