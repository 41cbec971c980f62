"""What a worker remembers of originals that were read: it saves requests, and never gives out what is not there."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import msgspec
import pytest
from tests.support.originals import BEGIN, Large, Shelf

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_schemas.events import BLOCKS, Part
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import parse_ref, sha256_hex
from coatcheck_schemas.times import from_milliseconds
from coatcheck_workers.retrieval.originals.indexes import PASSING_AT_ONCE
from coatcheck_workers.retrieval.originals.known import Known
from coatcheck_workers.streams.tombstone import NoTombstones

TEXT = "".join(f"line {n}: Zoë {'漢字' * (n % 7)} {n % 50}\r\n" for n in range(4000))
PAGES: list[dict[str, Any]] = [
    {},
    {"offset": 50_000, "limit": 10},
    {"offset": -7},
    {"unit": "lines", "offset": -100, "limit": 3, "numbered": True},
    {"unit": "bytes", "offset": 70_000, "limit": 40_000},
]
EMPTY_PAGES: list[dict[str, Any]] = [
    {"offset": 10**9},
    {"offset": 10**9, "unit": "lines"},
    {"offset": 10**9, "unit": "bytes"},
]
FORMS = [None, Large(compression="none", block_bytes=3000), Large(compression="zstd", block_bytes=3000)]
each_form = pytest.mark.parametrize("form", FORMS, ids=["small", "plain", "zstd"])


class Counted:
    """A shelf whose requests to the store are counted from `begin` on."""

    def __init__(self) -> None:
        self.store = FailingStore(MemoryStore())
        self.shelf = Shelf(store=self.store)
        self.begin()

    def begin(self) -> None:
        self._before = dict(self.store.calls)

    @property
    def calls(self) -> dict[str, int]:
        used = {name: calls - self._before.get(name, 0) for name, calls in self.store.calls.items()}
        return {name: calls for name, calls in used.items() if calls}


def output(shelf: Shelf, ref: str) -> str:
    return shelf.keys.output("s1", parse_ref(ref).result_id)


@each_form
async def test_a_page_of_what_was_read_before_is_one_ranged_read(form: Large | None) -> None:
    it = Counted()
    ref = await it.shelf.keep(TEXT, large=form)
    await it.shelf.ok("read", ref=ref)
    it.begin()
    for fields in PAGES:
        await it.shelf.ok("read", ref=ref, **fields)
    assert it.calls == {"get_range": len(PAGES)}


async def test_the_first_page_of_a_small_original_gets_it_whole_once() -> None:
    it = Counted()
    ref = await it.shelf.keep(TEXT)
    it.begin()
    await it.shelf.ok("read", ref=ref)
    assert it.calls == {"get": 2}  # the metadata, and the original


@each_form
@pytest.mark.parametrize("fields", [*PAGES, *EMPTY_PAGES], ids=str)
async def test_a_page_by_what_is_remembered_is_the_first_one_again(form: Large | None, fields: dict[str, Any]) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=form)
    first = await shelf.ok("read", ref=ref, **fields)
    assert await shelf.ok("read", ref=ref, **fields) == first


@each_form
@pytest.mark.parametrize("fields", [*PAGES, *EMPTY_PAGES], ids=str)
async def test_what_was_deleted_is_not_found_however_well_it_is_remembered(
    form: Large | None, fields: dict[str, Any]
) -> None:
    """Another worker deletes it: this one hears nothing, and its store says so."""
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=form)
    await shelf.ok("read", ref=ref)
    for key in (output(shelf, ref), shelf.keys.metadata("s1", parse_ref(ref).result_id)):
        await shelf.store.delete(key)
    assert (await shelf.error("read", ref=ref, **fields))[0] == "not_found"


@pytest.mark.parametrize("was", FORMS, ids=["small", "plain", "zstd"])
@pytest.mark.parametrize("is_now", [*FORMS, Large(block_bytes=1234)], ids=["small", "plain", "zstd", "other-zstd"])
async def test_what_was_deleted_and_stored_anew_in_another_form_is_read_without_an_alarm(
    was: Large | None, is_now: Large | None
) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=was)
    await shelf.ok("read", ref=ref)
    rid = parse_ref(ref).result_id
    for key in (shelf.keys.metadata("s1", rid), output(shelf, ref), shelf.keys.index("s1", rid)):
        await shelf.store.delete(key)
    assert await shelf.keep(TEXT, large=is_now) == ref
    for fields in PAGES:
        await shelf.ok("read", ref=ref, **fields)
    assert await shelf.read_all(ref, limit=9999) == TEXT
    assert shelf.retrieval.damage.found == 0


class Deleted(NoTombstones):
    """Every session was deleted at a moment."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        return self._moment


@each_form
async def test_what_is_remembered_and_deleted_is_gone_before_it_is_erased(form: Large | None) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=form)
    await shelf.ok("read", ref=ref)
    shelf.retrieval = msgspec.structs.replace(shelf.retrieval, tombstones=Deleted(from_milliseconds(BEGIN + 1)))
    assert (await shelf.error("read", ref=ref))[0] == "gone"
    assert (await shelf.error("read", ref=ref))[0] == "gone"


async def test_what_came_again_after_its_deletion_is_read_though_the_old_one_is_remembered() -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT)
    await shelf.ok("read", ref=ref)
    await shelf.keep(TEXT, milliseconds=BEGIN + 1000)
    shelf.retrieval = msgspec.structs.replace(shelf.retrieval, tombstones=Deleted(from_milliseconds(BEGIN + 1)))
    assert await shelf.read_all(ref) == TEXT


async def test_metadata_that_is_asked_for_is_as_it_is_now() -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, tool="old")
    await shelf.ok("read", ref=ref)
    await shelf.keep(TEXT, tool="new")
    assert (await shelf.ok("read", ref=ref, metadata=True))["metadata"]["tool_name"] == "new"


async def test_a_part_that_is_there_only_now_is_found() -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT)
    await shelf.ok("read", ref=ref)
    await shelf.keep(TEXT, parts=[Part(index=0, type="text", start=5, end=9)])
    assert (await shelf.ok("read", ref=f"{ref}/0"))["content"] == TEXT[5:9]


async def test_a_part_that_is_an_object_is_got_whole_once() -> None:
    it = Counted()
    body = bytes(range(256)) * 400
    ref = await it.shelf.keep("text")
    parts = [Part(index=0, type="image", ref=f"{ref}/0", bytes=len(body))]
    await it.shelf.keep("text", parts=parts, bodies={0: body})
    for _ in range(2):
        it.begin()
        page = await it.shelf.ok("read", ref=f"{ref}/0", unit="bytes", offset=80_000, limit=100)
        assert b64decode(page["content"]) == body[80_000:80_100]
        assert page["total_bytes"] == len(body)
    assert it.calls == {"get_range": 1}


async def test_many_first_readers_at_once_get_what_each_asked_for() -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT)
    starts = range(0, len(TEXT), 5000)
    pages = await asyncio.gather(*(shelf.ok("read", ref=ref, offset=at, limit=5000) for at in starts))
    assert [page["content"] for page in pages] == [TEXT[at : at + 5000] for at in starts]


async def test_a_small_text_in_another_encoding_is_remembered_as_that() -> None:
    shelf = Shelf()
    text = "größer 漢字\n" * 5000
    ref = await shelf.keep(
        text.encode("utf-16-le"), large=Large(compression="none", mime_type="text/plain; charset=utf-16")
    )
    key = shelf.keys.metadata("s1", parse_ref(ref).result_id)
    metadata = msgspec.json.decode(await shelf.store.get(key), type=Metadata)
    await shelf.store.put(key, msgspec.json.encode(msgspec.structs.replace(metadata, index_bytes=0)))
    assert metadata.encoding == "utf-16-le"
    for _ in range(2):
        page = await shelf.ok("read", ref=ref, offset=30_000, limit=700)
        assert (page["content"], page["total_chars"], page["total_lines"]) == (text[30_000:30_700], len(text), 5000)


async def test_what_is_remembered_takes_bounded_memory() -> None:
    shelf = Shelf()
    await shelf.keep(TEXT)
    raw = await shelf.store.get(shelf.keys.metadata("s1", parse_ref(await shelf.keep(TEXT)).result_id))
    metadata = msgspec.json.decode(raw, type=Metadata)
    known = Known(most_bytes=100_000)
    for number in range(1000):
        known.put("s1", msgspec.structs.replace(metadata, result_id=f"r{number}"), len(raw))
    assert known.get("s1", "r0") is None
    assert known.get("s1", "r999") is not None
    assert known.bytes <= 100_000


async def test_a_part_that_only_the_list_of_blocks_names_is_looked_up_once() -> None:
    it = Counted()
    listed = msgspec.json.encode([4, 5, 6])
    parts = [Part(index=3, type=BLOCKS, ref="coat://s1/x/3", bytes=len(listed), sha256=sha256_hex(listed))]
    ref = await it.shelf.keep("abcd\nefghi\njklmno", parts=parts, bodies={3: listed})
    for calls in ({"get": 3, "get_range": 0}, {"get_range": 3}):
        it.begin()
        assert (await it.shelf.ok("read", ref=f"{ref}/1"))["content"] == "efghi"
        assert it.calls == {name: count for name, count in calls.items() if count}
    assert (await it.shelf.ok("read", ref=f"{ref}/2"))["content"] == "jklmno"


class Passing(FailingStore):
    """Notes how much is got whole, and how much passes."""

    def __init__(self, inner: MemoryStore) -> None:
        super().__init__(inner)
        self.passes = 0
        self.most_passing = 0

    async def get_stream(self, key: str, *, version: str | None = None) -> AsyncIterator[bytes]:
        self.passes += 1
        self.most_passing = max(self.most_passing, self.passes)
        async for chunk in super().get_stream(key, version=version):
            await asyncio.sleep(0)
            yield chunk
        self.passes -= 1


BODY = bytes(range(251)) * 12_000


async def with_parts(count: int) -> tuple[Passing, Shelf, str]:
    """A result with parts that are objects, each too large to be got whole."""
    store = Passing(MemoryStore())
    shelf = Shelf(store=store)
    ref = await shelf.keep("text")
    bodies = {n: bytes([n]) + BODY for n in range(count)}
    parts = [
        Part(index=n, type="image", ref=f"{ref}/{n}", bytes=len(body), sha256=sha256_hex(body))
        for n, body in bodies.items()
    ]
    await shelf.keep("text", parts=parts, bodies=bodies)
    return store, shelf, ref


async def test_a_larger_part_is_proved_as_it_passes_once_however_many_ask() -> None:
    store, shelf, ref = await with_parts(1)
    before = dict(store.calls)
    asked = [shelf.ok("read", ref=f"{ref}/0", unit="bytes", offset=at, limit=10) for at in range(1, 2_000_001, 100_000)]
    pages = await asyncio.gather(*asked)
    assert [b64decode(page["content"]) for page in pages] == [BODY[at : at + 10] for at in range(0, 2_000_000, 100_000)]
    assert store.calls["get_stream"] - before.get("get_stream", 0) == 1
    assert store.calls["get_range"] - before.get("get_range", 0) == 20


async def test_few_larger_parts_pass_at_a_time() -> None:
    store, shelf, ref = await with_parts(12)
    await asyncio.gather(*(shelf.ok("read", ref=f"{ref}/{n}", unit="bytes", limit=10) for n in range(12)))
    assert store.most_passing == PASSING_AT_ONCE


async def test_a_larger_part_that_is_damaged_is_never_given_out() -> None:
    store, shelf, ref = await with_parts(1)
    key = shelf.keys.part("s1", parse_ref(ref).result_id, 0)
    right = await store.get(key)
    await store.put(key, right[:-1] + b"?")
    assert (await shelf.error("read", ref=f"{ref}/0", unit="bytes"))[0] == "internal"
    await store.put(key, right)
    await shelf.ok("read", ref=f"{ref}/0", unit="bytes")


async def test_whoever_asks_goes_on_where_the_first_was_given_up() -> None:
    """The first of three, which fetches for all, is cancelled: the next one fetches, and nobody waits for ever."""
    _, shelf, ref = await with_parts(1)
    asked = [asyncio.ensure_future(shelf.ok("read", ref=f"{ref}/0", unit="bytes", limit=9)) for _ in range(3)]
    await asyncio.sleep(0)
    asked[0].cancel()
    given_up, *pages = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(given_up, asyncio.CancelledError)
    assert [isinstance(page, dict) and b64decode(page["content"]) for page in pages] == [b"\0" + BODY[:8]] * 2
