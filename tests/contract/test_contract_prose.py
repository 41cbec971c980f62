"""The wire contract in prose says what the code does: its tables and its examples are read and tried."""

import ast
import inspect
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from coatcheck_core.assembling import MAX_EARLY_BYTES, MAX_PIECES
from coatcheck_core.failure import letter_headers
from coatcheck_core.original.frames import OUR_INDEX
from coatcheck_core.paging import GIANT_LINE_CHARS
from coatcheck_core.searching.expressions import MAX_PROGRAM_BYTES
from coatcheck_core.searching.found import SHOWN_CHARS
from coatcheck_core.searching.matching import LONGEST_BYTES
from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import OnStoreFailure, RequestsSettings
from coatcheck_schemas import clearing, events, filesystem, metadata, requests, results
from coatcheck_schemas.blocks import BLOCK_TYPES
from coatcheck_schemas.clearing import ClearRequest
from coatcheck_schemas.direct import MAX_PUT_BYTES
from coatcheck_schemas.errors import Code, InvalidSegment
from coatcheck_schemas.events import (
    Disposition,
    Reason,
    SettledBy,
    SettledResult,
    StubEvent,
    ToolResult,
    TurnEnd,
    TurnSettled,
)
from coatcheck_schemas.letters import BODY_HEADER, OMITTED_HEADER
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.pieces import MAX_REASON_CHARS, failed_headers, final_headers, piece_headers
from coatcheck_schemas.requests import (
    DELETE_SECONDS,
    MAX_LIMIT,
    MAX_LINK_SECONDS,
    REQUEST_SECONDS,
    DeleteRequest,
    LinkRequest,
    ListRequest,
    ReadRequest,
    ReplayRequest,
    SearchRequest,
    UploadRequest,
)
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.segments import check_segment, encode_segment
from coatcheck_schemas.subjects import VERBS, Subjects
from coatcheck_schemas.synopsis import Kind

NOW = datetime.now(UTC)
ROOT = Path(__file__).resolve().parents[2]
PROSE = (ROOT / "schemas" / "README.md").read_text()
EXAMPLES: list[tuple[str, str]] = re.findall(r"^```json (\w+)\n(.*?)^```$", PROSE, re.DOTALL | re.MULTILINE)
HEADERS: list[tuple[str, str]] = re.findall(r"^```http (\w+)\n(.*?)^```$", PROSE, re.DOTALL | re.MULTILINE)


def table(heading: str, first_cell: str) -> list[list[str]]:
    """The rows of the first table under a heading whose first column has this title, without backticks."""
    section = PROSE.partition(f"\n{heading}\n")[2]
    assert section, f"no heading {heading!r}"
    rows = re.search(rf"^\| {re.escape(first_cell)} \|.*\n\| ---.*\n((?:\|.*\n)+)", section, re.MULTILINE)
    assert rows is not None, f"no table of {first_cell!r} under {heading!r}"
    return [re.split(r"\s*\|\s*", line.strip("|").strip()) for line in rows[1].splitlines()]


def names(cell: str) -> list[str]:
    """The words in backticks."""
    return re.findall(r"`([^`]*)`", cell)


def struct_named(name: str) -> type[msgspec.Struct]:
    found = [vars(module)[name] for module in (events, metadata, requests, clearing) if name in vars(module)]
    kind: type[msgspec.Struct] = found[0]
    return kind


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[f"{n}-{name}" for n, (name, _) in enumerate(EXAMPLES)])
def test_an_example_is_what_it_is_said_to_be(name: str, text: str) -> None:
    kind = struct_named(name)
    written = json.loads(msgspec.json.encode(msgspec.json.decode(text, type=kind)))
    given = json.loads(text)
    assert given.items() <= written.items()
    if kind not in (ToolResult, TurnEnd) and not name.endswith("Request"):
        assert written == given


def test_every_shape_that_a_client_meets_has_an_example() -> None:
    shapes = "ToolResult TurnEnd StubEvent TurnSettled Reply ReadRequest ReadReply SearchReply ListReply ReplayReply"
    assert {name for name, _ in EXAMPLES} == {
        *shapes.split(),
        *("UploadReply", "LinkReply", "DeleteRequest", "DeleteReply", "ClearRequest", "ClearReply"),
    }


@pytest.mark.parametrize("text", [text for name, text in EXAMPLES if name == "ToolResult"])
def test_the_examples_of_results_decode(text: str) -> None:
    assert decode_result(None, text.encode()).tool_name


def test_the_example_of_the_binary_encoding_decodes() -> None:
    ((_, text),) = HEADERS
    received = decode_result(dict(line.split(": ", 1) for line in text.splitlines()), b"a,b\n")
    assert (received.tool_name, received.session_id, received.call_id) == ("搜 索", "thread:42/a b", "toolu_01")
    assert (received.mime_type, received.text) == ("text/csv", "a,b\n")


@pytest.mark.parametrize("row", table("## Ids and segments", "id (as JSON)"), ids=lambda row: row[1][:30])
def test_the_table_of_segments_is_right(row: list[str]) -> None:
    (identifier,), (segment,) = names(row[0]), names(row[1])
    assert encode_segment(json.loads(identifier)) == segment
    count = re.search(r"\((\d+)\)", row[0])
    assert count is None or len(json.loads(identifier)) == int(count[1])


@pytest.mark.parametrize("segment", ["=41", "=FF", "=2e", "*", "a.b"])
def test_what_is_said_to_be_no_segment_is_none(segment: str) -> None:
    assert f"`{segment}`" in PROSE
    with pytest.raises(InvalidSegment):
        check_segment(segment)


def test_the_fields_of_a_stub_event_are_all_there() -> None:
    told = [name for row in table("## The stub event", "field") for name in names(row[0])]
    assert sorted(told) == sorted(StubEvent.__struct_fields__)


def test_the_fields_of_a_result_are_all_there() -> None:
    told = [name for row in table("### As JSON", "field") for name in names(row[0])]
    assert sorted(told) == sorted(ToolResult.__struct_fields__)


@pytest.mark.parametrize(
    ("heading", "kind"),
    {"### The end of a turn": TurnEnd, "### The manifest": TurnSettled, "Of each result:": SettledResult}.items(),
)
def test_the_fields_of_a_turn_s_messages_are_all_there(heading: str, kind: type[msgspec.Struct]) -> None:
    told = [name for row in table(heading, "field") for name in names(row[0])]
    assert sorted(told) == sorted(kind.__struct_fields__)


def test_each_way_to_go_on_without_the_store_is_told_and_the_default_named() -> None:
    told = {names(row[0])[0]: row[0] for row in table("## Where object storage fails", "`on_store_failure`")}
    assert list(told) == list(get_args(OnStoreFailure))
    assert [name for name, cell in told.items() if "default" in cell] == [Settings().on_store_failure]


@pytest.mark.parametrize(
    ("heading", "kind"),
    {
        "### read": ReadRequest,
        "### search": SearchRequest,
        "### list": ListRequest,
        "### replay": ReplayRequest,
        "### upload": UploadRequest,
        "### link": LinkRequest,
        "### delete": DeleteRequest,
    }.items(),
)
def test_the_fields_and_defaults_of_a_request_are_right(heading: str, kind: type[msgspec.Struct]) -> None:
    told: dict[str, Any] = {}
    for field, default, *_ in table(heading, "field"):
        told[names(field)[0]] = json.loads(names(default)[0]) if default else msgspec.NODEFAULT
    assert told == {field.name: default_of(field) for field in msgspec.structs.fields(kind)}


def test_the_rules_of_clear_and_their_defaults_are_right() -> None:
    """Absent they are as the deployment's settings say: the table has what those are by default."""
    usual = msgspec.to_builtins(Settings().clearing) | {"messages": msgspec.NODEFAULT, "tools": {}, "retrieval": True}
    told = {
        names(field)[0]: json.loads(names(default)[0]) if default else msgspec.NODEFAULT
        for field, default, *_ in table("### clear", "field")
    }
    assert told == {name: list(value) if isinstance(value, tuple) else value for name, value in usual.items()}
    assert set(told) == set(ClearRequest.__struct_fields__)


FILE_REQUESTS = {
    "ls": (filesystem.LsRequest, filesystem.LsReply),
    "read": (filesystem.FileReadRequest, None),
    "write": (filesystem.WriteRequest, filesystem.WriteReply),
    "edit": (filesystem.EditRequest, filesystem.EditReply),
    "glob": (filesystem.GlobRequest, None),
    "grep": (filesystem.GrepRequest, filesystem.GrepReply),
}


@pytest.mark.parametrize(("operation", "kinds"), FILE_REQUESTS.items())
def test_the_fields_of_a_request_for_files_and_its_reply_are_told(
    operation: str, kinds: tuple[type[msgspec.Struct], type[msgspec.Struct] | None]
) -> None:
    assert tuple(FILE_REQUESTS) == filesystem.OPERATIONS
    (row,) = [row for row in table("### Files", "request") if names(row[0]) == [operation]]
    for kind, cell in zip(kinds, row[1:3], strict=True):
        if kind is not None:
            assert set(kind.__struct_fields__) <= set(re.findall(r"\w+", cell))


def default_of(field: msgspec.structs.FieldInfo) -> Any:
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def test_the_codes_and_their_numbers_are_right() -> None:
    told = {names(row[0])[0]: int(row[1]) for row in table("## Requests", "code")}
    assert told == {str(code): code.number for code in Code}


def test_every_subject_is_told() -> None:
    told = " ".join(row[0] for row in table("## Subjects", "subject"))
    for verb in VERBS:
        assert f"`{Subjects('coat').request(verb, 'SESSION')}`" in told
    for subject in ("coat.results.SESSION.TURN.CALL", "coat.stubs.SESSION.TURN.RESULT_ID", "coat.fs.SESSION.OP"):
        assert f"`{subject}`" in told


@pytest.mark.parametrize("word", [*get_args(Disposition), *get_args(Reason), *get_args(SettledBy), *BLOCK_TYPES])
def test_every_word_of_the_wire_is_told(word: str) -> None:
    assert f"`{word}`" in PROSE


def test_every_kind_is_told() -> None:
    assert f"`{' '.join(get_args(Kind))}`" in PROSE


def test_every_attribute_of_the_binary_encoding_is_told() -> None:
    source = inspect.getsource(results)
    attributes = re.findall(r'_(?:header|integer|boolean)\(headers, "(\w+)"', source)
    assert len(attributes) > 8
    assert [name for name in attributes if f"ce-{name}" not in PROSE] == []


def test_every_header_of_a_piece_is_told() -> None:
    told = [name for row in table("### In pieces", "header") for name in names(row[0])]
    sent = [
        *piece_headers("m", 0),
        *final_headers("m", count=1, size=1, sha256="0" * 64, is_error=True),
        *failed_headers("m", "why"),
    ]
    assert set(told) == set(sent)


def test_the_fields_that_tell_how_an_original_is_stored_are_fields_of_metadata() -> None:
    told = [name for row in table("## Storage", "field") for name in names(row[0])]
    assert set(told) <= set(Metadata.__struct_fields__)
    assert len(told) > 5


def test_every_header_of_a_dead_letter_is_told() -> None:
    told = [name for row in table("## Dead letters", "header") for name in names(row[0])]
    headers = letter_headers(
        None, message_id="", subject="", reason="", error="", attempts=1, received_at=datetime.now(UTC)
    )
    assert sorted(told) == sorted([*headers, BODY_HEADER, OMITTED_HEADER, "Coat-Original-..."])


def reasons_in_the_code() -> set[str]:
    """The first argument of every InvalidResult that is made."""
    trees = [
        ast.parse(path.read_text())
        for folder in ("schemas", "core", "workers")
        for path in (ROOT / folder).rglob("*.py")
    ]
    assigned = [node for tree in trees for node in tree.body if isinstance(node, ast.Assign)]
    imported = {ast.unparse(node.targets[0]): node.value for node in assigned}
    found = set()
    for tree in trees:
        own = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "InvalidResult":
                reason = {**imported, **own}.get(ast.unparse(node.args[0]), node.args[0])
                found.add(str(ast.literal_eval(reason)))
    return found


def test_every_reason_of_a_dead_letter_is_told() -> None:
    (told,) = [names(row[1]) for row in table("## Dead letters", "header") if "Coat-Reason" in row[0]]
    assert sorted(told) == sorted(
        reasons_in_the_code() | {"invalid_subject", "internal", "store_failure", "killed_worker"}
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("`result.threshold` ({})", Settings().result.threshold),
        ("`turn.inline_budget` ({})", Settings().turn.inline_budget),
        ("`turn.deadline_seconds` ({})", f"{Settings().turn.deadline_seconds:g}"),
        ("`storage.retry_seconds` ({})", f"{Settings().storage.retry_seconds:g}"),
        ("at most its first {} chars", events.MAX_MANIFEST_ID_CHARS),
        ("`stub.max_chars` ({})", Settings().stub.max_chars),
        ("`upload.idle_seconds` ({})", f"{Settings().upload.idle_seconds:g}"),
        ("`upload.expires_seconds` ({})", Settings().upload.expires_seconds),
        ("0 to {} (5 GiB)", MAX_PUT_BYTES),
        ("1 to {}, a week", MAX_LINK_SECONDS),
        ("at most {} chars", MAX_REASON_CHARS),
        ("from 0, at most {}", MAX_PIECES),
        ("are kept up to {} MiB", MAX_EARLY_BYTES // 1024**2),
        ("(magic number 0x{:X}) with the index", OUR_INDEX),
        ("`requests.inbox_prefixes` (`{}`, and", Settings().requests.inbox_prefixes[0]),
        ("Keep body and headers {} bytes under it", events.MESSAGE_RESERVE_BYTES),
        ("at least {} bytes under `max_payload`", events.EVENT_RESERVE_BYTES),
        ("up to {} UTF-8 bytes", 4096),
        ("It ends before a line of over {} chars", GIANT_LINE_CHARS),
        ("A match has at most {} KiB of UTF-8", LONGEST_BYTES // 1024),
        ("one that takes over {} MiB of memory", MAX_PROGRAM_BYTES // 1024**2),
        ("at most {} chars of the match", SHOWN_CHARS),
        ("wait up to {:g} s for a reply", REQUEST_SECONDS),
        ("({:g} s for that of `delete`)", DELETE_SECONDS),
        ("and over {} chars after the first `/` are `invalid_argument`", filesystem.MAX_PATH_CHARS),
        ("at most {} MiB", filesystem.MAX_FILE_BYTES // 1024**2),
        ("{} of them", filesystem.MAX_FILES),
        ("`limit` is 1 to {}: in the mode", MAX_LIMIT),
        ("A glob has at most {} chars", filesystem.MAX_PATTERN_CHARS),
        ("a `request_id` {}.", filesystem.MAX_REQUEST_ID_CHARS),
    ],
)
def test_the_numbers_are_right(text: str, value: Any) -> None:
    assert text.format(value) in re.sub(r"\s+", " ", PROSE)


@pytest.mark.parametrize("name", RequestsSettings.__struct_fields__)
def test_every_limit_of_requests_is_told(name: str) -> None:
    assert f"`requests.{name}`" in PROSE


def test_the_tools_are_told_as_they_are_set() -> None:
    retrieval, files = Settings().retrieval, Settings().filesystem
    reading = (files.read_tool, files.grep_tool)
    for name in (retrieval.read_tool, retrieval.search_tool, retrieval.list_tool, *reading):
        assert f"`{name}`" in PROSE
