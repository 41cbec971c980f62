"""What is stored of one file: its newest version, see `versions`."""

import sys
from datetime import datetime, timedelta

import msgspec

from coatcheck_core.expiry import FOR_EVER
from coatcheck_core.filesystem.paths import stored_name
from coatcheck_core.filesystem.versions import Head, Version, head_of
from coatcheck_schemas.errors import Code, ObjectNotFound, RequestError, StoreUnavailable
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.times import from_milliseconds
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.originals.known import KeptFile
from coatcheck_workers.retrieval.originals.stored import off_loop
from coatcheck_workers.storage.marks import First, first_of
from coatcheck_workers.streams.tombstone import is_old

MAX_VERSION = 10**12 - 1
_HEAD_BYTES = 2048
"""No head is longer."""
_KEPT_BYTES = 1000
"""Of one in memory, its text not counted."""
_TRIES = 8
"""A version may be emptied while it is fetched: then there is a newer one."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """`number` is the newest version's, 0 where there is none.

    `version` is None also where its session was deleted, where it has expired at `expired_at`, and where all that is
    left is emptied. `deleted_at` is what was known of deletions before anything was looked for.
    """

    number: int
    version: Version | None
    deleted_at: datetime | None
    expired_at: datetime | None = None


class StoredVersions:
    """Those of one file. Raises RequestError and StoreError."""

    def __init__(self, retrieval: Retrieval, session: str, path: str) -> None:
        self._retrieval = retrieval
        self._session = session
        self._path = path
        self._name = stored_name(path)
        self._folder = retrieval.keys.file_versions(session, self._name)

    async def newest(self, *, most_bytes: int | None = None) -> Found:
        """With its text, unless that has more than `most_bytes`."""
        deleted_at = self._deleted_at()
        before = None
        for _ in range(_TRIES):
            try:
                first = await first_of(self._retrieval.store, self._folder)
                if first is None:
                    return Found(number=0, version=None, deleted_at=deleted_at)
                version = await self._version(first, most_bytes)
            except ObjectNotFound:
                continue
            key = first[0]
            if not version.head.is_emptied:
                return self._found(self._number(key), version, deleted_at)
            if key == before:
                # It was emptied when there was a newer one already, which expired or was erased before it.
                return Found(number=self._number(key), version=None, deleted_at=deleted_at)
            before = key
        raise _busy(self._path)

    def _found(self, number: int, version: Version, deleted_at: datetime | None) -> Found:
        if self._is_deleted(version.head):
            return Found(number=number, version=None, deleted_at=deleted_at)
        expired_at = self._expired_at(version.head)
        shown = version if expired_at is None else None
        return Found(number=number, version=shown, deleted_at=deleted_at, expired_at=expired_at)

    async def _version(self, first: First, most_bytes: int | None) -> Version:
        """The whole is fetched once: one that was read before is told from any other by its mark, or by its head."""
        key, mark = first
        files, name = self._retrieval.known.files, (self._session, self._path)
        kept = files.get(name)
        if kept is not None and kept.key == key and await self._is_as_kept(kept, mark, most_bytes):
            return kept.version
        version = await self._fetch(key, most_bytes)
        if version.text:
            files.put(name, KeptFile(key, mark, version), _KEPT_BYTES + sys.getsizeof(version.text))
        return version

    async def _is_as_kept(self, kept: KeptFile, mark: str | None, most_bytes: int | None) -> bool:
        if mark is not None:
            return mark == kept.mark
        return most_bytes is None and (await self._fetch(kept.key, 0)).head == kept.version.head

    async def _fetch(self, key: str, most_bytes: int | None = None) -> Version:
        store = self._retrieval.store
        is_whole = most_bytes is None
        raw = await (store.get(key) if is_whole else store.get_range(key, 0, _HEAD_BYTES + (most_bytes or 0)))
        line, _, data = raw.partition(b"\n")
        try:
            head = head_of(line)
            if head.is_emptied or (most_bytes is not None and head.bytes > most_bytes):
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

    def _expired_at(self, head: Head) -> datetime | None:
        """When it has expired; None where it has not."""
        days = self._retrieval.settings.storage.retention_days
        if days == FOR_EVER:
            return None
        try:
            moment = from_milliseconds(head.modified_at) + timedelta(days=days)
        except OverflowError:
            return None
        return moment if moment <= self._retrieval.now() else None

    def _deleted_at(self) -> datetime | None:
        return self._retrieval.tombstones.deleted_at(self._session)

    def _number(self, key: str) -> int:
        try:
            return MAX_VERSION - int(key.removeprefix(self._folder))
        except ValueError:
            raise StoreUnavailable(f"{key} is no version of a file") from None


def _busy(path: str) -> RequestError:
    return RequestError(Code.CONFLICT, f"{path[:200]} is being changed all the time: try again")
