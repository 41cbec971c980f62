"""Results that their producer puts into the store itself, by real PUTs, through a real worker."""

import base64

import msgspec
import pytest
from tests.support.agents import agent, dead_letters, waiting_results
from tests.support.putting import name, put, uploaded
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_workers.storage import open_store

MIB = 1024 * 1024
LINE = b"2026-01-01T00:00:00Z INFO step %07d of the build is done\n"


def a_log(size: int) -> bytes:
    return b"".join(LINE % number for number in range(size // len(LINE % 0)))


async def uploads_left(settings: Settings) -> list[str]:
    store = open_store(settings.storage)
    below = f"{Keys(settings.storage.prefix).passing()}uploads/"
    return [key async for key in store.list(below)]


async def all_is_done(settings: Settings) -> None:
    async def is_done() -> bool:
        return not await waiting_results(settings) and not await uploads_left(settings)

    await eventually(is_done)


def with_patience(settings: Settings, seconds: float) -> Settings:
    upload = msgspec.structs.replace(settings.upload, idle_seconds=seconds)
    return msgspec.structs.replace(settings, upload=upload)


@pytest.mark.parametrize("size", [200_000, 30 * MIB], ids=["in memory", "large"])
async def test_what_was_put_becomes_the_original_and_is_gone_where_it_was_put(deployment: Settings, size: int) -> None:
    data = a_log(size)
    async with worker_here(deployment), agent(deployment) as one:
        reply = await uploaded(one, data, call_id="c", bytes=len(data))
        await name(one, "c", reply["upload"], mime_type="text/plain")
        event = await one.stub("c")
        assert (event.disposition, event.kind, event.original_bytes) == ("offloaded", "text", len(data))
        assert (event.original_chars, event.original_lines) == (len(data), data.count(b"\n"))
        assert (event.sha256, event.result_id) == (sha256_hex(data), result_id("c", sha256_hex(data)))
        page = await one.request("read", {"ref": event.ref, "unit": "chars", "offset": -60, "limit": 60})
        assert page["ok"]["content"] == data[-60:].decode()
        await all_is_done(deployment)


async def test_a_tiny_one_goes_inline(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        reply = await uploaded(one, b"all is well\n")
        await name(one, "c", reply["upload"], turn="t", turn_size=1)
        event = await one.stub("c", "t")
        assert (event.disposition, event.content) == ("inline", "all is well\n")
        await all_is_done(deployment)


async def test_nothing_at_all_may_be_put(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        reply = await uploaded(one, b"", bytes=0)
        await name(one, "c", reply["upload"])
        event = await one.stub("c")
        assert (event.disposition, event.content, event.original_bytes) == ("inline", "", 0)


async def test_a_text_in_utf_16_is_understood(deployment: Settings) -> None:
    text = "".join(f"Zeile {number}: größer\n" for number in range(100_000))
    data = text.encode("utf-16")
    async with worker_here(deployment), agent(deployment) as one:
        reply = await uploaded(one, data)
        await name(one, "c", reply["upload"], mime_type="text/plain; charset=utf-16")
        event = await one.stub("c")
        assert (event.kind, event.original_bytes, event.original_lines) == ("text", len(data), 100_000)
        page = (await one.request("read", {"ref": event.ref, "unit": "bytes", "offset": 0, "limit": 40}))["ok"]
        assert base64.b64decode(page["content"]) == data[:40]


async def test_an_event_may_come_before_what_it_names(deployment: Settings) -> None:
    data = a_log(300_000)
    async with worker_here(deployment), agent(deployment) as one:
        reply = (await one.request("upload"))["ok"]
        await name(one, "c", reply["upload"])
        await eventually(lambda: _delivered(deployment))
        assert one.events == []
        assert await put(reply["url"], data, reply["headers"]) == 200
        assert (await one.stub("c")).sha256 == sha256_hex(data)


async def test_another_put_before_the_event_replaces_the_first(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        reply = await uploaded(one, a_log(200_000))
        assert await put(reply["url"], b"the better one", reply["headers"]) == 200
        await name(one, "c", reply["upload"])
        assert (await one.stub("c")).content == "the better one"


@pytest.mark.parametrize("size", [200_000, 3 * MIB], ids=["in memory", "large"])
async def test_another_put_after_the_stub_changes_nothing(deployment: Settings, size: int) -> None:
    data = a_log(size)
    async with worker_here(deployment), agent(deployment) as one:
        reply = await uploaded(one, data)
        await name(one, "c", reply["upload"])
        event = await one.stub("c")
        await all_is_done(deployment)
        assert await put(reply["url"], b"too late", reply["headers"]) == 200
        await name(one, "c", reply["upload"], produced_at="again")
        await eventually(lambda: _nothing_waits(deployment))
        page = (await one.request("read", {"ref": event.ref, "unit": "bytes", "offset": 0, "limit": 60}))["ok"]
        assert base64.b64decode(page["content"]) == data[:60]
        assert len(one.events) == 1
        assert await dead_letters(deployment) == []


async def test_what_is_of_another_size_than_announced_is_a_failure(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        reply = await uploaded(one, b"seven b", bytes=8)
        await name(one, "c", reply["upload"])
        event = await one.stub("c")
        assert event.disposition == "failed"
        assert "7 bytes were put" in str(event.error)
        assert "8 were announced" in str(event.error)
        (letter,) = await dead_letters(deployment)
        assert letter.headers["Coat-Reason"] == "invalid_upload"


async def test_what_is_never_put_is_a_failure_that_says_so(deployment: Settings) -> None:
    settings = with_patience(deployment, 0.5)
    async with worker_here(settings), agent(settings) as one:
        reply = (await one.request("upload"))["ok"]
        await name(one, "c", reply["upload"])
        event = await one.stub("c")
        assert event.disposition == "failed"
        assert "nothing was put" in str(event.error)
        (letter,) = await dead_letters(settings)
        assert letter.headers["Coat-Reason"] == "upload_idle"


@pytest.mark.parametrize("upload", ["put-01", "put-7", "put-any-0", f"put-{6 * 1024**3}-{'0' * 32}"])
async def test_an_id_that_no_worker_gave_is_a_failure(deployment: Settings, upload: str) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        await name(one, "c", upload)
        event = await one.stub("c")
        assert event.disposition == "failed"
        assert "no id of the request" in str(event.error)


async def test_one_upload_is_the_result_of_one_call(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        reply = await uploaded(one, b"mine")
        await name(one, "c", reply["upload"])
        assert (await one.stub("c")).content == "mine"
        await name(one, "d", reply["upload"])
        event = await one.stub("d")
        assert event.disposition == "failed"
        assert "another call" in str(event.error)


async def test_another_session_does_not_reach_what_was_put(deployment: Settings) -> None:
    settings = with_patience(deployment, 0.5)
    async with worker_here(settings), agent(settings, "s1") as one, agent(settings, "s2") as other:
        reply = await uploaded(one, b"mine")
        await name(other, "c", reply["upload"])
        assert "nothing was put" in str((await other.stub("c")).error)


async def test_blocks_may_be_put_as_a_list(deployment: Settings) -> None:
    blocks = [{"type": "text", "text": "two rows"}, {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]
    async with worker_here(deployment), agent(deployment) as one:
        reply = await uploaded(one, msgspec.json.encode(blocks))
        await name(one, "c", reply["upload"], blocks=True)
        event = await one.stub("c")
        assert (event.disposition, event.original_chars) == ("inline", 8)
        assert [part.type for part in event.parts or []] == ["text", "image"]


async def test_a_second_call_with_the_same_content_finds_the_original_as_it_is(deployment: Settings) -> None:
    data = a_log(3 * MIB)
    async with worker_here(deployment), agent(deployment) as one:
        for turn in ("t1", "t2"):
            reply = await uploaded(one, data)
            await name(one, "c", reply["upload"], turn=turn)
            event = await one.stub("c", turn)
            page = (await one.request("read", {"ref": event.ref, "offset": -60, "limit": 60}))["ok"]
            assert page["content"] == data[-60:].decode()
        await all_is_done(deployment)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"bytes": -1}, "bytes must lie between 0"),
        ({"bytes": 5 * 1024**3 + 1}, "5 GiB"),
        ({"bytes": "many"}, "bytes"),
        ({"call_id": "x" * 4097}, "4096"),
        ({"size": 7}, "size"),
    ],
)
async def test_a_request_that_cannot_be_one_is_refused(deployment: Settings, fields: object, told: str) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        error = (await one.request("upload", fields))["error"]
        assert error["code"] == "invalid_argument"
        assert told in error["message"]


async def _delivered(settings: Settings) -> bool:
    return await waiting_results(settings) == 1


async def _nothing_waits(settings: Settings) -> bool:
    return not await waiting_results(settings)
