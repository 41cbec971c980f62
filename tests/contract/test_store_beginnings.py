"""Keys by how they begin: of S3 by one listing, of what cannot tell nothing, so that another way is taken."""

import logging
from pathlib import Path

import msgspec
import pytest

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_workers.storage import Gate, open_store
from coatcheck_workers.storage.beginnings import beginning_with
from coatcheck_workers.storage.watched import WatchedStore

KEYS = ["r/a-1/metadata.json", "r/a-1/output", "r/a=2F=20-1/output", "r/ab-1/output", "s/a-1/output"]


@pytest.mark.parametrize("path", ["", "/below/this"])
async def test_s3_tells_the_keys_that_begin_so(
    storage: StorageSettings, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", storage.endpoint)
    location = {"url": f"s3://{storage.bucket}{path}", "endpoint": ""} if path else {}
    store = WatchedStore(open_store(msgspec.structs.replace(storage, **location)), lambda *_: None)
    for key in KEYS:
        await store.put(f"{storage.prefix}/{key}", b"x")
    begin = f"{storage.prefix}/r/"

    async def told(start: str, most: int = 10) -> list[str] | None:
        keys = await beginning_with(Gate(store), begin + start, most)
        return None if keys is None else [key.removeprefix(begin) for key in keys]

    assert await told("a-") == ["a-1/metadata.json", "a-1/output"]
    assert await told("a=2F=20-") == ["a=2F=20-1/output"]
    assert await told("b") == []
    assert await told("a-", most=2) == ["a-1/metadata.json", "a-1/output"]
    assert await told("a", most=2) is None
    store.close()


async def test_where_s3_refuses_nothing_is_told_and_it_is_left_alone_for_a_while(
    storage: StorageSettings, caplog: pytest.LogCaptureFixture
) -> None:
    store = WatchedStore(open_store(msgspec.structs.replace(storage, secret_key="wrong")), lambda *_: None)
    with caplog.at_level(logging.INFO, "coatcheck.storage"):
        assert await beginning_with(store, "r/", 10) is None
        assert await beginning_with(store, "r/", 10) is None
    (told,) = [record.getMessage() for record in caplog.records if "by their beginning" in record.getMessage()]
    assert "403" in told
    assert "wrong" not in told
    store.close()


async def test_a_server_that_is_away_tells_nothing() -> None:
    away = StorageSettings(endpoint="http://127.0.0.1:1", access_key="a", secret_key="b")
    assert await beginning_with(open_store(away), "r/", 10) is None


@pytest.mark.parametrize("variables", [{}, {"HTTP_PROXY": "http://127.0.0.1:1"}])
async def test_without_keys_of_ours_or_behind_a_proxy_nothing_is_asked(
    storage: StorageSettings, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    keyless = storage if variables else msgspec.structs.replace(storage, access_key="", secret_key="")
    assert await beginning_with(open_store(keyless), "r/", 10) is None


async def test_a_folder_and_a_memory_tell_nothing(tmp_path: Path) -> None:
    for store in (open_store(StorageSettings(url=tmp_path.as_uri())), MemoryStore()):
        await store.put("r/a-1/output", b"x")
        assert await beginning_with(store, "r/a-", 10) is None


async def test_a_gate_that_is_shut_asks_nothing() -> None:
    class Telling(MemoryStore):
        async def beginning_with(self, start: str, most: int) -> list[str]:
            return [start]

    failing = FailingStore(Telling())
    gate = Gate(failing)
    failing.fail("head")
    while not gate.is_open:
        with pytest.raises(StoreUnavailable):
            await gate.head("x")
    assert await beginning_with(gate, "r/", 10) is None
