"""Object storage by what a worker does to it: a small object put, refused a second time, read, listed and deleted."""

import secrets
import time
from collections.abc import AsyncIterator
from typing import NoReturn

from coatcheck_schemas.errors import ObjectExists, ObjectNotFound, StoreError, StoreRejected
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.store import Store

from .finding import Finding, doubtful, failing, well

STORAGE = "storage"
SLOW_SECONDS = 1.0
_PAGE = b"coatcheck doctor\n"


class Refused(Exception):
    """A step of the probe; `finding` says which, and what to do."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.found)
        self.finding = finding


async def probe_store(store: Store, keys: Keys, place: str) -> Finding:
    """Leaves nothing behind, but where deleting itself is refused; the bucket's rule clears that."""
    folder = keys.probes()
    key = f"{folder}{secrets.token_hex(8)}"
    began = time.monotonic()
    try:
        await _put(store, key, place)
        try:
            await _look(store, folder, key, place)
        finally:
            await _delete(store, key, place)
    except Refused as error:
        return error.finding
    seconds = time.monotonic() - began
    found = f"{place}: put, conditional put, read, list and delete go through, {seconds * 1000:.0f} ms in all"
    if seconds > SLOW_SECONDS:
        return doubtful(
            STORAGE, f"{found}: that is slow", "see to the network between here and the store, and its load"
        )
    return well(STORAGE, found)


async def _put(store: Store, key: str, place: str) -> None:
    try:
        await store.put(key, _PAGE, exclusive=True)
    except StoreError as error:
        _refuse(f"{place}: an object cannot be put", error, "PutObject")


async def _look(store: Store, folder: str, key: str, place: str) -> None:
    try:
        await store.put(key, b"", exclusive=True)
    except ObjectExists:
        pass
    except StoreError as error:
        _refuse(f"{place}: a conditional put is no answer", error, "PutObject with If-None-Match")
    else:
        found = f"{place} has no conditional put (If-None-Match): two workers could overwrite each other's objects"
        raise Refused(failing(STORAGE, found, "use a store that has it: MinIO, AWS S3, SeaweedFS, Ceph, R2, ..."))
    try:
        whole, part = await store.get(key), await store.get_range(key, 4, 9)
    except StoreError as error:
        _refuse(f"{place}: what was put cannot be read", error, "GetObject")
    if (whole, part) != (_PAGE, _PAGE[4:9]):
        raise Refused(failing(STORAGE, f"{place}: other bytes are read than were put", "see what stands between"))
    try:
        listed = await _listed(store.list(folder, after=""), key)
    except StoreError as error:
        _refuse(f"{place}: what lies below a prefix cannot be listed", error, "ListBucket")
    if not listed:
        raise Refused(failing(STORAGE, f"{place}: a list does not show what was just put", "use a consistent store"))


async def _listed(keys: AsyncIterator[str], key: str) -> bool:
    async for one in keys:
        if one == key:
            return True
    return False


async def _delete(store: Store, key: str, place: str) -> None:
    try:
        await store.delete(key)
        await store.head(key)
    except ObjectNotFound:
        return
    except StoreError as error:
        _refuse(f"{place}: an object cannot be deleted", error, "DeleteObject")
    found = f"{place}: what was deleted is still there"
    raise Refused(failing(STORAGE, found, "turn object lock and legal holds off for this bucket"))


def _refuse(what: str, error: StoreError, permission: str) -> NoReturn:
    mend = "see that the store runs, and what lies between"
    if isinstance(error, StoreRejected):
        mend = f"let these credentials do {permission} in the bucket, below storage.prefix"
    raise Refused(failing(STORAGE, f"{what} ({error})", mend)) from error
