"""Links to originals, fetched by plain HTTP without credentials."""

import asyncio
from typing import Any

import msgspec
import pytest
from tests.support.agents import Agent, agent
from tests.support.putting import got, name, uploaded
from tests.support.uploading import Producer
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import Keys
from coatcheck_workers.storage import open_store

TEXT = "".join(f"line {number} of a größer text\n" for number in range(100_000))


async def linked(one: Agent, ref: str, **fields: Any) -> str:
    """The URL, asked for until it is there."""
    found: dict[str, Any] = {}

    async def is_there() -> bool:
        found.update(await one.request("link", {"ref": ref, **fields}))
        return bool(found.get("error", {}).get("code") != "unavailable")

    await eventually(is_there)
    return str(found["ok"]["url"])


async def copies(settings: Settings) -> list[str]:
    store = open_store(settings.storage)
    return [key async for key in store.list(f"{Keys(settings.storage.prefix).passing()}links/")]


def uncompressed(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, storage=msgspec.structs.replace(settings.storage, compression="none"))


@pytest.mark.parametrize("compression", ["zstd", "none"])
async def test_a_link_gives_a_large_original_as_it_was_put(deployment: Settings, compression: str) -> None:
    settings = deployment if compression == "zstd" else uncompressed(deployment)
    async with worker_here(settings), agent(settings) as one:
        event = await in_pieces(one, TEXT.encode())
        status, body = await got(await linked(one, str(event)))
        assert (status, body) == (200, TEXT.encode())
        assert len(await copies(settings)) == (compression == "zstd")


async def test_a_link_gives_a_small_original_and_leaves_no_copy(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        event = await one.offload("c", TEXT[:50_000])
        assert await got(await linked(one, str(event.ref))) == (200, TEXT[:50_000].encode())
        assert await copies(deployment) == []


async def test_a_link_gives_bytes_that_are_no_text(deployment: Settings) -> None:
    data = bytes(range(256)) * 8192
    async with worker_here(deployment), agent(deployment) as one:
        reply = await uploaded(one, data)
        await name(one, "c", reply["upload"])
        event = await one.stub("c")
        assert await got(await linked(one, str(event.ref))) == (200, data)


async def test_a_link_gives_a_part_media_and_text_alike(deployment: Settings) -> None:
    blocks = [
        {"type": "text", "text": "two rows"},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
        {"type": "text", "text": TEXT[:40_000]},
    ]
    async with worker_here(deployment), agent(deployment) as one:
        event = await one.offload("c", blocks)
        assert await got(await linked(one, f"{event.ref}/1")) == (200, b"\x89PNG\r\n\x1a\n")
        assert await got(await linked(one, f"{event.ref}/2")) == (200, TEXT[:40_000].encode())
        error = (await one.request("link", {"ref": f"{event.ref}/7"}))["error"]
        assert error["code"] == "not_found"


async def test_many_who_ask_at_once_have_one_copy_made(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        ref = str(await in_pieces(one, TEXT.encode()))
        urls = await asyncio.gather(*(linked(one, ref) for _ in range(8)))
        assert [await got(url) for url in urls[:2]] == [(200, TEXT.encode())] * 2
        assert len(await copies(deployment)) == 1


async def test_a_copy_that_is_not_whole_is_made_anew(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        ref = str(await in_pieces(one, TEXT.encode()))
        await linked(one, ref)
        (key,) = await copies(deployment)
        await open_store(deployment.storage).put(key, b"a stump")
        assert await got(await linked(one, ref)) == (200, TEXT.encode())


async def test_a_link_ends(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        event = await one.offload("c", TEXT[:50_000])
        url = await linked(one, str(event.ref), expires_seconds=1)

        async def is_over() -> bool:
            return (await got(url))[0] == 403

        await eventually(is_over)


async def test_a_link_is_for_nothing_else(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        event, other = await one.offload("c", TEXT[:50_000]), await one.offload("d", TEXT[:60_000])
        url = await linked(one, str(event.ref))
        assert (await got(url.replace(str(event.result_id), str(other.result_id))))[0] == 403


async def test_another_session_has_no_link(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment, "s1") as one, agent(deployment, "s2") as other:
        event = await one.offload("c", TEXT[:50_000])
        for ref in (str(event.ref), str(event.result_id)):
            error = (await other.request("link", {"ref": ref}))["error"]
            assert error["code"] == "not_found"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"ref": "coat://s1/nothing-0a1b2c3d4e5f60718293a4b5c6d7e8f9"}, "not_found"),
        ({"ref": "no ref at all"}, "invalid_argument"),
        ({}, "invalid_argument"),
        ({"ref": "c-0a1b2c3d4e5f60718293a4b5c6d7e8f9", "expires_seconds": 0}, "invalid_argument"),
        ({"ref": "c-0a1b2c3d4e5f60718293a4b5c6d7e8f9", "expires_seconds": 604_801}, "invalid_argument"),
    ],
)
async def test_a_link_that_cannot_be_is_refused(deployment: Settings, fields: dict[str, Any], code: str) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        assert (await one.request("link", fields))["error"]["code"] == code


async def test_agents_reach_the_store_under_its_public_name(deployment: Settings) -> None:
    storage = msgspec.structs.replace(deployment.storage, public_url="https://store.example/")
    settings = msgspec.structs.replace(deployment, storage=storage)
    async with worker_here(settings), agent(settings) as one:
        event = await one.offload("c", TEXT[:50_000])
        for url in (await linked(one, str(event.ref)), (await one.request("upload"))["ok"]["url"]):
            assert url.startswith(f"https://store.example/{storage.bucket}/")


async def in_pieces(one: Agent, data: bytes) -> str:
    """The ref of a result of these bytes."""
    await Producer(one, "c").publish(data)
    return str((await one.stub("c")).ref)
