"""Many keys at once are those of a listing, of every kind of store."""

from pathlib import Path

import pytest

from coatcheck.testing import MemoryStore
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.store import Store
from coatcheck_workers.storage import Gate, objects, open_store
from coatcheck_workers.storage.listing import ListsSome, list_some
from coatcheck_workers.storage.watched import WatchedStore

NAMES = ["0", "00", "1-a", "1.a", "2=2E", "5", "9"]


async def check_some(store: Store, prefix: str) -> None:
    for name in NAMES:
        await store.put(f"{prefix}/a/{name}", b"x")
    await store.put(f"{prefix}/b/0", b"x")
    folder = f"{prefix}/a/"
    keys = [key async for key in store.list(folder)]
    assert len(keys) == len(NAMES)
    for after in ("", "0", "1", "9", "99"):
        for below in ("", "0", "2", "2=2E", "99"):
            rest = [key for key in keys if key > folder + after and (not below or key < folder + below)]
            for most in (1, 3, 100):
                bounds = {"after": after and folder + after, "below": below and folder + below}
                assert list(await list_some(store, folder, **bounds, most=most)) == rest[:most]


@pytest.mark.parametrize("page", [1000, 2])
async def test_of_s3(storage: StorageSettings, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "_LIST_PAGE", page)
    store = WatchedStore(open_store(storage), lambda *_: None)
    assert isinstance(store, ListsSome)
    await check_some(store, storage.prefix)


async def test_of_a_folder(tmp_path: Path) -> None:
    await check_some(open_store(StorageSettings(url=tmp_path.as_uri())), "c")


async def test_of_a_store_that_gives_one_key_after_the_other() -> None:
    store = Gate(MemoryStore())
    assert not isinstance(store, ListsSome)
    await check_some(store, "c")
