"""`fs ls`, and results as files."""

from pathlib import Path

from tests.support.filing import Cabinet

from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.refs import parse_ref
from coatcheck_schemas.segments import encode_segment
from coatcheck_workers.storage import open_store


async def test_a_folder_shows_what_lies_directly_in_it() -> None:
    cabinet = Cabinet()
    for path in ("b", "a/x", "a/y/z", "a.txt"):
        await cabinet.fs_ok("write", path=path, content="12345")
    reply = await cabinet.fs_ok("ls")
    assert [(entry["path"], entry["is_dir"], entry["bytes"]) for entry in reply["entries"]] == [
        ("/a", True, None),
        ("/a.txt", False, 5),
        ("/b", False, 5),
        ("/large_tool_result", True, None),
    ]
    assert reply["entries"][2]["modified_at"].endswith("Z")
    assert await cabinet.paths("ls", path="/a") == ["/a/x", "/a/y"]
    assert await cabinet.paths("ls", path="/b") == ["/b"]


async def test_a_large_folder_comes_in_pages() -> None:
    cabinet = Cabinet()
    for n in range(25):
        await cabinet.fs_ok("write", path=f"d/{n:02d}", content="")
        await cabinet.fs_ok("write", path=f"d/{n:02d}x/y", content="")
    assert await cabinet.paths("ls", path="d", limit=7) == [f"/d/{n:02d}{end}" for n in range(25) for end in ("", "x")]


async def test_a_cursor_of_another_folder_is_refused() -> None:
    cabinet = Cabinet()
    for path in ("a/1", "a/2", "b/1"):
        await cabinet.fs_ok("write", path=path, content="")
    cursor = (await cabinet.fs_ok("ls", path="a", limit=1))["cursor"]
    assert (await cabinet.fs_error("ls", path="b", cursor=cursor))[0] == "invalid_argument"


async def test_sessions_see_their_own_files_alone() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="theirs", session="s2")
    await cabinet.keep("theirs", session="s2")
    assert await cabinet.paths("ls") == ["/large_tool_result"]
    assert await cabinet.paths("ls", path="/large_tool_result") == []


async def test_results_are_listed_by_their_ids_and_the_newest_by_its_call() -> None:
    cabinet = Cabinet()
    call = encode_segment("list dir/0")
    old, new = [parse_ref(await cabinet.keep(text, call=call)).result_id for text in ("old", "newest")]
    other = parse_ref(await cabinet.keep("x", call="b")).result_id
    folder = "/large_tool_result"
    wanted = sorted([f"{folder}/{name}" for name in (old, new, other, "list dir%2F0", "b")])
    assert await cabinet.paths("ls", path=folder) == wanted
    for limit in (1, 2, 3, 4):
        assert sorted(await cabinet.paths("ls", path=folder, limit=limit)) == wanted
    assert await cabinet.content(f"{folder}/list dir%2F0") == "newest"
    assert await cabinet.content(f"{folder}/{old}") == "old"
    entry = (await cabinet.fs_ok("ls", path=f"{folder}/list dir%2F0"))["entries"][0]
    assert (entry["path"], entry["bytes"], entry["is_dir"]) == (f"{folder}/list dir%2F0", 6, False)


async def test_pages_of_results_may_change_their_size() -> None:
    cabinet = Cabinet()
    for n in range(4):
        await cabinet.keep("x", call=f"call_{n}")
    folder = "/large_tool_result"
    wanted = await cabinet.paths("ls", path=folder)
    for first, then in ((1, 4), (1, 2), (3, 1)):
        page = await cabinet.fs_ok("ls", path=folder, limit=first)
        found = [entry["path"] for entry in page["entries"]]
        while page["has_more"]:
            page = await cabinet.fs_ok("ls", path=folder, limit=then, cursor=page["cursor"])
            found += [entry["path"] for entry in page["entries"]]
        assert sorted(found) == wanted


async def test_the_newest_of_a_call_is_the_one_that_came_last_though_it_was_there_before() -> None:
    cabinet = Cabinet()
    first = parse_ref(await cabinet.keep("first")).result_id
    await cabinet.keep("second")
    assert await cabinet.content("/large_tool_result/call_1") == "second"
    await cabinet.enter("s1", first, "t2", 1_790_000_100_000)
    assert await cabinet.content("/large_tool_result/call_1") == "first"


async def test_a_call_that_was_read_before_gives_what_came_since_and_not_what_was_deleted() -> None:
    cabinet = Cabinet()
    path = "/large_tool_result/call_1"
    old = parse_ref(await cabinet.keep("old")).result_id
    assert await cabinet.content(path) == await cabinet.content(path) == "old"
    await cabinet.keep("new")
    for key in [key async for key in cabinet.store.list(f"v1/sessions/s1/results/{old}/")]:
        await cabinet.store.delete(key)
    assert await cabinet.content(path) == "new"


async def test_a_result_is_read_by_lines_numbered() -> None:
    cabinet = Cabinet()
    await cabinet.keep("one\ntwo\n")
    page = await cabinet.fs_ok("read", path="/large_tool_result/call_1", offset=-1, numbered=True)
    assert page["content"] == "     2\ttwo\n"


async def test_results_are_read_only_and_what_is_none_is_not_found() -> None:
    cabinet = Cabinet()
    await cabinet.keep("x")
    for path in ("/large_tool_result", "/large_tool_result/call_1", "large_tool_result/new"):
        code, message = await cabinet.fs_error("write", path=path, content="")
        assert (code, "read-only" in message) == ("invalid_argument", True)
        assert (await cabinet.fs_error("edit", path=path, old_string="x", new_string="y"))[0] == "invalid_argument"
    for name in ("nobody", "call", "call_1/metadata.json", "../../s2", "*", "%", "call_1-" + "0" * 32):
        assert (await cabinet.fs_error("read", path=f"/large_tool_result/{name}"))[0] in (
            "not_found",
            "invalid_argument",
        )
    code, message = await cabinet.fs_error("read", path="/large_tool_result")
    assert (code, "is a folder" in message) == ("invalid_argument", True)


async def test_the_service_s_own_objects_are_no_files() -> None:
    cabinet = Cabinet()
    ref = parse_ref(await cabinet.keep("x"))
    for path in (f"results/{ref.result_id}/output", f"results/{ref.result_id}/metadata.json", "by-time", "files/names"):
        assert (await cabinet.fs_error("read", path=path))[0] == "not_found"


async def test_what_lies_among_the_names_and_is_none_is_passed_over() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="")
    names = "v1/sessions/s1/files/names"
    for name in ("a=2F=2E=2E=2Fb", "=41", "never-written", "x==" + "0" * 64):
        await cabinet.store.put(f"{names}/{name}", b"/../x")
    assert await cabinet.paths("ls") == ["/a", "/large_tool_result"]


async def test_a_folder_of_a_disk_keeps_files_as_well(tmp_path: Path) -> None:
    cabinet = Cabinet(store=open_store(StorageSettings(url=tmp_path.as_uri())))
    longest = "é" * 2000
    for path in ("a/b", "a/" + "c" * 300, longest):
        for n in range(12):
            await cabinet.fs_ok("write", path=path, content=str(n))
        assert (await cabinet.fs_ok("edit", path=path, old_string="11", new_string="twelve"))["version"] == "13"
        assert await cabinet.content(path) == "twelve"
    assert await cabinet.paths("ls") == ["/a", "/large_tool_result", f"/{longest}"]
    assert await cabinet.paths("ls", path="a") == ["/a/b", "/a/" + "c" * 300]
