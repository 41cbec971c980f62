"""Workers on other stores than S3, and originals in layouts of one's own: written, read, searched and listed."""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from tests.support.agents import dead_letters
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.layout import LayoutFacts
from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreRejected
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.metadata import Metadata
from coatcheck_workers.flow.joining import Unusable
from coatcheck_workers.storage import open_store
from coatcheck_workers.worker import Worker

MEDIUM = "".join(f"line {number} of a report\n" for number in range(3000))
LARGE = "".join(f"line {number} of a long log\n" for number in range(80_000))


def stored_at(settings: Settings, **storage: Any) -> Settings:
    """These settings with another store."""
    fresh = StorageSettings(prefix=settings.storage.prefix, **storage)
    return msgspec.structs.replace(settings, storage=fresh)


def laid_out(settings: Settings, layout: str) -> Settings:
    return msgspec.structs.replace(settings, storage=msgspec.structs.replace(settings.storage, layout=layout))


@asynccontextmanager
async def working(settings: Settings) -> AsyncIterator[coatcheck.Client]:
    async with worker_here(settings), coatcheck.connect(settings.nats.url, prefix=settings.nats.prefix) as client:
        yield client


async def metadata_of(settings: Settings, result_id: str) -> Metadata:
    raw = await open_store(settings.storage).get(Keys(settings.storage.prefix).metadata("s1", result_id))
    return msgspec.json.decode(raw, type=Metadata)


async def holds_its_originals(client: coatcheck.Client) -> list[str]:
    """Results of one message and of many come back whole; their ids."""
    ids = []
    for call, text in (("medium", MEDIUM), ("large", LARGE)):
        async with client.stream("s1", tool_name="kube ctl/x", call=call) as out:
            await out.write(text)
            event = await out.submit()
        assert (event.disposition, event.original_chars) == ("offloaded", len(text))
        page = await client.read("s1", event.ref or "", offset=len(text) - 40, limit=40)
        assert page.content == text[-40:]
        found = await client.search("s1", "line 2999 ", ref=event.ref)
        assert [match.line for match in found.matches] == [2999]
        ids.append(event.result_id or "")
    listed = await client.list("s1")
    assert sorted(one.result_id for one in listed.tool_results) == sorted(ids)
    return ids


async def test_folder_holds_originals(deployment: Settings, tmp_path: Path) -> None:
    settings = stored_at(deployment, url=f"file://{tmp_path}")
    async with working(settings) as client:
        for result_id in await holds_its_originals(client):
            key = Keys(settings.storage.prefix).output("s1", result_id)
            assert (tmp_path / key).is_file()
            assert (await metadata_of(settings, result_id)).output_uri == f"file://{tmp_path}/{key}"


async def test_memory_of_one_process_holds_originals(deployment: Settings) -> None:
    async with working(stored_at(deployment, url="memory://worker")) as client:
        await holds_its_originals(client)


async def test_worker_whose_folder_is_missing_does_not_start(deployment: Settings, tmp_path: Path) -> None:
    worker = Worker(stored_at(deployment, url=f"file://{tmp_path}/missing"))
    try:
        with pytest.raises(StoreRejected, match="coatcheck provision"):
            await worker.start()
    finally:
        await worker.stop()


async def test_template_says_where_originals_lie_and_readers_follow(deployment: Settings) -> None:
    settings = laid_out(deployment, "by-tool/{tool}/{kind}/{result_id}.{kind}")
    keys, store = Keys(settings.storage.prefix), open_store(settings.storage)
    async with working(settings) as client:
        for result_id in await holds_its_originals(client):
            metadata = await metadata_of(settings, result_id)
            kind = metadata.synopsis_kind
            key = f"{keys.session('s1')}by-tool/kube=20ctl=2Fx/{kind}/{result_id}.{kind}"
            assert metadata.output_key == key
            assert metadata.output_uri == store.uri(key)
            assert (await store.head(key)).size == metadata.stored_bytes
            assert [found async for found in store.list(keys.result("s1", result_id))] == [
                keys.metadata("s1", result_id)
            ]


async def test_originals_of_an_earlier_layout_are_still_read(deployment: Settings) -> None:
    async with working(laid_out(deployment, "{tool}/{result_id}")) as client:
        event = await client.submit("s1", MEDIUM, tool_name="report", call="c")
    async with working(deployment) as client:
        assert (await client.read("s1", event.ref or "", limit=-1)).content.startswith("line 0 of")
        again = await client.submit("s1", MEDIUM, tool_name="report", call="c", turn="later")
        assert again.ref == event.ref
        assert (await client.read("s1", again.ref or "", limit=-1)).content.startswith("line 0 of")


@pytest.fixture
def moody() -> Iterator[str]:
    """A layout that leaves its prefix for one tool alone."""

    def lay(facts: LayoutFacts) -> str:
        return f"../elsewhere/{facts.result_id}" if facts.tool_name == "odd" else f"own/{facts.result_id}"

    module = ModuleType("moody_layouts")
    module.lay = lay  # type: ignore[attr-defined]
    sys.modules["moody_layouts"] = module
    yield "moody_layouts:lay"
    del sys.modules["moody_layouts"]


async def test_result_that_a_layout_cannot_place_is_a_dead_letter_and_its_neighbours_pass(
    deployment: Settings, moody: str
) -> None:
    settings = laid_out(deployment, moody)
    async with working(settings) as client:
        odd = await client.submit("s1", MEDIUM, tool_name="odd", call="odd")
        even = await client.submit("s1", MEDIUM, tool_name="even", call="even")
    assert (odd.disposition, even.disposition) == ("failed", "offloaded")
    assert "no piece may be" in str(odd.content)
    letters = await dead_letters(settings)
    assert [letter.headers["Coat-Reason"] for letter in letters] == ["invalid_layout"]


@pytest.mark.parametrize(
    ("layout", "problem"),
    [("{tool}/{date}", "another result could get the same key"), ("no_such_module_here:lay", "cannot be imported")],
)
async def test_worker_with_a_layout_that_cannot_serve_does_not_start(
    deployment: Settings, layout: str, problem: str
) -> None:
    worker = Worker(laid_out(deployment, layout))
    try:
        with pytest.raises(Unusable, match=problem):
            await worker.start()
    finally:
        await worker.stop()
