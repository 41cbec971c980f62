"""Streams to a real S3 server: what is left of them there, and what a slow or failing one does to them."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from urllib.parse import urlsplit

import msgspec
import pytest
import urllib3
from tests.support.s3_proxy import s3_proxied
from tests.support.wait import eventually

from coatcheck_core.settings import Settings
from coatcheck_core.settings.location import locate
from coatcheck_schemas.errors import ObjectChanged, ObjectNotFound, StoreUnavailable
from coatcheck_schemas.store import Store
from coatcheck_workers.storage import open_store, s3_administered
from coatcheck_workers.storage.pace import PART_BYTES
from coatcheck_workers.storage.s3_client import minio_client

BLOCK = bytes(range(256)) * 4096


async def blocks(count: int, error: Exception | None = None) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield BLOCK
    if error is not None:
        raise error


class Desk:
    """A deployment's store, and a look at what multipart uploads lie in its bucket."""

    def __init__(self, settings: Settings) -> None:
        self.storage = settings.storage
        self.store = open_store(settings.storage)
        self.key = f"{settings.storage.prefix}/stream"
        self._pool = urllib3.PoolManager()
        self.minio = minio_client(self.storage, locate(self.storage), self._pool)

    def through(self, endpoint: str, seconds: float = 5.0) -> Store:
        return open_store(msgspec.structs.replace(self.storage, endpoint=endpoint, timeout_seconds=seconds))

    def begin(self, key: str) -> str:
        """An upload with a part, as a process leaves it that dies."""
        upload: str = self.minio._create_multipart_upload(self.storage.bucket, key, {})
        self.minio._upload_part(self.storage.bucket, key, b"a part", {}, upload, 1)
        return upload

    async def left(self, key: str = "") -> list[str]:
        listing = await asyncio.to_thread(
            self.minio._list_multipart_uploads, self.storage.bucket, prefix=key or self.storage.prefix
        )
        return [upload.object_name for upload in listing.uploads]

    async def has_left_nothing(self) -> bool:
        return await self.left() == []


@pytest.fixture
def desk(deployment: Settings) -> Desk:
    return Desk(deployment)


async def test_source_that_fails_leaves_no_upload(desk: Desk) -> None:
    with pytest.raises(KeyError, match="producer"):
        await desk.store.put_stream(desk.key, blocks(17, KeyError("producer")))
    assert await desk.left() == []


async def test_cancelled_stream_leaves_no_upload(desk: Desk) -> None:
    waiting = asyncio.Event()

    async def source() -> AsyncIterator[bytes]:
        async for block in blocks(17):
            yield block
        waiting.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(desk.store.put_stream(desk.key, source()))
    await asyncio.wait_for(waiting.wait(), 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await desk.left() == []
    with pytest.raises(ObjectNotFound):
        await desk.store.head(desk.key)


async def test_server_that_fails_in_the_middle_is_unavailable_and_keeps_no_upload_once_it_is_back(desk: Desk) -> None:
    async with s3_proxied(desk.storage.endpoint) as (proxy, endpoint):

        async def source() -> AsyncIterator[bytes]:
            async for block in blocks(8):
                yield block
            proxy.fail(1.0)
            async for block in blocks(16):
                yield block

        store = desk.through(endpoint)
        with pytest.raises(StoreUnavailable):
            await store.put_stream(desk.key, source())
        proxy.heal()
        await store.abandon(desk.key)
    await eventually(desk.has_left_nothing, expecting="no upload that is left")


async def test_abandon_frees_the_uploads_of_exactly_its_key(desk: Desk) -> None:
    for key in (desk.key, desk.key, f"{desk.key}-2", f"{desk.key}/below"):
        await asyncio.to_thread(desk.begin, key)
    await desk.store.abandon(desk.key)
    assert sorted(await desk.left()) == [f"{desk.key}-2", f"{desk.key}/below"]
    await desk.store.abandon(f"{desk.key}-2")
    await desk.store.abandon(f"{desk.key}/below")


async def test_abandon_below_a_path_frees_what_lies_there(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", desk.storage.endpoint)
    url = f"s3://{desk.storage.bucket}/{desk.storage.prefix}"
    below = open_store(msgspec.structs.replace(desk.storage, endpoint="", bucket="coatcheck", url=url))
    await asyncio.to_thread(desk.begin, desk.key)
    await below.abandon("stream")
    assert await desk.left() == []


async def test_object_over_a_copy_s_limit_is_copied_in_parts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_administered, "COPY_PART_BYTES", PART_BYTES)
    await desk.store.put_stream(desk.key, blocks(12))
    version = (await desk.store.head(desk.key)).version
    await desk.store.copy(desk.key, f"{desk.key}-copy", version=version)
    assert await desk.store.get(f"{desk.key}-copy") == BLOCK * 12
    assert await desk.left() == []


async def test_copy_in_parts_of_a_changed_source_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_administered, "COPY_PART_BYTES", PART_BYTES)
    await desk.store.put_stream(desk.key, blocks(12))
    version = (await desk.store.head(desk.key)).version
    changing = partial(desk.store.put_stream, desk.key)
    await changing(blocks(13))
    backend = desk.store._backend  # type: ignore[attr-defined]
    with pytest.raises(ObjectChanged):
        await backend.copy(desk.key, f"{desk.key}-copy", 12 * len(BLOCK), version)
    with pytest.raises(ObjectNotFound):
        await desk.store.head(f"{desk.key}-copy")
    assert await desk.left() == []


async def test_copy_under_a_condition_is_judged_by_the_server_itself(desk: Desk) -> None:
    """Not by a look beforehand: the source may change right after that."""
    await desk.store.put(desk.key, b"one")
    version = (await desk.store.head(desk.key)).version
    await desk.store.put(desk.key, b"two")
    backend = desk.store._backend  # type: ignore[attr-defined]
    with pytest.raises(ObjectChanged):
        await backend.copy(desk.key, f"{desk.key}-copy", 3, version)
    with pytest.raises(ObjectNotFound):
        await desk.store.head(f"{desk.key}-copy")


async def test_stream_through_a_server_that_hangs_ends_in_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async with s3_proxied(desk.storage.endpoint) as (proxy, endpoint):
        await desk.store.put_stream(desk.key, blocks(6))
        store = desk.through(endpoint, 0.3)
        proxy.hang()
        with pytest.raises(StoreUnavailable):
            await asyncio.wait_for(store.head(desk.key), 60)
        with pytest.raises(StoreUnavailable):
            await asyncio.wait_for(store.abandon(desk.key), 60)


async def test_presigned_urls_put_and_get_without_credentials(desk: Desk) -> None:
    url = await desk.store.presign("PUT", desk.key, 60)
    answer = await asyncio.to_thread(urllib3.request, "PUT", url, body=b"put by a producer")
    assert answer.status == 200
    got = await asyncio.to_thread(urllib3.request, "GET", await desk.store.presign("GET", desk.key, 60))
    assert (got.status, got.data) == (200, b"put by a producer")


async def test_presigned_url_names_the_server_as_agents_reach_it(desk: Desk) -> None:
    store = open_store(msgspec.structs.replace(desk.storage, public_url="https://files.example.com:8443/"))
    url = urlsplit(await store.presign("GET", desk.key, 60))
    assert (url.scheme, url.netloc) == ("https", "files.example.com:8443")
    assert url.path == f"/{desk.storage.bucket}/{desk.key}"
