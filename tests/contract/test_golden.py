"""The golden samples: today's structs read them and write them again, and no wire type is without one.

Samples are only ever added. `SHA256SUMS` has one line for each, so that a changed one is seen.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from generate.wire import ANSWERED, ASKED, EVENTS, FILES, STORED
from tests.support import contract

from coatcheck_core.assembling import Assembly, read_ending
from coatcheck_schemas.direct import announced_bytes
from coatcheck_schemas.errors import Code
from coatcheck_schemas.events import StubEvent, ToolResult
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.requests import ERROR_CODE_HEADER, ERROR_HEADER, Reply
from coatcheck_schemas.results import decode_result

GOLDEN = Path(__file__).resolve().parents[2] / "schemas" / "golden"

WIRE_TYPES: dict[str, type[msgspec.Struct]] = {**EVENTS, **STORED, **ASKED, "reply": Reply, **FILES}
"""What a sample is, by how its name begins; what is in a reply's `ok` is in ANSWERED."""

LATER_DEFAULTS = {"encoding": "utf-8", "form": "plain"}
"""Of fields that came later, what a sample without them means where that is not nothing."""

SAMPLES = sorted(path.name for path in GOLDEN.glob("*.json") if not path.name.endswith(".headers.json"))
"""Of structs; the others are the headers of messages."""


def read(name: str) -> bytes:
    return (GOLDEN / name).read_bytes()


def type_of(name: str, table: dict[str, type[msgspec.Struct]]) -> type[msgspec.Struct] | None:
    return next((kind for start, kind in table.items() if name == start or name.startswith(f"{start}.")), None)


def decoded(name: str) -> list[msgspec.Struct]:
    """The structs of a sample: of a reply, that and what is in it."""
    kind = type_of(name, WIRE_TYPES)
    assert kind is not None, f"{name} begins with no known wire type"
    found = [msgspec.json.decode(read(name), type=kind)]
    inside = type_of(name, ANSWERED)
    if inside is not None:
        reply = found[0]
        assert isinstance(reply, Reply)
        found.append(msgspec.json.decode(reply.ok, type=inside))
    return found


def structs_within(value: Any) -> Iterator[type[msgspec.Struct]]:
    if isinstance(value, msgspec.Struct):
        yield type(value)
        for name in value.__struct_fields__:
            yield from structs_within(getattr(value, name))
    elif isinstance(value, list):
        for item in value:
            yield from structs_within(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from structs_within(item)


@pytest.mark.parametrize("name", [name for name in SAMPLES if not name.endswith(".minimal.json")])
def test_a_sample_is_read_and_written_again_the_same(name: str) -> None:
    structs = decoded(name)
    for struct, expected in zip(structs, [json.loads(read(name)), json.loads(read(name)).get("ok")], strict=False):
        assert without_later_fields(json.loads(msgspec.json.encode(struct)), expected) == expected


def without_later_fields(written: Any, sample: Any) -> Any:
    """What was written, less the fields that have been added since the sample was and that say nothing of it."""
    if isinstance(written, dict) and isinstance(sample, dict):
        return {
            name: without_later_fields(value, sample.get(name))
            for name, value in written.items()
            if name in sample or (value and LATER_DEFAULTS.get(name) != value)
        }
    if isinstance(written, list) and isinstance(sample, list) and len(written) == len(sample):
        return [without_later_fields(*pair) for pair in zip(written, sample, strict=True)]
    return written


@pytest.mark.parametrize("name", [name for name in SAMPLES if name.endswith(".minimal.json")])
def test_a_minimal_sample_is_read_with_the_defaults(name: str) -> None:
    (struct,) = decoded(name)
    given = json.loads(read(name))
    assert given.items() <= json.loads(msgspec.json.encode(struct)).items()
    assert struct == type(struct)(**given)


def test_every_struct_that_goes_on_the_wire_has_a_sample() -> None:
    sampled = {kind for name in SAMPLES for struct in decoded(name) for kind in structs_within(struct)}
    missing = contract.structs() - contract.NEVER_SENT - sampled
    assert {kind.__name__ for kind in missing} == set()


def test_samples_are_only_ever_added() -> None:
    lines = [line.split("  ") for line in (GOLDEN / "SHA256SUMS").read_text().splitlines()]
    listed = {name: digest for digest, name in lines}
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in GOLDEN.iterdir()}
    del files["SHA256SUMS"]
    assert files == listed


STUB_EVENT = """session_id turn_id call_id tool_name disposition content ref result_id reason kind format original_chars
original_bytes original_lines preview_chars sha256 mime_type is_error incomplete error synopsis parts created_at"""
METADATA = """tool_result_id ref session_id message_id turn_id tool_id tool_name agent_id created_at original_chars
original_bytes original_lines preview_chars sha256 mime_type synopsis_kind synopsis storage_uri output_uri
offset_unit"""
TOOL_RESULT = """tool_name content turn_size mime_type is_error message_id agent_id produced_at arguments
structured_content session_id turn_id call_id source_ref retrieval upload blocks"""


@pytest.mark.parametrize("name", [name for name in SAMPLES if name.startswith("stub.")])
def test_a_stub_event_has_all_its_fields_and_no_other(name: str) -> None:
    assert set(STUB_EVENT.split()) <= set(json.loads(read(name))) <= set(StubEvent.__struct_fields__)


def test_later_fields_of_what_always_has_all_are_in_a_sample() -> None:
    for start, kind in (("stub.", StubEvent), ("metadata.", Metadata)):
        sampled = {field for name in SAMPLES if name.startswith(start) for field in json.loads(read(name))}
        assert sampled == set(kind.__struct_fields__)


TURN_SETTLED = "session_id turn_id settled_by turn_size received budget inline_total results"
SETTLED_RESULT = "call_id result_id disposition reason original_chars inline_size"


@pytest.mark.parametrize("name", [name for name in SAMPLES if name.startswith("settled.")])
def test_a_manifest_has_the_fields_of_the_contract_and_adds_up(name: str) -> None:
    manifest = json.loads(read(name))
    assert list(manifest) == TURN_SETTLED.split()
    assert all(list(result) == SETTLED_RESULT.split() for result in manifest["results"])
    assert sum(result["inline_size"] for result in manifest["results"]) == manifest["inline_total"]


@pytest.mark.parametrize("name", [name for name in SAMPLES if name.startswith("metadata.")])
def test_metadata_has_all_the_fields_of_the_contract(name: str) -> None:
    metadata = json.loads(read(name))
    assert set(METADATA.split()) <= set(metadata)
    assert set(metadata) <= set(Metadata.__struct_fields__)
    assert metadata["tool_result_id"] == metadata["result_id"]
    assert metadata["tool_id"] == metadata["call_id"]


def test_a_result_has_the_fields_of_the_contract() -> None:
    assert list(ToolResult.__struct_fields__) == TOOL_RESULT.split()
    sampled = {field for name in SAMPLES if name.startswith("result.") for field in json.loads(read(name))}
    assert sampled == set(TOOL_RESULT.split())


@pytest.mark.parametrize(
    ("name", "fields"),
    {
        "request.read.json": "ref offset limit unit numbered metadata",
        "request.search.json": "query ref regex ignore_case whole_word invert context_chars limit cursor",
        "request.list.json": "tool_name kind turn_id since until order limit cursor",
        "request.replay.settled.json": "turn_id after limit settled",
        "request.upload.json": "call_id turn_id bytes",
        "request.link.json": "ref expires_seconds",
        "request.delete.json": "ref all",
    }.items(),
)
def test_a_request_has_the_fields_of_the_contract(name: str, fields: str) -> None:
    assert list(json.loads(read(name))) == fields.split()


@pytest.mark.parametrize(
    ("name", "fields"),
    {
        "reply.read.json": "content offset limit unit parts total_chars total_lines total_bytes has_more next metadata",
        "reply.search.json": "matches total has_more cursor",
        "reply.list.json": "tool_results has_more cursor",
        "reply.replay.json": "events has_more cursor",
        "reply.upload.json": "upload url headers expires_at",
        "reply.link.json": "url expires_at",
        "reply.delete.json": "deleted",
    }.items(),
)
def test_a_reply_has_the_fields_of_the_contract(name: str, fields: str) -> None:
    assert list(json.loads(read(name))["ok"]) == fields.split()


@pytest.mark.parametrize("name", [name for name in SAMPLES if name.startswith("reply.")])
def test_a_reply_has_exactly_one_of_its_two_keys(name: str) -> None:
    assert len(json.loads(read(name))) == 1


def test_an_error_says_its_code_in_body_and_headers() -> None:
    problem = json.loads(read("reply.error.json"))["error"]
    headers = json.loads(read("reply.error.headers.json"))
    assert set(problem) == {"code", "message", "details"}
    assert headers == {ERROR_HEADER: problem["message"], ERROR_CODE_HEADER: str(Code(problem["code"]).number)}


def test_the_binary_sample_decodes() -> None:
    received = decode_result(json.loads(read("result.binary.headers.json")), read("result.binary.body"))
    assert (received.tool_name, received.mime_type, received.turn_size) == ("搜 索", "text/csv", 3)
    assert (received.session_id, received.turn_id, received.call_id) == ("thread:42/a b", "turn.1", "toolu_01")
    assert received.data == b"name,size\ncoat,XL\n\xff\x00"
    assert received.text is None


@pytest.mark.parametrize("name", [name for name in SAMPLES if name.startswith("result.")])
def test_the_samples_of_results_decode(name: str) -> None:
    assert decode_result(None, read(name)).tool_name == json.loads(read(name))["tool_name"]


@pytest.mark.parametrize("name", ["result.upload.put.json", "reply.upload.json"])
def test_an_upload_that_was_put_says_its_size(name: str) -> None:
    sample = json.loads(read(name))
    assert announced_bytes(sample.get("ok", sample)["upload"]) == 1_048_576


@pytest.mark.parametrize("ids", ["", ".random"])
def test_the_samples_of_pieces_headers_are_read_back(ids: str) -> None:
    assembly = Assembly()
    assert assembly.take(1, json.loads(read(f"piece{ids}.headers.json")), b"a piece") == [b"a piece"]
    final = read_ending(json.loads(read(f"piece.final{ids}.headers.json")))
    assert final is not None
    assert (final.count, final.is_error, final.error) == (7, True, None)
    failed = read_ending(json.loads(read(f"piece.failed{ids}.headers.json")))
    assert failed is not None
    assert (failed.error, failed.count, failed.is_error) == ("the disk is full: 100 % of /büro", None, None)


def test_a_dead_letter_says_where_it_came_from_and_why() -> None:
    headers = json.loads(read("dead-letter.headers.json"))
    assert {"Coat-Subject", "Coat-Reason", "Coat-Error", "Coat-Attempts", "Nats-Msg-Id"} <= set(headers)
    assert headers["Coat-Original-Nats-Msg-Id"] == "7"
    assert headers["Nats-Msg-Id"] == "COAT_RESULTS-7"
