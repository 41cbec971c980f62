"""The commands that read, search, list and delete, on answers in memory: what they ask, print and exit with."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from click.testing import CliRunner, Result
from tests.support.requested import REF, Answer, finder_of, reader_of, requests_on

from coatcheck.cli import main, paging, work
from coatcheck.cli.moments import to_moment
from coatcheck.client.requesting import Requests
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.requests import DeleteReply, ListReply, ReadReply

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
GOLDEN = (Path(__file__).parents[2] / "schemas/golden/metadata.json").read_bytes()
TEXT = "".join(f"line {number}\n" for number in range(100))


class Command:
    """`coatcheck` in this process, its requests answered by `answer`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
        self.requests, self.connection = requests_on(answer)
        monkeypatch.setattr(work, "connected", self._connected)
        monkeypatch.delenv("COATCHECK_SESSION", raising=False)

    @asynccontextmanager
    async def _connected(self, invocation: object) -> AsyncIterator[Requests]:
        yield self.requests

    def run(self, *argv: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(main, argv, input=stdin)

    @property
    def asked(self) -> list[tuple[str, dict[str, Any]]]:
        return self.connection.asked


def test_follow_pages_writes_the_original_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Command(monkeypatch, reader_of(TEXT, budget=50))
    done = command.run("read", REF, "--follow-pages")
    assert (done.exit_code, done.stdout, done.stderr) == (0, TEXT, "")
    assert command.asked[0] == ("coat.read.a=2Eb", {"ref": REF, "limit": -1})


def test_follow_pages_writes_bytes_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Command(monkeypatch, reader_of("é" * 100, budget=50)).run("read", REF, "--follow-pages", "--unit", "bytes")
    assert done.stdout_bytes == ("é" * 100).encode()


def test_follow_pages_takes_a_negative_offset_numbers_and_a_size_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Command(monkeypatch, reader_of(TEXT))
    done = command.run("read", REF, "--follow-pages", "--numbered", "--offset", "-3", "--limit", "2")
    assert done.stdout == "    98\tline 97\n    99\tline 98\n   100\tline 99\n"
    assert [fields["limit"] for _, fields in command.asked] == [2, 2]


def test_follow_pages_gives_a_reply_a_line_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Command(monkeypatch, reader_of(TEXT)).run("read", REF, "--follow-pages", "--json", "--limit", "300")
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(replies) > 1
    assert "".join(one["content"] for one in replies) == TEXT


@pytest.mark.parametrize(
    ("argv", "total"),
    [((), 300), (("--unit", "bytes"), 300), (("--offset", "-40"), 120), (("--unit", "lines"), 300)],
    ids=str,
)
def test_progress_ends_with_all_that_is_to_be_read(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], total: int
) -> None:
    shown: list[tuple[int | None, int]] = []

    class Bar:
        def __init__(self, name: str, total: int | None) -> None:
            self.total = total

        def update(self, done: int) -> None:
            shown.append((self.total, done))

        def __exit__(self, *error: object) -> None:
            shown.append((0, 0))

    monkeypatch.setattr(paging, "Bar", Bar)
    command = Command(monkeypatch, reader_of("搜" * 100, budget=50))
    assert command.run("read", REF, "--follow-pages", *argv).exit_code == 0
    assert len(shown) > 2
    assert shown[-2:] == [(total, total), (0, 0)]


def test_one_page_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Command(monkeypatch, reader_of(TEXT)).run("read", REF, "--limit", "4")
    assert (done.stdout, done.stderr) == (
        "line",
        "there is more: go on with --offset 4 --unit chars --limit 4, or --follow-pages for all\n",
    )


def test_metadata_is_shown_in_place_of_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Command(monkeypatch, with_metadata)
    assert json.loads(command.run("read", REF, "--metadata").stdout)["tool_name"] == "ls"
    beside = json.loads(command.run("read", REF, "--metadata", "--json").stdout)
    assert (beside["content"], beside["metadata"]["tool_name"]) == (TEXT[:20], "ls")


def with_metadata(subject: str, fields: dict[str, Any]) -> ReadReply:
    page = reader_of(TEXT)(subject, fields)
    assert isinstance(page, ReadReply)
    return msgspec.structs.replace(page, metadata=metadata_of("ls"))


def test_an_error_on_the_way_ends_what_was_written_so_far_with_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(subject: str, fields: dict[str, Any]) -> msgspec.Struct:
        if fields.get("offset"):
            raise RequestError(Code.GONE, "deleted at noon")
        return reader_of(TEXT, budget=50)(subject, fields)

    done = Command(monkeypatch, answer).run("read", REF, "--follow-pages")
    assert (done.exit_code, done.stderr) == (1, "error: gone: deleted at noon\n")
    assert TEXT.startswith(done.stdout)
    assert done.stdout


def test_search_passes_its_options_on(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Command(monkeypatch, finder_of([[1]]))
    done = command.run("search", "a|b", "--regex", "-i", "-w", "-v", "--ref", REF, "--context", "5", "--limit", "7")
    options = {"regex": True, "ignore_case": True, "whole_word": True, "invert": True}
    assert command.asked == [
        ("coat.search.a=2Eb", {"query": "a|b", "ref": REF, "context_chars": 5, "limit": 7, **options})
    ]
    assert (done.exit_code, done.stderr) == (0, "1 match\n")


@pytest.mark.parametrize("argv", [(), ("--all",), ("--json",), ("--json", "--all")], ids=str)
def test_the_exit_code_is_1_where_nothing_is_found(monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]) -> None:
    assert Command(monkeypatch, finder_of([[], []])).run("search", "x", *argv).exit_code == 1


@pytest.mark.parametrize("argv", [(), ("--all",), ("--json",), ("--json", "--all")], ids=str)
def test_a_search_that_ran_out_of_time_before_its_first_match_goes_on(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    command = Command(monkeypatch, finder_of([[], [], [5]]))
    assert command.run("search", "x", *argv).exit_code == 0
    assert [fields.get("cursor") for _, fields in command.asked] == [None, "1", "2"]


def test_search_for_all_goes_on_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Command(monkeypatch, finder_of([[1, 2], [], [400]]))
    done = command.run("search", "x", "--all")
    assert done.stderr == "3 matches\n"
    assert done.stdout.count(REF) == 2
    lines = command.run("search", "x", "--all", "--json").stdout.splitlines()
    assert [json.loads(line)["offset"] for line in lines] == [1, 2, 400]


def metadata_of(tool: str) -> Metadata:
    return msgspec.structs.replace(msgspec.json.decode(GOLDEN, type=Metadata), tool_name=tool)


def lister_of(pages: list[list[str]]) -> Answer:
    """A worker that lists results of these tools, a reply after the other."""

    def answer(subject: str, fields: dict[str, Any]) -> ListReply:
        at = int(fields.get("cursor", 0))
        more = at + 1 < len(pages)
        results = [metadata_of(tool) for tool in pages[at]]
        return ListReply(tool_results=results, has_more=more, cursor=str(at + 1) if more else None)

    return answer


def test_list_passes_its_filters_on(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Command(monkeypatch, lister_of([[]]))
    since = "2026-01-31T23:59:59Z"
    command.run("list", "--tool", "ls", "--kind", "json", "--turn", "", "--since", since, "--newest", "--limit", "3")
    filters = {"tool_name": "ls", "kind": "json", "turn_id": "", "since": since, "order": "newest", "limit": 3}
    assert command.asked == [("coat.list.default", filters)]


@pytest.mark.parametrize(
    ("argv", "order"),
    [((), None), (("--order", "newest"), "newest"), (("--newest",), "newest"), (("--order", "oldest"), None)],
    ids=str,
)
def test_list_takes_its_order_by_either_option(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], order: str | None
) -> None:
    command = Command(monkeypatch, lister_of([[]]))
    assert command.run("list", *argv).exit_code == 0
    assert command.asked[0][1].get("order") == order


def test_list_for_all_goes_on_to_the_end_under_one_header(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [["tool"] * 400, [], ["tool"] * 201]
    done = Command(monkeypatch, lister_of(pages)).run("list", "--all")
    rows = done.stdout.splitlines()
    assert (len(rows), done.stdout.count("created"), done.stderr) == (602, 1, "")
    assert len({row.index("coat://") for row in rows[1:]}) == 1
    lines = Command(monkeypatch, lister_of(pages)).run("list", "--all", "--json").stdout.splitlines()
    assert [json.loads(line)["tool_name"] for line in lines] == ["tool"] * 601


def test_list_goes_on_where_a_time_limit_left_nothing_but_a_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Command(monkeypatch, lister_of([[], [], ["ls"]])).run("list")
    assert ("ls" in done.stdout, done.stderr) == (True, "")


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("90s", "2026-01-31T11:58:30.000Z"),
        ("2h", "2026-01-31T10:00:00.000Z"),
        ("7d ago", "2026-01-24T12:00:00.000Z"),
        ("1w", "2026-01-24T12:00:00.000Z"),
        ("2026-01-31T23:59:59+01:00", "2026-01-31T23:59:59+01:00"),
    ],
)
def test_a_time_is_given_or_counted_back_from_now(value: str, moment: str) -> None:
    assert to_moment(value, NOW) == moment


@pytest.mark.parametrize("value", ["", "yesterday", "2026-01-31", "2026-01-31T23:59:59", "2x", "999999999w", "-2h"])
def test_what_is_no_time_is_refused_with_what_one_looks_like(value: str) -> None:
    with pytest.raises(click.BadParameter, match="RFC 3339 with a zone"):
        to_moment(value, NOW)


def deleter(subject: str, fields: dict[str, Any]) -> DeleteReply:
    return DeleteReply(deleted=1 if "ref" in fields else 2000)


def test_delete_asks_for_one_result_or_for_all_of_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Command(monkeypatch, deleter)
    one = command.run("delete", REF, "--yes")
    every = command.run("delete", "--all", "--session", "s", "-y")
    assert command.asked == [("coat.delete.a=2Eb", {"ref": REF}), ("coat.delete.s", {"all": True})]
    assert (one.stderr, every.stderr) == ("deleted 1 result\n", "deleted 2,000 results\n")
    assert json.loads(command.run("delete", REF, "--yes", "--json").stdout) == {"deleted": 1}


@pytest.mark.parametrize("argv", [(REF,), ("--all",)], ids=str)
def test_delete_without_anyone_to_ask_is_refused(monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]) -> None:
    command = Command(monkeypatch, deleter)
    done = command.run("delete", *argv, stdin="y\n")
    assert (done.exit_code, "say --yes" in done.stderr, command.asked) == (2, True, [])


@pytest.mark.parametrize(("answer", "code", "requests"), [("y\n", 0, 1), ("n\n", 1, 0), ("\n", 1, 0), ("", 130, 0)])
def test_delete_asks_whoever_sits_there(monkeypatch: pytest.MonkeyPatch, answer: str, code: int, requests: int) -> None:
    command = Command(monkeypatch, deleter)
    monkeypatch.setattr("coatcheck.cli.commands.delete._somebody_is_there", lambda: True)
    done = command.run("delete", REF, stdin=answer)
    assert (done.exit_code, len(command.asked)) == (code, requests)
    assert "for good? [y/N]" in done.stderr


@pytest.mark.parametrize("argv", [(), (REF, "--all", "--yes")], ids=str)
def test_delete_takes_exactly_one_of_a_reference_and_all(
    monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    command = Command(monkeypatch, deleter)
    assert (command.run("delete", *argv).exit_code, command.asked) == (2, [])
