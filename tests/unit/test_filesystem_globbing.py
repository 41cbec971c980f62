"""`fs glob` over a session's files and results."""

import pytest
from tests.support.filing import Cabinet

from coatcheck_schemas.refs import parse_ref

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


async def test_a_pattern_or_cursor_that_is_none_is_refused() -> None:
    cabinet = Cabinet()
    for fields in ({"pattern": ""}, {"pattern": "../*"}, {"pattern": "*", "cursor": "x"}, {"pattern": "*", "limit": 0}):
        assert (await cabinet.fs_error("glob", **fields))[0] == "invalid_argument"
