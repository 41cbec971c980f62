"""The store that the settings name, where no server is needed to see which it is."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from coatcheck.testing import MemoryStore
from coatcheck_core.settings import ConfigError
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import ObjectNotFound, StoreRejected, StoreUnavailable
from coatcheck_schemas.store import Store
from coatcheck_workers.provisioning import place_of
from coatcheck_workers.storage import open_store

KEY = "v1/x/output"


def opened(url: str, **others: Any) -> Store:
    return open_store(StorageSettings(url=url, **others))


@pytest.fixture
def own() -> Iterator[Callable[[object], str]]:
    """Puts a class where `storage.url` finds it, and says the URL."""
    module = ModuleType("own_stores")
    sys.modules["own_stores"] = module

    def put(made: object) -> str:
        module.Own = made  # type: ignore[attr-defined]
        return "own_stores:Own"

    yield put
    del sys.modules["own_stores"]


@pytest.fixture
def azure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "a2V5")


@pytest.mark.parametrize(
    ("url", "uri"),
    [
        ("s3://originals", f"s3://originals/{KEY}"),
        ("s3://originals/a/b", f"s3://originals/a/b/{KEY}"),
        ("gs://originals/a", f"gs://originals/a/{KEY}"),
        ("az://container/a", f"az://container/a/{KEY}"),
        ("memory://", f"memory:///{KEY}"),
    ],
)
@pytest.mark.usefixtures("azure")
def test_object_is_named_below_the_url(url: str, uri: str) -> None:
    assert opened(url).uri(KEY) == uri


def test_endpoint_and_bucket_serve_as_before() -> None:
    store = open_store(StorageSettings(endpoint="http://127.0.0.1:9", bucket="originals"))
    assert store.uri(KEY) == f"s3://originals/{KEY}"


def test_folder_is_named_by_a_file_url(tmp_path: Path) -> None:
    assert opened(f"file://{tmp_path}").uri(KEY) == f"file://{tmp_path}/{KEY}"


@pytest.mark.usefixtures("azure")
async def test_azure_signs_urls_below_the_path() -> None:
    url = await opened("az://container/a").presign("PUT", KEY, 60)
    assert url.startswith(f"https://account.blob.core.windows.net/container/a/{KEY}?")


@pytest.mark.parametrize("url", ["memory://", "file://{}"])
async def test_store_without_presigned_urls_says_so(url: str, tmp_path: Path) -> None:
    with pytest.raises(StoreRejected, match="gives no presigned URLs"):
        await opened(url.format(tmp_path)).presign("GET", KEY, 60)


async def test_memory_is_one_for_all_who_name_it_alike() -> None:
    await opened("memory://shared").put(KEY, b"here")
    assert await opened("memory://shared").get(KEY) == b"here"
    with pytest.raises(ObjectNotFound):
        await opened("memory://another").get(KEY)


async def test_path_of_a_url_keeps_deployments_apart(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    await opened(f"file://{tmp_path}/one").put(KEY, b"here")
    assert (tmp_path / "one" / KEY).read_bytes() == b"here"


def test_missing_folder_is_told_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(StoreRejected, match="coatcheck provision"):
        opened(f"file://{tmp_path}/missing")


async def test_folder_that_vanished_is_found_by_the_check(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    store = opened(f"file://{folder}")
    await store.check()
    folder.rmdir()
    with pytest.raises(StoreRejected, match="is missing"):
        await store.check()


async def test_folder_forgets_what_a_dead_writer_left(tmp_path: Path) -> None:
    store = opened(f"file://{tmp_path}")
    await store.put("a/upload", b"whole")
    for name in ("upload#1", "upload#2", "upload-2#1"):
        (tmp_path / "a" / name).write_bytes(b"half")
    assert [key async for key in store.list("a/")] == ["a/upload"]
    await store.abandon("a/upload")
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["upload", "upload-2#1"]


async def test_provisioning_makes_a_folder_that_only_its_owner_reads(tmp_path: Path) -> None:
    place = place_of(StorageSettings(url=f"file://{tmp_path}/new/folder"))
    assert not await place.exists()
    await place.create()
    assert await place.exists()
    assert (tmp_path / "new" / "folder").stat().st_mode & 0o077 == 0


async def test_provisioning_only_checks_a_store_of_one_s_own(own: Callable[[object], str]) -> None:
    class Closed(MemoryStore):
        async def check(self) -> None:
            raise StoreRejected("the vault is locked")

    place = place_of(StorageSettings(url=own(lambda storage: Closed())))
    assert not await place.exists()
    with pytest.raises(StoreRejected, match="the vault is locked"):
        await place.create()


async def test_own_class_is_made_with_the_settings(own: Callable[[object], str]) -> None:
    store = opened(own(lambda storage: MemoryStore(storage.prefix)), prefix="ours")
    assert store.uri("k") == "memory://ours/k"


class Incomplete:
    def __init__(self, storage: StorageSettings) -> None: ...

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None: ...

    get = 7


class WrongCall(MemoryStore):
    async def put(self, key: str, data: bytes) -> None:  # type: ignore[override]
        """It cannot be exclusive."""


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (Incomplete, "lacks put_stream, abandon, get, get_range"),
        (lambda storage: WrongCall(), "put must take what"),
        (lambda: MemoryStore(), "is made with the storage's settings"),
        (7, "has no function"),
    ],
)
def test_own_class_that_is_no_store_is_refused_at_the_start(
    own: Callable[[object], str], made: object, problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        opened(own(made))


def test_own_class_that_is_nowhere_is_refused_at_the_start() -> None:
    with pytest.raises(ConfigError, match="cannot be imported"):
        opened("no_such_module_here:Store")


async def test_what_an_own_store_raises_is_taken_as_unavailable_and_bounded(own: Callable[[object], str]) -> None:
    class Broken(MemoryStore):
        async def get(self, key: str) -> bytes:
            raise RuntimeError("x" * 10_000)

        async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
            yield "a"
            raise KeyError("cursor")

        async def get_range(self, key: str, start: int, end: int) -> bytes:
            return "text"  # type: ignore[return-value]

        async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
            await asyncio.Event().wait()

    store = opened(own(lambda storage: Broken()))
    with pytest.raises(StoreUnavailable, match="get of the store raises RuntimeError: x") as caught:
        await store.get(KEY)
    assert len(str(caught.value)) < 400
    with pytest.raises(StoreUnavailable, match="list of the store raises KeyError"):
        assert [key async for key in store.list("a/")] == []
    with pytest.raises(StoreUnavailable, match="gives str, not bytes"):
        await store.get_range(KEY, 0, 1)
    with pytest.raises(ObjectNotFound):
        await store.head(KEY)
    task = asyncio.create_task(store.put(KEY, b""))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
