"""What the doctor says of a bucket whose rules it may not look at."""

import pytest

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreRejected
from coatcheck_schemas.store import Store
from coatcheck_workers.doctor import in_storage
from coatcheck_workers.doctor.finding import Finding

DENIED = "http://h:1 denies access to bucket 'coats' (AccessDenied): check the keys"


async def found_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    """With keys that may not read the bucket's rules."""

    async def denied(*_: object) -> None:
        raise StoreRejected(DENIED)

    monkeypatch.setattr(in_storage, "bucket_drift", denied)
    monkeypatch.setattr(in_storage, "open_store", lambda _: store)
    storage = StorageSettings(endpoint="http://h:1", bucket="coats", access_key="k", secret_key="s")
    return [one async for one in in_storage.stored(Settings(storage=storage))]


async def test_a_worker_s_keys_are_warned_of_and_all_that_a_worker_does_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules, storage = await found_on(MemoryStore(), monkeypatch)
    assert (rules.check, rules.status) == ("bucket", "warn")
    assert rules.found.startswith("these credentials may not look at the rules of coats")
    assert "provisioning" in rules.mend
    assert (storage.check, storage.status) == ("storage", "ok")


async def test_keys_that_may_do_nothing_are_a_failure_that_names_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FailingStore(MemoryStore())
    store.fail("put", error=lambda key: StoreRejected("denied"))
    (storage,) = await found_on(store, monkeypatch)
    assert (storage.status, storage.found) == ("fail", DENIED)
    assert "storage.access_key" in storage.mend
