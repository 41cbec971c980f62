"""One suite for every store: the fakes that are shipped, and the real one."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import obstore
import pytest
from obstore.exceptions import GenericError

from coatcheck.testing import STORE_CHECKS, FailingStore, MemoryStore, check_store
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.store import Store
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.storage import Gate, open_store
from coatcheck_workers.storage.deleting import delete_many
from coatcheck_workers.storage.watched import WatchedStore

Check = Callable[[Store], Awaitable[None]]


def as_worker(storage: StorageSettings, server: S3Server) -> StorageSettings:
    keys = server.worker_credentials
    return msgspec.structs.replace(storage, access_key=keys.name, secret_key=keys.secret)


each_check = pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)


@each_check
async def test_memory_store(check: Check) -> None:
    await check(MemoryStore())


@each_check
async def test_failing_store_that_is_told_nothing(check: Check) -> None:
    await check(FailingStore(MemoryStore()))


@each_check
async def test_gate_in_front_of_a_store(check: Check) -> None:
    await check(Gate(MemoryStore()))


@each_check
async def test_a_watched_store(check: Check) -> None:
    await check(WatchedStore(MemoryStore(), lambda operation, seconds, error: None))


@each_check
async def test_gate_in_front_of_the_s3_store(check: Check, storage: StorageSettings) -> None:
    await check(Gate(open_store(storage)))


@each_check
async def test_s3_store(check: Check, storage: StorageSettings, s3_server: S3Server) -> None:
    """With the workers' own keys, which reach the one bucket and administer nothing."""
    await check(open_store(as_worker(storage, s3_server)))


@each_check
async def test_local_folder(check: Check, tmp_path: Path) -> None:
    await check(open_store(StorageSettings(url=f"file://{tmp_path}")))


@each_check
async def test_this_process_s_memory(check: Check) -> None:
    await check(open_store(StorageSettings(url="memory://contract/below/a/path")))


@each_check
async def test_s3_url_with_a_path(check: Check, storage: StorageSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """As AWS itself is reached: endpoint, region and keys from AWS's own variables."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", storage.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", storage.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", storage.secret_key)
    await check(open_store(StorageSettings(url=f"s3://{storage.bucket}/{storage.prefix}/path")))


class OwnStore(MemoryStore):
    """As an operator writes one: made with the settings."""

    def __init__(self, storage: StorageSettings) -> None:
        super().__init__(storage.bucket)


@each_check
async def test_store_of_one_s_own(check: Check) -> None:
    await check(open_store(StorageSettings(url=f"{__name__}:OwnStore")))


@pytest.mark.parametrize("kind", ["s3", "folder", "memory", "own", "shipped"])
async def test_many_objects_are_deleted_whether_they_are_there_or_not(
    kind: str, storage: StorageSettings, tmp_path: Path
) -> None:
    url = {"folder": f"file://{tmp_path}", "memory": "memory://many", "own": f"{__name__}:OwnStore"}.get(kind, "")
    asked = storage if kind == "s3" else StorageSettings(url=url)
    store = MemoryStore() if kind == "shipped" else open_store(asked)
    here = f"{storage.prefix}/many/"
    keys = [f"{here}{number}/a b=2E" for number in range(20)]
    for key in [*keys, f"{here}stays"]:
        await store.put(key, b"x")
    await delete_many(store, [f"{here}never", *keys[:10], f"{here}never/either", *keys[10:]])
    assert [key async for key in store.list(here)] == [f"{here}stays"]
    await delete_many(store, keys)


async def test_a_server_without_a_request_for_many_is_asked_for_each(
    storage: StorageSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_by_one = obstore.delete_async

    async def refuses_many(store: Any, paths: str | list[str]) -> None:
        if not isinstance(paths, str):
            raise GenericError("501 Not Implemented")
        await one_by_one(store, paths)

    monkeypatch.setattr("obstore.delete_async", refuses_many)
    store, here = open_store(storage), f"{storage.prefix}/each/"
    for number in range(40):
        await store.put(f"{here}{number}", b"x")
    await delete_many(store, [f"{here}{number}" for number in range(40)])
    assert [key async for key in store.list(here)] == []


async def test_check_store_names_the_check_that_fails() -> None:
    class Forgetful(MemoryStore):
        async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
            await super().put(key, data)

    with pytest.raises(AssertionError, match="refuses_a_taken_key_exclusively"):
        await check_store(Forgetful)
