"""`fs glob` over a session's files and results."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import msgspec
import pytest
from tests.support.filing import Cabinet

from coatcheck.testing import MemoryStore
from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_schemas.refs import parse_ref
from coatcheck_workers.filesystem.newest_of_calls import NewestOfCalls
from coatcheck_workers.retrieval.cursors import encode_cursor, question

FOLDER = "/large_tool_result"


async def test_files_that_match_come_in_order_with_what_is_known_of_them() -> None:
    cabinet = Cabinet()
    for path in ("b.py", "a.py", "src/c.py", "src/d.txt"):
        await cabinet.fs_ok("write", path=path, content="123")
    assert await cabinet.paths("glob", pattern="*.py") == ["/a.py", "/b.py"]
    assert await cabinet.paths("glob", pattern="**/*.py") == ["/a.py", "/b.py", "/src/c.py"]
    reply = await cabinet.fs_ok("glob", pattern="*", path="src")
    assert [(entry["path"], entry["bytes"], entry["is_dir"]) for entry in reply["entries"]] == [
        ("/src/c.py", 3, False),
        ("/src/d.txt", 3, False),
    ]


async def test_a_glob_below_nothing_or_a_file_says_so() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="d/a", content="")
    await cabinet.keep("text", call="c")
    for path in ("/nowhere", "/d/a/b", f"{FOLDER}/nobody"):
        assert (await cabinet.fs_error("glob", pattern="*", path=path))[0] == "not_found", path
    for path in ("/d/a", f"{FOLDER}/c"):
        code, message = await cabinet.fs_error("glob", pattern="*", path=path)
        assert (code, "is a file" in message) == ("invalid_argument", True)
    assert await cabinet.paths("glob", pattern="/d/*", path="/nowhere") == ["/d/a"]
    assert await cabinet.paths("glob", pattern="*", path="/d") == ["/d/a"]


@pytest.mark.parametrize("entry", ["../../../b/by-time/", "\x00", "x"])
async def test_a_cursor_that_names_no_entry_is_refused(entry: str) -> None:
    asked = question("glob", "s1", "**", "/")
    cursor = encode_cursor(asked, Forged("", entry))
    code, message = await Cabinet().fs_error("glob", pattern="**", cursor=cursor)
    assert (code, "cursor" in message) == ("invalid_argument", True)


class Forged(msgspec.Struct, frozen=True, array_like=True):
    name: str
    entry: str


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
async def test_a_glob_that_matches_everything_comes_in_pages_each_file_once(limit: int) -> None:
    cabinet = Cabinet()
    for n in range(5):
        await cabinet.fs_ok("write", path=f"d/{n}", content="")
    kept = [parse_ref(await cabinet.keep(f"{n}", call=f"c{n % 2}")).result_id for n in range(4)]
    await cabinet.enter("s1", kept[0], "t9", 1_790_000_000_500)
    found = await cabinet.paths("glob", pattern="**", limit=limit)
    calls = [f"{FOLDER}/c0", f"{FOLDER}/c1"]
    assert found[:5] == [f"/d/{n}" for n in range(5)]
    assert sorted(found[5:]) == sorted([f"{FOLDER}/{one}" for one in kept] + calls)


async def test_results_match_by_either_name() -> None:
    cabinet = Cabinet()
    old = parse_ref(await cabinet.keep("1", call="grep_1")).result_id
    new = parse_ref(await cabinet.keep("2", call="grep_1")).result_id
    assert await cabinet.paths("glob", pattern="grep_1", path=FOLDER) == [f"{FOLDER}/grep_1"]
    assert await cabinet.paths("glob", pattern="*-*", path=FOLDER) == [f"{FOLDER}/{old}", f"{FOLDER}/{new}"]


@pytest.mark.parametrize(("operation", "fields"), [("glob", {"pattern": "/large_tool_result/**"}), ("ls", {})])
async def test_where_calls_come_again_a_request_goes_through_the_session_once(
    operation: str, fields: dict[str, str]
) -> None:
    store = CountingStore()
    cabinet = Cabinet(store=store)
    for n in range(200):
        await cabinet.keep(f"{n}", call=f"c{n // 2}")
    asked: dict[str, Any] = {"path": FOLDER if operation == "ls" else "/", "limit": 200, **fields}
    cursor = (await cabinet.fs_ok(operation, **asked))["cursor"]
    store.listed = 0
    reply = await cabinet.fs_ok(operation, **asked, cursor=cursor)
    assert len(reply["entries"]) >= 100
    assert store.listed < 2000


async def test_a_walk_that_broke_off_is_begun_anew() -> None:
    store = CountingStore()
    cabinet = Cabinet(store=store)
    kept = [parse_ref(await cabinet.keep(f"{n}", call=f"c{n % 2}")).result_id for n in range(4)]
    async with aclosing(NewestOfCalls(cabinet.retrieval, "s1")) as newest:
        store.fails = True
        with pytest.raises(StoreUnavailable):
            await newest.of("c0")
        store.fails = False
        assert [await newest.of(call) for call in ("c0", "c1", "c2")] == [kept[2], kept[3], None]


async def test_a_pattern_or_cursor_that_is_none_is_refused() -> None:
    cabinet = Cabinet()
    for fields in ({"pattern": ""}, {"pattern": "../*"}, {"pattern": "*", "cursor": "x"}, {"pattern": "*", "limit": 0}):
        assert (await cabinet.fs_error("glob", **fields))[0] == "invalid_argument"


class CountingStore(MemoryStore):
    """It counts the names of time entries that it lists, or does not list them where it `fails`."""

    listed = 0
    fails = False

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        async for key in super().list(prefix, after=after):
            if "/by-time/" in key:
                if self.fails:
                    raise StoreUnavailable("it is not there")
                self.listed += 1
            yield key
