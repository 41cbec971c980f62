"""`fs grep` over own files: fetched ahead, for as long as a search takes, and with the lines around matches."""

import asyncio
from typing import Any

import pytest
from tests.support.filing import Cabinet

from coatcheck.testing import MemoryStore
from coatcheck_workers.filesystem import grepping, grepping_own


class WatchedStore(MemoryStore):
    """Notes how many versions it reads at a time; each takes `seconds` of `now`."""

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__()
        self.now = 0.0
        self.most = 0
        self._seconds = seconds
        self._under_way = 0

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        return await self._watched(await super().get_range(key, start, end))

    async def get(self, key: str) -> bytes:
        return await self._watched(await super().get(key))

    async def _watched(self, data: bytes) -> bytes:
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        await asyncio.sleep(0)
        self.now += self._seconds
        self._under_way -= 1
        return data


async def pages(cabinet: Cabinet, **fields: Any) -> list[list[tuple[str, int]]]:
    found: list[list[tuple[str, int]]] = []
    cursor = None
    while True:
        reply = await cabinet.fs_ok("grep", **fields, cursor=cursor)
        found.append([(one["path"], one["line"]) for one in reply["matches"]])
        if not reply["has_more"]:
            return found
        cursor = reply["cursor"]


async def context(cabinet: Cabinet, text: str, pattern: str, before: int, after: int) -> list[tuple[int, str, bool]]:
    await cabinet.fs_ok("write", path="a", content=text)
    await cabinet.keep(text)
    told = []
    for path in ("a", "/large_tool_result/call_1"):
        reply = await cabinet.fs_ok("grep", pattern=pattern, path=path, before=before, after=after)
        told.append([(one["line"], one["text"], one["is_context"]) for one in reply["matches"]])
    assert told[0] == told[1]
    return told[0]


async def test_some_files_are_fetched_while_one_is_searched() -> None:
    store = WatchedStore()
    cabinet = Cabinet(store=store)
    for n in range(40):
        await cabinet.fs_ok("write", path=f"f{n:02}", content="x\n")
    store.most = 0
    assert await pages(cabinet, pattern="x") == [[(f"/f{n:02}", 1) for n in range(40)]]
    assert store.most > 8


async def test_a_grep_goes_on_for_the_time_of_a_search_and_past_one_file_at_least(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for seconds, most_pages in ((0.05, 1), (20.0, 41)):
        store = WatchedStore(seconds)
        cabinet = Cabinet(store=store, requests={"search_seconds": 5, "timeout_seconds": 8})
        for n in range(40):
            await cabinet.fs_ok("write", path=f"d/f{n:02}", content="x\n" * 3)
        monkeypatch.setattr(grepping, "monotonic", lambda store=store: store.now)
        found = await pages(cabinet, pattern="x", path="d", limit=1000)
        hits = [hit for page in found for hit in page]
        assert hits == [(f"/d/f{n:02}", line) for n in range(40) for line in (1, 2, 3)]
        assert len(found) <= most_pages


async def test_large_files_are_fetched_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grepping_own, "_SMALL_BYTES", 100)
    monkeypatch.setattr(grepping_own, "_AHEAD_BYTES", 1000)
    store = WatchedStore()
    cabinet = Cabinet(store=store)
    for n in range(30):
        await cabinet.fs_ok("write", path=f"f{n:02}", content="x" + "y" * (1000 if n % 2 else 50))
    monkeypatch.setattr(store, "get_range", super(WatchedStore, store).get_range)
    store.most = 0
    assert await pages(Cabinet(store=store), pattern="x") == [[(f"/f{n:02}", 1) for n in range(30)]]
    assert store.most == 1


async def test_a_damaged_file_is_passed_over_once_whatever_the_pages() -> None:
    cabinet = Cabinet()
    for n in range(5):
        await cabinet.fs_ok("write", path=f"f{n}", content="x\n")
    (key,) = [key async for key in cabinet.store.list("v1/sessions/s1/files/versions/f3/")]
    await cabinet.store.put(key, b"no head")
    named, cursor = [], None
    for _ in range(5):
        reply = await cabinet.fs_ok("grep", pattern="x", limit=1, cursor=cursor)
        named += [(one["path"], one["why"]) for one in reply.get("passed", [])]
        if (cursor := reply["cursor"]) is None:
            break
    assert (cursor, named) == (None, [("/f3", "damaged")])


async def test_a_file_alone_and_all_in_its_folder_are_searched() -> None:
    cabinet = Cabinet()
    for path in ("d/a", "d/b/c", "dd"):
        await cabinet.fs_ok("write", path=path, content="x")
    assert await pages(cabinet, pattern="x", path="d") == [[("/d/a", 1), ("/d/b/c", 1)]]
    assert await pages(cabinet, pattern="x", path="d", glob="c") == [[("/d/b/c", 1)]]
    assert await pages(cabinet, pattern="x", path="dd", glob="c") == [[("/dd", 1)]]
    assert await pages(cabinet, pattern="x", path="d", glob="none") == [[]]


async def test_around_a_match_long_lines_are_given_from_their_beginning() -> None:
    lines = [f"{n:03} {'x' * 1500}" for n in range(120)]
    lines[60] = "y" * 1200 + " HIT"
    told = await context(Cabinet(), "\n".join(lines) + "\n", "HIT", 50, 50)
    assert [(line, text[:3], is_context) for line, text, is_context in told] == [
        (n + 1, "yyy" if n == 60 else f"{n:03}", n != 60) for n in range(10, 111)
    ]
    assert {len(text) for line, text, _ in told if line != 61} == {500}


async def test_around_a_match_far_in_its_line_the_line_before_is_given() -> None:
    told = await context(Cabinet(), f"short one\n{'y' * 1200} HIT\nshort three\n", "HIT", 1, 1)
    assert [(line, text[-5:], is_context) for line, text, is_context in told] == [
        (1, "t one", True),
        (2, "y HIT", False),
        (3, "three", True),
    ]


async def test_of_lines_out_of_reach_none_is_shown_from_its_middle() -> None:
    text = "\n".join([*(c * 3000 for c in "abc"), "HIT", *(c * 3000 for c in "def")])
    told = await context(Cabinet(), text, "HIT", 3, 3)
    assert [(line, text[:1], len(text)) for line, text, _ in told] == [
        (2, "b", 500),
        (3, "c", 500),
        (4, "H", 3),
        (5, "d", 500),
        (6, "e", 500),
        (7, "f", 500),
    ]
