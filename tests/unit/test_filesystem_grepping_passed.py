"""What `fs grep` says of files that it could not search, and of the original that it did."""

from typing import Any

import pytest
from tests.support.filing import Cabinet

from coatcheck.testing import MemoryStore
from coatcheck_schemas.filesystem import MAX_PASSED
from coatcheck_schemas.refs import parse_ref

FOLDER = "/large_tool_result"
BINARY = b"\xff\x00needle\xfe"


def by_id(ref: str) -> str:
    return f"{FOLDER}/{parse_ref(ref).result_id}"


async def replies(cabinet: Cabinet, **fields: Any) -> list[dict[str, Any]]:
    """Page after page."""
    found = [await cabinet.fs_ok("grep", **fields)]
    while found[-1]["has_more"]:
        found.append(await cabinet.fs_ok("grep", **fields, cursor=found[-1]["cursor"]))
    return found


async def test_binary_results_below_a_folder_are_named() -> None:
    cabinet = Cabinet()
    path = by_id(await cabinet.keep(BINARY, call="binary"))
    await cabinet.keep("needle", call="text")
    reply = await cabinet.fs_ok("grep", pattern="needle")
    assert len(reply["matches"]) == 1
    assert reply["passed"] == [{"path": path, "why": "binary"}]
    assert reply["passed_count"] == 1


async def test_where_all_was_searched_nothing_is_said_of_it() -> None:
    cabinet = Cabinet()
    await cabinet.keep("needle", call="text")
    assert set(await cabinet.fs_ok("grep", pattern="needle")) == {"matches", "has_more", "cursor"}


async def test_a_glob_leaves_out_what_is_then_not_named_either() -> None:
    cabinet = Cabinet()
    await cabinet.keep(BINARY, call="binary")
    await cabinet.keep("needle", call="text")
    reply = await cabinet.fs_ok("grep", pattern="needle", glob="text")
    assert ("passed" in reply, len(reply["matches"])) == (False, 1)


@pytest.mark.parametrize("limit", [1, 2, 1000])
async def test_each_is_named_in_one_of_the_pages(limit: int) -> None:
    cabinet = Cabinet()
    binary = set()
    for n in range(5):
        binary.add(by_id(await cabinet.keep(BINARY + bytes([n]), call=f"b{n}")))
        await cabinet.keep(f"needle {n}\nneedle\n", call=f"t{n}")
    pages = await replies(cabinet, pattern="needle", limit=limit)
    named = [one["path"] for page in pages for one in page.get("passed", [])]
    assert (set(named), len(named)) == (binary, 5)
    assert sum(len(page["matches"]) for page in pages) == 10


async def test_of_very_many_the_first_are_named_and_all_are_counted() -> None:
    cabinet = Cabinet()
    for n in range(MAX_PASSED + 5):
        await cabinet.keep(BINARY + bytes([n]), call=f"b{n}")
    reply = await cabinet.fs_ok("grep", pattern="needle")
    assert (len(reply["passed"]), reply["passed_count"]) == (MAX_PASSED, MAX_PASSED + 5)


@pytest.mark.parametrize(("name", "why"), [("output", "damaged"), ("metadata.json", "damaged")])
async def test_a_damaged_result_is_named_and_the_others_are_searched(name: str, why: str) -> None:
    store = MemoryStore()
    cabinet = Cabinet(store=store)
    ref = await cabinet.keep("needle 1", call="a")
    await cabinet.keep("needle 2", call="b")
    await store.put(f"v1/sessions/s1/results/{parse_ref(ref).result_id}/{name}", b"{}")
    reply = await cabinet.fs_ok("grep", pattern="needle")
    assert reply["passed"] == [{"path": by_id(ref), "why": why}]
    assert [one["text"] for one in reply["matches"]] == ["needle 2"]


async def test_a_result_whose_bytes_are_gone_is_named() -> None:
    store = MemoryStore()
    cabinet = Cabinet(store=store)
    ref = await cabinet.keep("needle 1", call="a")
    await store.delete(f"v1/sessions/s1/results/{parse_ref(ref).result_id}/output")
    assert (await cabinet.fs_ok("grep", pattern="needle"))["passed"] == [{"path": by_id(ref), "why": "gone"}]


async def test_a_damaged_own_file_is_named_below_a_folder_and_an_error_by_itself() -> None:
    store = MemoryStore()
    cabinet = Cabinet(store=store)
    await cabinet.fs_ok("write", path="a", content="needle")
    await cabinet.fs_ok("write", path="b", content="needle")
    (key,) = [key async for key in store.list("v1/sessions/s1/files/versions/a/")]
    await store.put(key, b"{}\nneedle")
    reply = await cabinet.fs_ok("grep", pattern="needle")
    assert reply["passed"] == [{"path": "/a", "why": "damaged"}]
    assert [one["path"] for one in reply["matches"]] == ["/b"]
    assert (await cabinet.fs_error("grep", pattern="needle", path="a"))[0] == "internal"


async def test_a_name_without_a_file_is_not_found() -> None:
    store = MemoryStore()
    cabinet = Cabinet(store=store)
    await store.put("v1/sessions/s1/files/names/a", b"/a")
    assert (await cabinet.fs_error("grep", pattern="x", path="a"))[0] == "not_found"


async def test_the_original_that_a_path_names_is_told_and_pages_stay_with_it() -> None:
    cabinet = Cabinet()
    old = await cabinet.keep("x1\nx2\nx3\n", call="run")
    page = await cabinet.fs_ok("grep", pattern="x", path=f"{FOLDER}/run", limit=1)
    await cabinet.keep("other", call="run")
    rest = await cabinet.fs_ok("grep", pattern="x", path=f"{FOLDER}/run", cursor=page["cursor"])
    assert (page["ref"], rest["ref"]) == (old, old)
    assert [one["text"] for one in rest["matches"]] == ["x2", "x3"]
    assert "ref" not in await cabinet.fs_ok("grep", pattern="x", path=FOLDER)


async def test_a_minified_document_takes_one_request() -> None:
    cabinet = Cabinet()
    text = '{"rows": [' + ",".join(f'{{"id": {n}, "name": "somebody"}}' for n in range(100_000)) + "]}"
    await cabinet.keep(text, call="rows")
    await cabinet.fs_ok("write", path="rows.json", content=text)
    for path in ("", "rows.json", f"{FOLDER}/rows"):
        reply = await cabinet.fs_ok("grep", pattern='"id"', path=path)
        assert reply["has_more"] is False
        assert len(reply["matches"]) == (2 if path == "" else 1)
