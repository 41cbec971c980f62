"""The newest of a session's entries, out of a store that lists forwards only."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.originals import BEGIN, Shelf

from coatcheck.testing import MemoryStore
from coatcheck_schemas.keys import Keys, TimeEntry, turn_hash
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_workers.retrieval.listing import newest
from coatcheck_workers.retrieval.listing.newest import PAGE, Range, newest_entries
from coatcheck_workers.retrieval.listing.tails import Tail, Tails

MANY = 100_000
DAY = 86_400_000


class CountingStore(MemoryStore):
    """Notes the names that each request for a listing gives: whole pages, however few of them are looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[int] = []

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        page: list[str] = []
        async with aclosing(super().list(prefix, after=after)) as keys:  # type: ignore[type-var]
            async for key in keys:
                page.append(key)
                if len(page) < PAGE:
                    continue
                self.listed.append(PAGE)
                for name in page:
                    yield name
                page = []
        self.listed.append(len(page))
        for name in page:
            yield name


def entry(milliseconds: int, number: int = 0) -> TimeEntry:
    return TimeEntry(milliseconds, turn_hash(f"t{number}"), result_id(f"c{number}", sha256_hex(b"")))


async def filled(entries: list[TimeEntry]) -> tuple[Shelf, CountingStore]:
    store = CountingStore()
    for one in sorted(entries):
        await store.put(Keys().time_entry("s1", one), b"")
    return Shelf(store=store), store


async def first(shelf: Shelf, count: int, within: Range | None = None, *, now: int) -> list[TimeEntry]:
    found: list[TimeEntry] = []
    walk = newest_entries(shelf.retrieval, "s1", within or Range(), now=now, aim=count)
    async with aclosing(walk) as entries:
        async for one in entries:
            found.append(one)
            if len(found) == count:
                break
    return found


async def everything(shelf: Shelf, within: Range | None = None, *, now: int = BEGIN) -> list[TimeEntry]:
    return await first(shelf, 10**9, within, now=now)


@pytest.mark.parametrize(
    ("count", "apart", "age"),
    [(MANY, 1000, 0), (20 * PAGE, 1, 30 * DAY), (20 * PAGE, 1000, 30 * DAY), (20 * PAGE, 60_000, 3650 * DAY)],
)
async def test_the_newest_of_many_take_some_requests_at_first_and_one_when_they_are_known(
    count: int, apart: int, age: int
) -> None:
    entries = [entry(BEGIN + apart * number, number) for number in range(count)]
    shelf, store = await filled(entries)
    now = entries[-1].milliseconds + age
    assert await first(shelf, 50, now=now) == entries[:-51:-1]
    assert len(store.listed) <= 30
    assert sum(store.listed) <= 5 * PAGE
    store.listed.clear()
    assert await first(shelf, 50, now=now) == entries[:-51:-1]
    assert len(store.listed) == 1
    assert store.listed[0] <= 200


@pytest.mark.parametrize("age", [0, 30 * DAY])
async def test_a_small_session_takes_few_requests(age: int) -> None:
    entries = [entry(BEGIN + 1000 * number, number) for number in range(100)]
    shelf, store = await filled(entries)
    assert await first(shelf, 50, now=entries[-1].milliseconds + age) == entries[:-51:-1]
    assert len(store.listed) <= 5
    assert sum(store.listed) <= 2 * len(entries)
    store.listed.clear()
    assert await everything(shelf, now=entries[-1].milliseconds + age) == entries[::-1]
    assert len(store.listed) <= 8


async def test_the_newest_of_a_session_that_is_busy_now_are_found_without_looking_at_its_start() -> None:
    entries = [entry(BEGIN + 3000 * number, number) for number in range(3 * PAGE)]
    shelf, store = await filled(entries)
    assert await first(shelf, 50, now=entries[-1].milliseconds) == entries[:-51:-1]
    assert len(store.listed) <= 3
    assert sum(store.listed) <= 300


async def test_a_store_whose_listings_cannot_begin_anywhere_is_listed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CountingStore, "lists_from_anywhere", False, raising=False)
    entries = [entry(BEGIN + 1000 * number, number) for number in range(2 * PAGE)]
    shelf, store = await filled(entries)
    assert await first(shelf, 50, now=BEGIN) == entries[:-51:-1]
    assert sum(store.listed) == len(entries)
    monkeypatch.setattr(newest, "_MOST_ENTRIES", 300)
    assert await everything(shelf, Range(floor=entries[5].milliseconds, below=str(entries[1500]))) == entries[1499:4:-1]


async def test_what_arrived_since_the_last_time_comes_first() -> None:
    entries = [entry(BEGIN + 1000 * number, number) for number in range(3 * PAGE)]
    shelf, store = await filled(entries)
    await first(shelf, 50, now=BEGIN)
    later = [entry(entries[-1].milliseconds + 100 * number, number) for number in range(1, 2 * PAGE)]
    for one in later:
        await store.put(Keys().time_entry("s1", one), b"")
    assert await first(shelf, 50, now=later[-1].milliseconds) == later[:-51:-1]


async def test_where_the_newest_are_gone_older_ones_come() -> None:
    entries = [entry(BEGIN + 1000 * number, number) for number in range(3 * PAGE)]
    shelf, store = await filled(entries)
    await first(shelf, 50, now=BEGIN)
    for one in entries[-500:]:
        await store.delete(Keys().time_entry("s1", one))
    assert await first(shelf, 50, now=BEGIN) == entries[-501:-551:-1]


async def test_the_whole_of_a_large_session_takes_not_many_more_requests_than_pages() -> None:
    entries = [entry(BEGIN + 1000 * number, number) for number in range(20 * PAGE)]
    shelf, store = await filled(entries)
    assert await everything(shelf, now=BEGIN + 30 * DAY) == entries[::-1]
    assert len(store.listed) <= 60


async def test_more_than_is_kept_at_a_time_in_one_millisecond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newest, "PAGE", 10)
    monkeypatch.setattr(newest, "_MOST_ENTRIES", 7)
    entries = [entry(BEGIN - 1, 1000), *sorted(entry(BEGIN, number) for number in range(50)), entry(BEGIN + 1, 1001)]
    shelf, _ = await filled(entries)
    assert await everything(shelf) == entries[::-1]
    assert await everything(shelf, Range(below=str(entries[31]))) == entries[30::-1]


async def test_what_is_no_entry_is_passed_over_wherever_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newest, "PAGE", 3)
    entries = [entry(BEGIN + number, number) for number in range(9)]
    shelf, store = await filled(entries)
    for name in ["-", "0", "17", f"{BEGIN + 3}", f"{BEGIN + 3}-", f"{BEGIN + 3}x/y", "9" * 13, "9" * 20, "a", "~"]:
        await store.put(f"{Keys().by_time('s1')}{name}", b"")
    assert await everything(shelf) == entries[::-1]


GAPS = st.lists(st.one_of(st.just(0), st.integers(1, 5), st.integers(10**5, 10**10)), max_size=40)
PLACES = st.one_of(st.none(), st.integers(0, 40))


@given(gaps=GAPS, floor=PLACES, below=PLACES, aim=st.integers(1, 60), tail=PLACES, ahead=st.integers(-(10**9), 10**9))
@settings(max_examples=150, deadline=None)
async def test_all_in_a_range_come_once_newest_first_whatever_is_guessed(
    gaps: list[int], floor: int | None, below: int | None, aim: int, tail: int | None, ahead: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newest, "PAGE", 4)
        at, entries = 10**12, []
        for number, gap in enumerate(gaps):
            at += gap
            entries.append(entry(at, number))
        entries.sort()
        shelf, _ = await filled(entries)

        def place(index: int | None) -> TimeEntry | None:
            return None if index is None or not entries else entries[index % len(entries)]

        low, high, hint = place(floor), place(below), place(tail)
        if hint is not None:
            shelf.retrieval.tails.put("s1", Tail(hint.milliseconds, hint.milliseconds + 3))
        within = Range(floor=low.milliseconds if low else 0, below=str(high) if high else "")
        walk = newest_entries(shelf.retrieval, "s1", within, now=at + ahead, aim=aim)
        wanted = [one for one in entries if one.milliseconds >= within.floor and (high is None or one < high)]
        assert [one async for one in walk] == wanted[::-1]


def test_tails_of_the_sessions_listed_last_are_kept() -> None:
    tails = Tails(most_sessions=2)
    for session in ["a", "b", "a", "c"]:
        tails.put(session, Tail(1, 2))
    assert [tails.get(session) is not None for session in "abc"] == [True, False, True]
