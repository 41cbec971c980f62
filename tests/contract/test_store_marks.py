"""The mark of an object's content, of every store that tells one and of those that do not."""

from pathlib import Path

import pytest
from tests.support.filing import Cabinet

from coatcheck.testing import MemoryStore
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.store import Store
from coatcheck_workers.storage import Gate, open_store
from coatcheck_workers.storage.marks import first_of


async def check_marks(store: Store) -> None:
    assert await first_of(store, "marks/a/") is None
    for key in ("marks/a/2", "marks/a/1", "marks/b/0"):
        await store.put(key, b"one")
    first = await first_of(store, "marks/a/")
    assert first is not None
    assert first[0] == "marks/a/1"
    assert first[1]
    assert await first_of(store, "marks/a/") == first
    await store.put("marks/a/1", b"two")
    changed = await first_of(store, "marks/a/")
    assert changed is not None
    assert (changed[0], changed[1] != first[1]) == ("marks/a/1", True)


async def test_s3_marks_what_it_lists(storage: StorageSettings) -> None:
    await check_marks(Gate(open_store(storage)))


async def test_a_folder_of_a_disk_marks_what_it_lists(tmp_path: Path) -> None:
    await check_marks(open_store(StorageSettings(url=tmp_path.as_uri())))


async def test_of_a_store_that_marks_nothing_the_first_key_is_told() -> None:
    store = MemoryStore()
    await store.put("a/1", b"")
    await store.put("a/2", b"")
    assert await first_of(Gate(store), "a/") == ("a/1", None)
    assert await first_of(Gate(store), "b/") is None


@pytest.mark.parametrize("is_marked", [True, False])
async def test_a_file_that_is_read_again_is_the_newest_with_marks_and_without(tmp_path: Path, is_marked: bool) -> None:
    store: Store = open_store(StorageSettings(url=tmp_path.as_uri())) if is_marked else MemoryStore()
    one, other = Cabinet(store=store), Cabinet(store=store)
    for text in ("first", "second", "third"):
        await other.fs_ok("write", path="a", content=text)
        assert await one.content("a") == await one.content("a") == text
    for key in [key async for key in store.list("v1/sessions/s1/")]:
        await store.delete(key)
    assert (await one.fs_error("read", path="a"))[0] == "not_found"
    await other.fs_ok("write", path="a", content="anew")
    assert await one.content("a") == "anew"
