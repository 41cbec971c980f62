"""Keys by how they begin: of S3 by one listing, of what cannot tell nothing, so that another way is taken."""

from pathlib import Path

import msgspec
import pytest

from coatcheck.testing import MemoryStore
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreError, StoreRejected, StoreUnavailable
from coatcheck_workers.storage import open_store
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
        keys = await beginning_with(store, begin + start, most)
        return None if keys is None else [key.removeprefix(begin) for key in keys]

    assert await told("a-") == ["a-1/metadata.json", "a-1/output"]
    assert await told("a=2F=20-") == ["a=2F=20-1/output"]
    assert await told("b") == []
    assert await told("a-", most=2) == ["a-1/metadata.json", "a-1/output"]
    assert await told("a", most=2) is None


@pytest.mark.parametrize(
    ("changed", "error"),
    [({"secret_key": "wrong"}, StoreRejected), ({"endpoint": "http://127.0.0.1:1"}, StoreUnavailable)],
)
async def test_a_server_that_refuses_or_is_away_is_an_error_of_the_store(
    storage: StorageSettings, changed: dict[str, str], error: type[StoreError]
) -> None:
    store = open_store(msgspec.structs.replace(storage, **changed))
    with pytest.raises(error) as raised:
        await beginning_with(store, "r/", 10)
    assert "wrong" not in str(raised.value)


async def test_a_folder_and_a_memory_tell_nothing(tmp_path: Path) -> None:
    for store in (open_store(StorageSettings(url=tmp_path.as_uri())), MemoryStore()):
        await store.put("r/a-1/output", b"x")
        assert await beginning_with(store, "r/a-", 10) is None
