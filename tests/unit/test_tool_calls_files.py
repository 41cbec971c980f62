"""What a model gets for its calls of the tools for files."""

import re
from typing import Any

import msgspec
import pytest
from tests.support.originals import Shelf
from tests.support.shelf_client import ShelfClient

from coatcheck.client.files import Files
from coatcheck.tools import ToolAnswer
from coatcheck.tools.calling import call_tool
from coatcheck_core.settings import load
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import FileCount, GrepReply

LOG = "".join(f"line {number} of the log\n" for number in range(5000))
MORE = re.compile(r"offset=(\d+) unit=(\w+)\]")
CURSOR = re.compile(r"cursor=([^\]]+)\]")


@pytest.fixture
def client() -> ShelfClient:
    return ShelfClient(Shelf())


async def called(client: ShelfClient, name: str, *by: str, **arguments: Any) -> ToolAnswer:
    settings = load(assignments=by)[0]
    answer = await call_tool(client, "s1", name, arguments, settings=settings)
    assert len(answer.text) <= settings.retrieval.tool_max_chars
    return answer


async def done(client: ShelfClient, name: str, *by: str, **arguments: Any) -> str:
    answer = await called(client, name, *by, **arguments)
    assert not answer.is_error, answer.text
    return answer.text


async def refused(client: ShelfClient, name: str, *by: str, **arguments: Any) -> str:
    answer = await called(client, name, *by, **arguments)
    assert answer.is_error, answer.text
    assert "\nWhat to do: " in answer.text
    return answer.text


async def all_lines(client: ShelfClient, name: str, *by: str, **arguments: Any) -> list[str]:
    """What the answers list, going on by their cursors."""
    lines: list[str] = []
    while True:
        head, _, content = (await done(client, name, *by, **arguments)).partition("\n")
        lines += content.splitlines()
        cursor = CURSOR.search(head)
        if cursor is None:
            return lines
        arguments["cursor"] = cursor[1]


async def test_a_file_is_written_edited_and_read(client: ShelfClient) -> None:
    assert re.fullmatch(
        r"\[wrote /notes/plan\.md: 15 bytes, version \d+\]",
        await done(client, "write_file", path="notes/plan.md", content="- one\n- two\n- 3"),
    )
    edited = await done(client, "edit_file", file_path="/notes/plan.md", oldString="two", new_string="2")
    assert re.fullmatch(r"\[edited /notes/plan\.md: 1 replaced, version \d+\]", edited)
    read = await done(client, "read_file", path="/notes/plan.md", numbered="true")
    assert re.match(r"\[/notes/plan\.md version \d+: lines 0 to 2 of 3, counted from 0; this is the end\]\n", read)
    assert read.endswith("     1\t- one\n     2\t- 2\n     3\t- 3")


async def test_an_error_names_the_tools_as_this_agent_has_them(client: ShelfClient) -> None:
    by = ("filesystem.ls_tool=dir_list", "filesystem.write_tool=put_file", "filesystem.glob_tool=find_files")
    folder = await refused(client, "read_file", *by, path="/")
    assert "/ is a folder: dir_list shows what is in it" in folder
    assert "What to do: dir_list and find_files show" in folder
    none = await refused(client, "read_file", *by, path="/large_tool_result/none")
    assert ": dir_list /large_tool_result shows those there are" in none
    await done(client, "put_file", *by, path="/a", content="x")
    empty = await refused(client, "edit_file", *by, path="/a", old_string="", new_string="y")
    assert "put_file writes a whole file" in empty
    assert "call edit_file again" in empty


async def test_an_edit_that_is_not_unique_changes_nothing_and_says_how_many(client: ShelfClient) -> None:
    await done(client, "write_file", path="/a", content="x x")
    assert "2" in await refused(client, "edit_file", path="/a", old_string="x", new_string="y")
    assert "2 replaced" in await done(client, "edit_file", path="/a", old_string="x", new_string="", replace_all=True)
    assert (await done(client, "read_file", path="/a")).endswith("\n ")


async def test_a_version_that_is_another_is_a_conflict_that_says_to_read_again(client: ShelfClient) -> None:
    await done(client, "write_file", path="/a", content="x", if_version="0")
    told = await refused(client, "write_file", path="/a", content="y", if_version="0")
    assert told.startswith("Error (conflict): ")
    assert "Read it again" in told


async def read_on(client: ShelfClient, path: str, *by: str, **first: Any) -> str:
    """All that the answers give, going on as each says."""
    pieces, arguments = [], {"path": path, **first}
    while True:
        head, _, content = (await done(client, "read_file", *by, **arguments)).partition("\n")
        pieces.append(content)
        following = MORE.search(head)
        if following is None:
            assert "this is the end" in head
            return "".join(pieces)
        arguments = {"path": path, "offset": following[1], "unit": following[2]}


GIANT = f"short\n{'長' * 3000}\nshort\n{'x' * 19_900}\n{'長' * 3000}\n{'y' * 30_000}\nlast"


@pytest.mark.parametrize("most", [2000, 20_000])
@pytest.mark.parametrize(
    "text", [LOG, GIANT, "長" * 19_990, "\n" * 3000], ids=["log", "giant", "one line", "empty lines"]
)
async def test_going_on_as_the_answers_say_gives_the_file(client: ShelfClient, text: str, most: int) -> None:
    await done(client, "write_file", path="/file", content=text)
    assert await read_on(client, "/file", f"retrieval.tool_max_chars={most}") == text
    await client.shelf.keep(text)
    assert await read_on(client, "/large_tool_result/call_1", f"retrieval.tool_max_chars={most}") == text


async def test_a_cut_line_goes_on_after_what_is_shown_without_its_number(client: ShelfClient) -> None:
    await done(client, "write_file", path="/file", content=GIANT)
    answer = await done(
        client, "read_file", "retrieval.tool_max_chars=2000", path="/file", offset=4, limit=1, numbered=True
    )
    offset = int(MORE.search(answer)[1])  # type: ignore[index]
    assert GIANT[:offset].endswith(answer.partition("\t")[2])


async def test_a_result_is_read_as_a_file_and_its_answer_names_it(client: ShelfClient) -> None:
    ref = await client.shelf.keep(LOG)
    result_id = ref.rpartition("/")[2]
    answer = await called(client, "read_file", path=f"/large_tool_result/{result_id}", limit=2)
    assert answer.text.endswith("\nline 0 of the log\nline 1 of the log\n")
    assert answer.source_ref == ref
    newest = await called(client, "read_file", path="/large_tool_result/call_1", offset=-1)
    assert newest.text.endswith("\nline 4999 of the log\n")
    assert newest.source_ref == ref
    searched = await called(client, "grep", pattern="4999", path="/large_tool_result/call_1")
    assert searched.source_ref == ref
    assert "invalid_argument" in await refused(client, "write_file", path="/large_tool_result/x", content="")


@pytest.mark.parametrize("most", [2000, 20_000])
async def test_a_folder_of_long_names_is_listed_page_by_page(client: ShelfClient, most: int) -> None:
    names = [f"/d/{number:02}{'n' * 150}" for number in range(60)]
    for name in names:
        await done(client, "write_file", path=name, content="")
    lines = await all_lines(client, "ls", f"retrieval.tool_max_chars={most}", path="/d")
    assert [line.partition(" ")[0] for line in lines] == names
    assert "/d/" in await all_lines(client, "ls")


async def test_files_are_found_by_name(client: ShelfClient) -> None:
    for path in ("/a.md", "/d/b.md", "/d/e/c.md", "/d/c.txt"):
        await done(client, "write_file", path=path, content="x")
    lines = await all_lines(client, "glob", pattern="**/*.md", path="/d", limit=1)
    assert [line.partition(" ")[0] for line in lines] == ["/d/b.md", "/d/e/c.md"]


async def test_lines_are_found_in_files_with_those_around_them(client: ShelfClient) -> None:
    await done(client, "write_file", path="/d/a", content="one\ntwo\nthree\n")
    await done(client, "write_file", path="/d/b", content="TWO\n")
    text = await done(client, "grep", pattern="^two", path="/d", ignore_case=True, before=1)
    assert text == "[matching lines: 2]\n/d/a\n1-one\n2:two\n/d/b\n1:TWO"
    assert await done(client, "grep", pattern="o", path="/d", mode="files") == "[paths: 1]\n/d/a"
    assert await done(client, "grep", pattern="o", path="/d", mode="count") == "[paths: 1]\n/d/a: 2"
    assert await done(client, "grep", pattern="nowhere", path="/d") == "[nothing found]"


async def test_as_many_lines_are_read_as_are_asked_for_and_fit(client: ShelfClient) -> None:
    await done(client, "write_file", path="/many", content="a line\n" * 5000)
    head, _, content = (await done(client, "read_file", path="/many", limit=2000)).partition("\n")
    assert content == "a line\n" * 2000
    assert "lines 0 to 1999 of 5000" in head
    all_that_fit = await done(client, "read_file", path="/many", limit=-1)
    assert all_that_fit.count("\n") > 2300


class Cramped(ShelfClient):
    """Its messages carry little: the client says so, or where `by` is `value` the worker."""

    by = "max_bytes"

    def fs(self, session: str) -> Files:
        async def ask(operation: str, request: msgspec.Struct, ok: Any) -> Any:
            details: dict[str, Any] = {self.by: 1024, "limit": "requests.body_bytes" if self.by == "value" else ""}
            raise RequestError(
                Code.TOO_LARGE, "9999 bytes are more than the 1024 of a message: ask for less", **details
            )

        return Files(ask)


@pytest.mark.parametrize("by", ["max_bytes", "value"])
async def test_what_is_too_large_to_write_is_told_with_the_writer_s_way_out(by: str) -> None:
    client = Cramped(Shelf())
    client.by = by
    told = await refused(client, "write_file", path="/a", content="x")
    assert "1024" in told
    assert "split the text over several files" in told
    assert "publish it as a result" in told
    assert told.endswith("What to do: Split the text over several files, each written by a call of its own.")
    assert "several files" in await refused(client, "edit_file", path="/a", old_string="x", new_string="y")
    assert told != await refused(client, "read_file", path="/a")


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_what_could_not_be_searched_is_named(client: ShelfClient, language: str) -> None:
    for number in range(5):
        await client.shelf.keep(b"\xff\x00" + bytes([number]), call=f"shot{number}")
    by = [f"stub.language={language}", "retrieval.tool_max_chars=2000"]
    text = await done(client, "grep", *by, pattern="nowhere")
    assert re.search(r"5.*/large_tool_result/shot0-\w+ \(binary\), ", text)


class Hurried(ShelfClient):
    """Its workers' time for a grep is always over before they found any."""

    def fs(self, session: str) -> Files:
        async def ask(operation: str, request: msgspec.Struct, ok: Any) -> Any:
            return GrepReply(has_more=True, cursor="further", matches=[])

        return Files(ask)


async def test_a_grep_that_ran_out_of_time_does_not_say_that_there_is_nothing() -> None:
    text = await done(Hurried(Shelf()), "grep", pattern="nowhere", path="/d")
    assert text.startswith("[none found so far, but not all were looked at; there is more: call grep ")
    assert CURSOR.search(text)


class Halting(ShelfClient):
    """Its workers' time for a grep is over amid a file."""

    def fs(self, session: str) -> Files:
        async def ask(operation: str, request: msgspec.Struct, ok: Any) -> Any:
            return GrepReply(has_more=True, cursor="further", counts=[FileCount(path="/a", count=7)])

        return Files(ask)


async def test_a_count_that_may_go_on_in_the_next_answer_says_so(client: ShelfClient) -> None:
    text = await done(Halting(Shelf()), "grep", pattern="x", mode="count")
    assert "if the last file comes again in the next answer, its count goes on there: add them up" in text
    await done(client, "write_file", path="/a", content="x")
    assert "add them up" not in await done(client, "grep", pattern="x", mode="count")


@pytest.mark.parametrize("most", [2000, 20_000])
async def test_a_grep_of_many_lines_goes_on_by_its_cursor(client: ShelfClient, most: int) -> None:
    await done(client, "write_file", path="/log", content=LOG)
    lines = await all_lines(
        client, "grep", f"retrieval.tool_max_chars={most}", pattern="77 of", path="/log", limit=1000
    )
    found = [int(line.partition(":")[0]) for line in lines if line != "/log"]
    assert found == [number + 1 for number in range(5000) if number % 100 == 77]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("read_file", {}, "path is missing"),
        ("read_file", {"path": "/nothing"}, "ls and glob show which files there are"),
        ("read_file", {"path": "../../etc/passwd"}, "Error ("),
        ("read_file", {"path": "x" * 5000}, "invalid_argument"),
        ("read_file", {"path": "/a\0b"}, "Error ("),
        ("write_file", {"path": "/a"}, "content is missing"),
        ("write_file", {"path": "/a", "content": {"a": 1}}, 'content must be a text, it is {"a":1}'),
        ("write_file", {"path": "/a", "content": "x", "mode": "w"}, "mode: there is no such argument"),
        ("edit_file", {"path": "/a", "old_string": "", "new_string": "x"}, "Error ("),
        (
            "edit_file",
            {"path": "/a", "old_string": "x", "new_string": "y", "count": 1},
            "count: there is no such argument",
        ),
        ("glob", {"pattern": "x" * 2000}, "invalid_argument"),
        ("grep", {"pattern": "("}, "invalid_argument"),
        ("grep", {"pattern": "x", "mode": "lines"}, "mode must be one of content, files, count"),
    ],
)
async def test_what_a_model_did_wrong_with_files_is_told(
    client: ShelfClient, name: str, arguments: dict[str, Any], told: str
) -> None:
    assert told in await refused(client, name, **arguments)
