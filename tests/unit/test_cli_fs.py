"""`coatcheck fs` on files in memory: what it prints and exits with."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from tests.support.filing import Cabinet
from tests.support.shelf_client import ShelfClient

from coatcheck.cli import main, work
from coatcheck.client.files import Files
from coatcheck_schemas.filesystem import FileEntry, GlobReply, GrepLine, GrepReply, PassedFile


class Command:
    """`coatcheck fs` in this process, its requests answered by a cabinet."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.client = ShelfClient(Cabinet())
        monkeypatch.setattr(work, "connected", self._connected)
        monkeypatch.delenv("COATCHECK_SESSION", raising=False)

    @asynccontextmanager
    async def _connected(self, invocation: object) -> AsyncIterator[ShelfClient]:
        yield self.client

    def run(self, *argv: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(main, ["fs", *argv], input=stdin)


@pytest.fixture
def fs(monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command(monkeypatch)


def test_a_file_is_written_edited_and_read(fs: Command) -> None:
    assert fs.run("write", "notes/a.txt", stdin="one\ntwo\n").stdout == "/notes/a.txt: 8 bytes, version 1\n"
    assert fs.run("edit", "notes/a.txt", "two", "2").stdout == "/notes/a.txt: 1 replaced, version 2\n"
    done = fs.run("read", "notes/a.txt", "--all")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "one\n2\n", "")
    assert fs.run("read", "notes/a.txt", "--numbered", "--offset", "-1").stdout == "     2\t2\n"


def test_a_file_on_disk_is_written(fs: Command, tmp_path: Path) -> None:
    source = tmp_path / "x"
    source.write_text("from disk")
    assert fs.run("write", "x", str(source)).exit_code == 0
    assert fs.run("read", "x").stdout == "from disk"


def test_a_page_says_how_to_go_on(fs: Command) -> None:
    fs.run("write", "a", stdin="1\n2\n3\n")
    done = fs.run("read", "a", "--limit", "2")
    assert done.stdout == "1\n2\n"
    assert "--offset 2 --unit lines" in done.stderr


def test_files_are_listed_and_globbed(fs: Command) -> None:
    for path in ("a.py", "src/b.py"):
        fs.run("write", path, stdin="x")
    assert [line.split()[-1] for line in fs.run("ls").stdout.splitlines()] == ["/a.py", "/large_tool_result/", "/src/"]
    assert [line.split()[-1] for line in fs.run("glob", "**/*.py").stdout.splitlines()] == ["/a.py", "/src/b.py"]
    entries = json.loads(fs.run("ls", "src", "--json").stdout)["entries"]
    assert [(one["path"], one["bytes"]) for one in entries] == [("/src/b.py", 1)]


def test_matches_are_printed_as_grep_does(fs: Command) -> None:
    fs.run("write", "a", stdin="one\ntwo\nthree\n")
    done = fs.run("grep", "TWO", "-i", "-C", "1")
    assert (done.exit_code, done.stdout) == (0, "/a-1-one\n/a:2:two\n/a-3-three\n")
    assert fs.run("grep", "t", "--count").stdout == "/a:2\n"
    assert fs.run("grep", "t", "--files").stdout == "/a\n"
    assert fs.run("grep", "nothing").exit_code == 1


class Hurried(ShelfClient):
    """Its workers find something in the third reply only: their time is over before."""

    def fs(self, session: str) -> Files:
        async def ask(operation: str, request: msgspec.Struct, ok: Any) -> Any:
            at = {None: "a", "a": "b", "b": None}[getattr(request, "cursor", None)]
            found = GrepLine(path="/log", line=7, text="the needle")
            entry = FileEntry(path="/log", is_dir=False, bytes=1, modified_at=None)
            if operation == "grep":
                passed = [PassedFile(path=f"/shot{at}", why="binary")]
                matches = [] if at else [found]
                return GrepReply(has_more=at is not None, cursor=at, matches=matches, passed=passed, passed_count=2)
            return GlobReply(has_more=at is not None, cursor=at, entries=[] if at else [entry])

        return Files(ask)


def test_what_takes_workers_longer_than_they_have_is_found_all_the_same(fs: Command) -> None:
    fs.client = Hurried(Cabinet())
    done = fs.run("grep", "needle")
    assert (done.exit_code, done.stdout) == (0, "/log:7:the needle\n")
    passed = "/shota (binary), /shotb (binary), /shotNone (binary) and 3 more"
    assert f"not searched: {passed}" in done.stderr
    assert fs.run("glob", "**/log").stdout.endswith("/log\n")


def test_an_error_is_a_line_that_says_what_to_do(fs: Command) -> None:
    fs.run("write", "a", stdin="x x")
    done = fs.run("edit", "a", "x", "y")
    assert done.exit_code == 1
    assert "occurs 2 times" in done.stderr
    assert "version is 1" in fs.run("write", "a", "--if-version", "0", stdin="").stderr
    assert "not UTF-8" in fs.run("write", "a", stdin=b"\xff").stderr
