"""`search` over a session: where it goes on, what it reads, and which of a result's entries counts."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.originals import BEGIN, Shelf

from coatcheck.testing import MemoryStore
from coatcheck_schemas.keys import TimeEntry, turn_hash
from coatcheck_schemas.refs import parse_ref
from coatcheck_schemas.times import from_milliseconds
from coatcheck_workers.retrieval.cursors import encode_cursor, question
from coatcheck_workers.retrieval.searching import through_session
from coatcheck_workers.streams.tombstone import NoTombstones


class WatchedStore(MemoryStore):
    """Notes what is read and listed."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[str] = []
        self.listed = 0

    async def get(self, key: str) -> bytes:
        self.got.append(key)
        return await super().get(key)

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        async with aclosing(super().list(prefix, after=after)) as keys:  # type: ignore[type-var]
            async for key in keys:
                self.listed += 1
                yield key

    @property
    def originals_read(self) -> int:
        return sum(key.endswith("/output") for key in self.got)


class DeletedAt(NoTombstones):
    """The session was deleted at this time, in milliseconds; what is left of it is still being erased."""

    def __init__(self, at: int) -> None:
        self._at = at

    def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        return from_milliseconds(self._at)


async def searched(shelf: Shelf, **fields: Any) -> list[str]:
    """The refs of all matches, by following the cursor."""
    refs: list[str] = []
    for _ in range(1000):
        page = await shelf.ok("search", query="needle", **fields)
        refs += [match["ref"] for match in page["matches"]]
        if not page["has_more"]:
            return refs
        fields["cursor"] = page["cursor"]
    raise AssertionError("the pages do not end")


def entry_of(shelf: Shelf, ref: str, turn: str, at: int) -> str:
    return shelf.keys.time_entry("s1", TimeEntry(at, turn_hash(turn), parse_ref(ref).result_id))


async def test_it_goes_on_at_the_entry_of_its_cursor() -> None:
    store = WatchedStore()
    shelf = Shelf(store=store)
    refs = [await shelf.keep(f"needle {i}", call=f"c{i}") for i in range(60)]
    page = await shelf.ok("search", query="needle", limit=58)
    store.got.clear()
    store.listed = 0
    rest = await shelf.ok("search", query="needle", cursor=page["cursor"])
    assert [match["ref"] for match in rest["matches"]] == refs[58:]
    assert store.originals_read == store.listed == 2


@pytest.mark.parametrize("name", ["", "x", "../..", "1790000000000", "\x00"])
async def test_a_cursor_names_an_entry_and_nothing_else(name: str) -> None:
    asked = question("search", "s1", None, "needle", False, False, False, False)
    cursor = encode_cursor(asked, through_session.Position(name, 0))
    code, message = await Shelf().error("search", query="needle", cursor=cursor)
    assert (code, "malformed" in message) == ("invalid_argument", True)


async def test_a_full_page_still_counts_all() -> None:
    shelf = Shelf()
    for i in range(40):
        await shelf.keep(f"needle needle {i}", call=f"c{i}")
    page = await shelf.ok("search", query="needle", limit=5)
    assert (len(page["matches"]), page["total"], page["has_more"]) == (5, 80, True)


@pytest.mark.parametrize("limit", [1, 2, 3, 20])
async def test_an_original_of_several_turns_is_searched_at_its_own_entry_wherever_a_page_ends(limit: int) -> None:
    shelf = Shelf()
    again = await shelf.keep("needle again", call="again", turn="t1", milliseconds=BEGIN)
    others = [await shelf.keep(f"needle {i}", call=f"c{i}", milliseconds=BEGIN + 10 * i) for i in range(1, 4)]
    for i, turn in enumerate(["t2", "t3", "t4"]):
        await shelf.enter("s1", parse_ref(again).result_id, turn, BEGIN + 5 + 10 * i)
    assert await searched(shelf, limit=limit) == [again, *others]


async def test_another_entry_stands_in_for_an_own_one_that_is_missing() -> None:
    shelf = Shelf()
    ref = await shelf.keep("needle", turn="t1", milliseconds=BEGIN)
    for turn in ["t2", "t3"]:
        await shelf.enter("s1", parse_ref(ref).result_id, turn, BEGIN + 10)
    await shelf.store.delete(entry_of(shelf, ref, "t1", BEGIN))
    assert await searched(shelf) == [ref]


async def test_of_metadata_without_a_time_the_first_entry_is_as_good() -> None:
    shelf = Shelf()
    ref = await shelf.keep("needle")
    key = shelf.keys.metadata("s1", parse_ref(ref).result_id)
    document = msgspec.json.decode(await shelf.store.get(key))
    await shelf.store.put(key, msgspec.json.encode({**document, "created_at": "long ago"}))
    assert await searched(shelf) == [ref]


async def test_what_was_deleted_is_not_even_read() -> None:
    store = WatchedStore()
    shelf = Shelf(store=store)
    for i in range(5):
        await shelf.keep(f"needle {i}", call=f"c{i}", milliseconds=BEGIN + i)
    later = await shelf.keep("needle", call="later", milliseconds=BEGIN + 10)
    shelf.retrieval = msgspec.structs.replace(shelf.retrieval, tombstones=DeletedAt(BEGIN + 4))
    page = await shelf.ok("search", query="needle")
    assert ([match["ref"] for match in page["matches"]], page["total"]) == ([later], 1)
    assert len(store.got) == 2
    store.got.clear()
    assert [metadata["ref"] for metadata in (await shelf.ok("list"))["tool_results"]] == [later]
    assert len(store.got) == 1


async def test_metadata_of_before_a_deletion_is_passed_over_under_a_younger_entry() -> None:
    shelf = Shelf()
    ref = await shelf.keep("needle", milliseconds=BEGIN)
    await shelf.enter("s1", parse_ref(ref).result_id, "t2", BEGIN + 10)
    shelf.retrieval = msgspec.structs.replace(shelf.retrieval, tombstones=DeletedAt(BEGIN + 4))
    assert (await shelf.ok("search", query="needle"))["total"] == 0
    assert (await shelf.ok("list"))["tool_results"] == []


async def test_damaged_metadata_hides_no_other_and_no_total_is_claimed() -> None:
    shelf = Shelf()
    refs = [await shelf.keep(f"needle {i}", call=f"c{i}") for i in range(3)]
    await shelf.store.put(shelf.keys.metadata("s1", parse_ref(refs[1]).result_id), b"{")
    page = await shelf.ok("search", query="needle")
    assert ([match["ref"] for match in page["matches"]], page["total"]) == ([refs[0], refs[2]], None)


@pytest.mark.parametrize(("most_bytes", "most_originals"), [(10**9, 17), (1, 2)])
async def test_originals_are_fetched_ahead_by_number_and_by_bytes(
    most_bytes: int, most_originals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(through_session, "_AHEAD_BYTES", most_bytes)
    store = WatchedStore()
    shelf = Shelf(store=store, requests={"search_seconds": 1e-9})
    for i in range(60):
        await shelf.keep(f"needle {i}", call=f"c{i}")
    assert len((await shelf.ok("search", query="needle"))["matches"]) == 1
    assert 1 <= store.originals_read <= most_originals


STEPS = st.lists(st.tuples(st.sampled_from(["arrive", "go", "page"]), st.integers(0, 30)), max_size=40)


@given(before=st.sets(st.integers(0, 30)), steps=STEPS, limit=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
async def test_pages_between_which_results_arrive_and_go_show_each_that_stays_once_in_order(
    before: set[int], steps: list[tuple[str, int]], limit: int
) -> None:
    shelf = Shelf()
    there: dict[int, str] = {}
    for at in sorted(before):
        there[at] = await shelf.keep(f"needle {at}", call=f"c{at}", milliseconds=BEGIN + 10 * at)
    staying = dict(there)
    verbs: list[tuple[str, str, dict[str, Any]]] = [
        ("search", "matches", {"query": "needle"}),
        ("list", "tool_results", {"order": "oldest"}),
        ("list", "tool_results", {"order": "newest"}),
    ]
    seen: list[list[str]] = [[], [], []]
    cursors: list[str | None] = [None, None, None]
    is_done = [False, False, False]

    async def page(index: int) -> None:
        verb, items, fields = verbs[index]
        reply = await shelf.ok(verb, limit=limit, cursor=cursors[index], **fields)
        seen[index] += [item["ref"] for item in reply[items]]
        cursors[index], is_done[index] = reply["cursor"], not reply["has_more"]

    for step, at in [*steps, *[("page", 0)] * 100]:
        if step == "arrive" and at not in there:
            there[at] = await shelf.keep(f"needle {at}", call=f"c{at}", milliseconds=BEGIN + 10 * at)
        elif step == "go" and at in there:
            staying.pop(at, None)
            rid = parse_ref(there.pop(at)).result_id
            await shelf.store.delete(shelf.keys.metadata("s1", rid))
            async for key in shelf.store.list(shelf.keys.by_time("s1")):
                if key.endswith(rid):
                    await shelf.store.delete(key)
        elif step == "page":
            for index in range(3):
                if not is_done[index]:
                    await page(index)
    assert all(is_done)
    for index, refs in enumerate(seen):
        order = sorted(staying, reverse=index == 2)
        assert [ref for ref in refs if ref in staying.values()] == [staying[at] for at in order]
        assert len(refs) == len(set(refs))
