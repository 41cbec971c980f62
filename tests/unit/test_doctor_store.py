"""The doctor's probe of object storage, on stores that lack or refuse something."""

import pytest

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_schemas.errors import ObjectNotFound, StoreRejected
from coatcheck_schemas.keys import Keys
from coatcheck_workers.doctor.store import probe_store

KEYS = Keys("p")


async def test_a_sound_store_is_well_and_left_as_it_was() -> None:
    store = MemoryStore()
    found = await probe_store(store, KEYS, "coats")
    assert (found.status, len(store)) == ("ok", 0)


@pytest.mark.parametrize(
    ("operation", "permission"),
    [
        ("put", "PutObject"),
        ("get", "GetObject"),
        ("get_range", "GetObject"),
        ("list", "ListBucket"),
        ("delete", "Delete"),
    ],
)
async def test_a_permission_that_is_missing_is_named(operation: str, permission: str) -> None:
    store = FailingStore(MemoryStore())
    store.fail(operation, error=lambda key: StoreRejected("denied"))  # type: ignore[arg-type]
    found = await probe_store(store, KEYS, "coats")
    assert (found.status, permission in found.mend) == ("fail", True)
    assert "denied" in found.found


async def test_a_store_that_is_away_is_no_lack_of_permission() -> None:
    store = FailingStore(MemoryStore())
    store.fail("put")
    found = await probe_store(store, KEYS, "coats")
    assert (found.status, "runs" in found.mend) == ("fail", True)


class Overwriting(MemoryStore):
    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        await super().put(key, data)


class Altering(MemoryStore):
    async def get(self, key: str) -> bytes:
        return (await super().get(key)).upper()


class Keeping(MemoryStore):
    async def delete(self, key: str) -> None:
        """As a bucket with object lock does."""


class Forgetting(MemoryStore):
    async def get(self, key: str) -> bytes:
        raise ObjectNotFound(key)


@pytest.mark.parametrize(
    ("store", "words"),
    [
        (Overwriting(), "no conditional put"),
        (Altering(), "other bytes are read"),
        (Keeping(), "deleted is still there"),
        (Forgetting(), "cannot be read"),
    ],
)
async def test_a_store_that_does_other_than_it_should_fails(store: MemoryStore, words: str) -> None:
    found = await probe_store(store, KEYS, "coats")
    assert found.status == "fail"
    assert words in found.found
    assert found.mend
