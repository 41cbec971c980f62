"""Whether a new file may be where it is to be, while others write and however many there are."""

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest
from tests.support.filing import Cabinet
from tests.support.filing_stores import BeginningStore, MeetingStore, SlowStore, workers_of

from coatcheck.testing import MemoryStore
from coatcheck_workers.filesystem import room, tree


@pytest.mark.parametrize(("mine", "other"), [("d", "d/x"), ("d/x", "d"), ("d/e/f/x", "d/e")])
async def test_of_a_file_and_one_below_it_that_are_written_at_once_one_alone_is_there(mine: str, other: str) -> None:
    store = MeetingStore()
    cabinet, quicker = workers_of(store)
    store.moment, store.meets = "named", lambda: quicker.fs_ok("write", path=other, content="other")
    code, message = await cabinet.fs_error("write", path=mine, content="mine")
    assert (code, "at the same time" in message) == ("conflict", True)
    assert await cabinet.paths("glob", pattern="**") == [f"/{other}"]
    assert await quicker.content(other) == "other"
    assert (await cabinet.fs_error("write", path=mine, content="mine"))[0] == "invalid_argument"


async def test_however_writes_of_a_file_and_one_below_it_meet_not_both_are_there() -> None:
    for number, (one, other) in enumerate(itertools.permutations(["d", "d/x", "d/x/y"], 2)):
        cabinet, second = workers_of(SlowStore())
        waits = asyncio.sleep(0) if number % 2 else asyncio.sleep(0.001)
        await asyncio.gather(
            cabinet.fs("write", path=one, content=""), waits, second.fs("write", path=other, content="")
        )
        assert len(await cabinet.paths("glob", pattern="**")) <= 1


async def test_a_write_that_was_taken_back_or_broken_off_leaves_nothing_to_see() -> None:
    store = MeetingStore()
    cabinet, quicker = workers_of(store)
    store.moment, store.meets = "named", lambda: quicker.fs_ok("write", path="d", content="other")
    assert (await cabinet.fs_error("write", path="d/x", content="mine"))[0] == "conflict"
    await store.put("v1/sessions/s1/files/names/e=2Fy", b"/e/y")
    entries = (await cabinet.fs_ok("ls"))["entries"]
    assert [(one["path"], one["is_dir"]) for one in entries] == [("/d", False), ("/large_tool_result", True)]
    assert await cabinet.paths("ls", path="d") == ["/d"]
    assert (await cabinet.fs_error("glob", path="d", pattern="*"))[0] == "invalid_argument"
    for operation, fields in (("ls", {}), ("read", {}), ("glob", {"pattern": "*"}), ("grep", {"pattern": "x"})):
        assert (await cabinet.fs_error(operation, path="e", **fields))[0] == "not_found", operation
        assert (await cabinet.fs_error(operation, path="e/y", **fields))[0] == "not_found", operation
    await cabinet.fs_ok("write", path="e", content="")


async def test_a_folder_is_one_as_long_as_any_file_lies_below_it() -> None:
    cabinet = Cabinet()
    await cabinet.store.put("v1/sessions/s1/files/names/d=2Fa", b"/d/a")
    await cabinet.fs_ok("write", path="d/b/c", content="")
    assert await cabinet.paths("ls") == ["/d", "/large_tool_result"]
    assert await cabinet.paths("ls", path="d") == ["/d/b"]
    assert "is a folder" in (await cabinet.fs_error("read", path="d"))[1]


async def test_a_place_that_was_taken_back_can_be_written_once_it_is_free() -> None:
    store = MeetingStore()
    cabinet, quicker = workers_of(store)
    store.moment, store.meets = "named", lambda: quicker.fs_ok("write", path="d/x", content="other")
    await cabinet.fs_error("write", path="d", content="mine")
    for key in [key async for key in store.list("v1/sessions/s1/files/versions/d=2Fx/")]:
        await store.delete(key)
    await cabinet.fs_ok("write", path="d", content="mine", if_version="0")
    assert await cabinet.content("d") == "mine"


class Listing(MemoryStore):
    """Counts the names of files that it lists."""

    listed = 0

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        async for key in super().list(prefix, after=after):
            self.listed += "/names/" in key
            yield key


async def test_a_new_file_costs_no_more_where_there_are_many() -> None:
    store = Listing()
    cabinet = Cabinet(store=store)
    for number in range(300):
        await cabinet.fs_ok("write", path=f"f{number}", content="")
    assert store.listed < 600
    store.listed = 0
    for number in range(50):
        await cabinet.fs_ok("write", path=f"d{number}/x", content="")
    assert store.listed <= 4 * 50


async def test_of_many_files_those_of_one_folder_are_asked_for_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_MANY", 20)
    store = BeginningStore()
    cabinet = Cabinet(store=store)
    long = "é" * 40
    for path in (*(f"f{number}" for number in range(25)), f"{long}/a", f"{long}/b"):
        await cabinet.fs_ok("write", path=path, content="")
    store.listed.clear()
    assert await cabinet.paths("ls", path=long) == [f"/{long}/a", f"/{long}/b"]
    for path, code in (("A", None), ("f3/x", "invalid_argument"), (long, "invalid_argument"), (f"{long}/c", None)):
        reply = await cabinet.fs("write", path=path, content="")
        assert (None if b'"ok"' in reply.body else code) == code
    names = store.listed["names"]
    assert names == 0, names


async def test_near_the_limit_files_are_counted_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_FILES", 40)
    cabinet, other = workers_of(MemoryStore())
    for number in range(40):
        await (cabinet, other)[number % 2].fs_ok("write", path=f"f{number}", content="")
    for one in (cabinet, other):
        assert (await one.fs_error("write", path="more", content=""))[0] == "too_large"
        await one.fs_ok("write", path="f3", content="again")


async def test_a_file_far_down_and_one_of_a_long_name_are_told_from_folders() -> None:
    cabinet = Cabinet()
    deep, long = "/".join("a" * 40), "ä" * 300
    for path in (deep, f"{long}/x"):
        await cabinet.fs_ok("write", path=path, content="")
    for path in (f"{deep}/b", deep[:-2], f"{long}/x/y", long):
        assert (await cabinet.fs_error("write", path=path, content=""))[0] == "invalid_argument", path
    await cabinet.fs_ok("write", path=f"{long}x", content="")
