"""Lists by tool and kind, over pages of facts that stand for the metadata of many."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.originals import BEGIN, Shelf

from coatcheck.testing import MemoryStore
from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_schemas.refs import parse_ref
from coatcheck_workers.retrieval.cursors import encode_cursor, question
from coatcheck_workers.retrieval.listing import candidates, facts
from coatcheck_workers.retrieval.listing.listing import _Position

ORDERS = ["oldest", "newest"]


class WatchedStore(MemoryStore):
    """Counts what is read, and refuses to write pages where `is_failing`."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[str] = []
        self.is_failing = False

    async def get(self, key: str) -> bytes:
        self.got.append(key)
        return await super().get(key)

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        if self.is_failing and "/listing/" in key:
            raise StoreUnavailable("no")
        await super().put(key, data, exclusive=exclusive)

    @property
    def metadata_read(self) -> int:
        return sum(key.endswith("/metadata.json") for key in self.got)

    async def pages(self) -> list[str]:
        return [key async for key in self.list("v1/sessions/s1/listing/")]


async def filled(count: int) -> tuple[Shelf, WatchedStore, list[str]]:
    """Every tenth result is of the tool `rare`; theirs are the refs."""
    store = WatchedStore()
    shelf = Shelf(store=store)
    refs = [
        await shelf.keep(f"{i}", call=f"c{i}", tool="rare" if i % 10 == 0 else "often", kind="json" if i % 2 else "csv")
        for i in range(count)
    ]
    return shelf, store, refs[::10]


async def listed(shelf: Shelf, **fields: Any) -> list[str]:
    refs: list[str] = []
    while True:
        page = await shelf.ok("list", **fields)
        refs += [metadata["ref"] for metadata in page["tool_results"]]
        if not page["has_more"]:
            return refs
        fields["cursor"] = page["cursor"]


@pytest.mark.parametrize("second", ORDERS)
@pytest.mark.parametrize("first", ORDERS)
async def test_what_one_list_has_read_the_next_need_not_read(first: str, second: str) -> None:
    shelf, store, rare = await filled(1100)
    await listed(shelf, tool_name="rare", order=first)
    assert store.metadata_read >= 1100
    store.got.clear()
    assert sorted(await listed(shelf, tool_name="rare", order=second)) == sorted(rare)
    assert len(rare) <= store.metadata_read <= len(rare) + 16
    assert len(store.got) <= store.metadata_read + 40


async def test_following_a_cursor_reads_no_more_than_is_listed() -> None:
    shelf, store, rare = await filled(600)
    await listed(shelf, kind="json")
    store.got.clear()
    assert await listed(shelf, tool_name="rare", limit=3) == rare
    assert store.metadata_read <= len(rare) * 4 // 3 + 16


async def test_a_filter_by_turn_reads_no_pages() -> None:
    shelf, store, rare = await filled(600)
    assert await listed(shelf, tool_name="rare", turn_id="t1") == rare
    assert await store.pages() == []


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff", b"[]", b'{"a": 1}', b'{"a": ["x", "video"]}', b"[" * 9999])
async def test_a_damaged_page_is_as_none_and_is_mended(damage: bytes) -> None:
    shelf, store, rare = await filled(300)
    await listed(shelf, tool_name="rare")
    pages = await store.pages()
    assert pages
    for page in pages:
        await store.put(page, damage)
    assert await listed(shelf, tool_name="rare") == rare
    store.got.clear()
    assert await listed(shelf, tool_name="rare") == rare
    assert store.metadata_read <= len(rare) + 16


async def test_a_page_that_cannot_be_written_costs_no_answer() -> None:
    shelf, store, rare = await filled(100)
    store.is_failing = True
    assert await listed(shelf, tool_name="rare") == rare
    assert await store.pages() == []


async def test_a_name_too_long_for_a_page_is_found_by_its_metadata() -> None:
    shelf, store, _ = await filled(40)
    ref = await shelf.keep("long", call="long", tool="x" * 5000)
    for _ in range(2):
        assert await listed(shelf, tool_name="x" * 5000) == [ref]
    assert [page for page in await store.pages() if len(await store.get(page)) > 5000] == []


@pytest.mark.parametrize(
    ("is_there", "is_border", "is_written"), [(True, True, True), (True, False, False), (False, True, False)]
)
async def test_nobody_makes_pages_by_asking(
    is_there: bool, is_border: bool, is_written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf, store, _ = await filled(100)
    asked = question("list", "s1", "rare", None, None, None, None, "oldest")
    entries = [key.rpartition("/")[2] async for key in store.list("v1/sessions/s1/by-time/")]
    name = entries[1] if is_there else entries[1].replace("c1-", "c2-")
    monkeypatch.setattr(facts, "is_border", lambda _: is_border)
    await shelf.ok("list", tool_name="rare", cursor=encode_cursor(asked, _Position(entries[0], name)))
    assert await store.pages() == ([f"v1/sessions/s1/listing/{name}"] if is_written else [])


@pytest.mark.parametrize(
    "position", [_Position("first", ""), _Position("", "../x"), _Position("x", ""), _Position("", "x")]
)
async def test_a_cursor_names_entries_and_nothing_else(position: _Position) -> None:
    shelf, _, _ = await filled(10)
    for order in ORDERS:
        asked = question("list", "s1", "rare", None, None, None, None, order)
        error = await shelf.error("list", tool_name="rare", order=order, cursor=encode_cursor(asked, position))
        assert error[0] == "invalid_argument"


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("arrive"), st.integers(0, 60)),
        st.tuples(st.just("go"), st.integers(0, 60)),
        st.tuples(st.just("list"), st.sampled_from(ORDERS)),
    ),
    max_size=60,
)


@given(steps=STEPS, limit=st.integers(1, 9))
@settings(max_examples=40, deadline=None)
async def test_whatever_arrives_and_goes_a_filtered_list_is_what_there_is(
    steps: list[tuple[str, Any]], limit: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(facts, "_ENTRIES_A_BORDER", 5)
        patch.setattr(facts, "_LEAST_NEW", 1)
        patch.setattr(facts, "MOST_ENTRIES", 7)
        patch.setattr(candidates, "MOST_ENTRIES", 7)
        shelf = Shelf()
        there: dict[int, str] = {}
        for step, at in [*steps, ("list", "oldest"), ("list", "newest")]:
            if step == "arrive" and at not in there:
                there[at] = await shelf.keep(f"{at}", call=f"c{at}", tool=f"tool{at % 3}", milliseconds=BEGIN + 10 * at)
            elif step == "go" and at in there:
                rid = parse_ref(there.pop(at)).result_id
                await shelf.store.delete(shelf.keys.metadata("s1", rid))
            elif step == "list":
                wanted = [there[place] for place in sorted(there, reverse=at == "newest") if place % 3 == 1]
                assert await listed(shelf, tool_name="tool1", order=at, limit=limit) == wanted
