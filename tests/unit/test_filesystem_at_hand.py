"""Of a call's result that was read lately a page is made of what is in memory, as long as the result is there."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta

import msgspec
import pytest
from tests.support.filing import Cabinet
from tests.support.filing_stores import Told
from tests.support.originals import Large

from coatcheck.testing import MemoryStore
from coatcheck_schemas.refs import parse_ref, sha256_hex
from coatcheck_workers.clock import utc_now
from coatcheck_workers.retrieval.originals.indexed import PASSAGE_BYTES
from coatcheck_workers.retrieval.originals.known import Passage
from coatcheck_workers.retrieval.originals.recent import Recent

CALL = "/large_tool_result/call_1"
TEXT = "".join(f"line {number}\n" for number in range(3000))
LONG = "".join(f"line {number} of a text that is longer than one passage\n" for number in range(30_000))


class AskedStore(MemoryStore):
    """It counts what it is asked for of originals' objects."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()

    async def get(self, key: str) -> bytes:
        self.asked[key.rpartition("/")[2]] += 1
        return await super().get(key)

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        self.asked[key.rpartition("/")[2]] += 1
        return await super().get_range(key, start, end)


async def pages_of(cabinet: Cabinet, lines: int) -> str:
    return "".join([(await cabinet.fs_ok("read", path=CALL, offset=at))["content"] for at in range(0, lines, 200)])


async def test_paging_through_a_call_s_result_fetches_it_once() -> None:
    store = AskedStore()
    cabinet = Cabinet(store=store)
    await cabinet.keep(TEXT)
    assert await pages_of(cabinet, 3000) == TEXT
    assert store.asked == {"metadata.json": 1, "output": 1}


async def test_of_a_large_one_some_pages_are_fetched_at_a_time() -> None:
    store = AskedStore()
    cabinet = Cabinet(store=store)
    await cabinet.keep(LONG, large=Large(compression="none", block_bytes=8192))
    assert await pages_of(cabinet, 30_000) == LONG
    most = 2 * len(LONG) // PASSAGE_BYTES + 3  # a page that ends behind a passage begins the next one
    assert 1 < store.asked["output"] <= most


async def test_of_a_large_one_the_first_page_costs_what_it_returns() -> None:
    cabinet = Cabinet()
    await cabinet.keep(LONG, large=Large(compression="none", block_bytes=8192))
    page = await cabinet.fs_ok("read", path=CALL, offset=5000)
    assert cabinet.retrieval.known.passages.bytes < len(page["content"]) + 3 * 8192


async def test_a_page_longer_than_a_passage_is_whole() -> None:
    cabinet = Cabinet(max_reply_bytes=8 * 1024 * 1024)
    await cabinet.keep(LONG, large=Large())
    assert await cabinet.content(CALL) == await cabinet.content(CALL) == LONG


async def test_what_another_worker_stored_since_is_read_in_its_place() -> None:
    store = MemoryStore()
    one, other = Cabinet(store=store), Cabinet(store=store)
    await one.keep("old")
    assert await one.content(CALL) == await one.content(CALL) == "old"
    await other.keep("new", milliseconds=1_800_000_000_000)
    assert await one.content(CALL) == await one.content(CALL) == "new"


async def test_what_was_erased_since_is_not_given_out_of_memory() -> None:
    cabinet = Cabinet()
    await cabinet.keep(TEXT)
    await pages_of(cabinet, 400)
    for key in [key async for key in cabinet.store.list("v1/sessions/s1/")]:
        await cabinet.store.delete(key)
    assert (await cabinet.fs_error("read", path=CALL))[0] == "not_found"


class TellingStore(MemoryStore):
    """Once `told` is there, a listing is as long under way as it takes to hear of a deletion."""

    told: Told | None = None

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        async for key in super().list(prefix, after=after):
            yield key
        await asyncio.sleep(0)  # what is at hand is read meanwhile
        if self.told is not None and "/by-time/" in prefix:
            self.told.at = utc_now() + timedelta(days=10_000)


async def test_what_is_deleted_while_the_store_is_asked_is_not_given_out_of_memory() -> None:
    store, told = TellingStore(), Told()
    cabinet = Cabinet(store=store)
    cabinet.retrieval = msgspec.structs.replace(cabinet.retrieval, tombstones=told)
    await cabinet.keep(TEXT)
    await pages_of(cabinet, 400)
    store.told = told
    assert (await cabinet.fs_error("read", path=CALL))[0] in ("gone", "not_found")


@pytest.mark.parametrize("large", [None, Large(), Large(compression="none")])
async def test_what_is_not_as_it_was_in_memory_is_fetched_anew(large: Large | None) -> None:
    store = AskedStore()
    cabinet = Cabinet(store=store)
    result_id = parse_ref(await cabinet.keep(TEXT, large=large)).result_id
    await pages_of(cabinet, 400)
    name = ("s1", result_id, sha256_hex(TEXT.encode()))
    kept = cabinet.retrieval.known.passages.get(name)
    assert kept is not None
    cabinet.retrieval.known.passages.put(name, Passage(0, bytes(len(kept.data))), 1)
    store.asked.clear()
    assert await pages_of(cabinet, 3000) == TEXT
    assert store.asked["output"] in (1, 2)  # what comes next is fetched from the second page on
    assert cabinet.retrieval.damage.found == 0


async def test_what_was_stored_again_in_another_form_is_read() -> None:
    store = MemoryStore()
    one, other = Cabinet(store=store), Cabinet(store=store)
    await one.keep(TEXT)
    await pages_of(one, 400)
    for key in [key async for key in store.list("v1/sessions/s1/results/")]:
        await store.delete(key)
    await other.keep(TEXT, large=Large(), milliseconds=1_800_000_000_000)
    assert await pages_of(one, 3000) == TEXT


async def test_memory_for_passages_is_bounded() -> None:
    cabinet = Cabinet()
    passages = cabinet.retrieval.known.passages = Recent(100_000)
    for number in range(20):
        await cabinet.keep("x" * 20_000 + str(number), call=f"call_{number}")
        await cabinet.content(f"/large_tool_result/call_{number}")
    assert 0 < len(passages) <= 4
    assert passages.bytes <= 100_000


async def test_a_read_by_ref_or_result_id_keeps_nothing_in_memory() -> None:
    cabinet = Cabinet()
    ref = await cabinet.keep(TEXT)
    await cabinet.ok("read", ref=ref)
    await cabinet.content(f"/large_tool_result/{parse_ref(ref).result_id}")
    assert len(cabinet.retrieval.known.passages) == 0
