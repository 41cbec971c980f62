"""The JSON Schemas are up to date, and say of samples and requests what the workers say of them."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
from generate.bounds import BOUNDS
from generate.files import FOLDER, stale
from generate.places import ROOT, SCHEMAS
from generate.samples import samples
from generate.structs import components
from generate.wire import ANSWERED, ASKED, EVENTS, SAMPLED, STORED, WIRE
from jsonschema import Draft202012Validator
from tests.support import contract
from tests.support.filing import Cabinet

from coatcheck_schemas.events import ToolResult, TurnEnd
from coatcheck_schemas.filesystem import MAX_PATH_CHARS
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.subjects import CLEAR
from coatcheck_workers.clearing.answering import answer_clear
from coatcheck_workers.filesystem.answering import answer_file
from coatcheck_workers.retrieval import answer

ALL = {start: list(samples(start, tuple(SAMPLED)).values()) for start in SAMPLED}
OUTSIDE_COUNTS_AS_ABSENT = (ToolResult, TurnEnd)


def schema_of(struct: type[msgspec.Struct]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / FOLDER / f"{struct.__name__}.json").read_text())
    return found


@cache
def validator_of(struct: type[msgspec.Struct]) -> Draft202012Validator:
    return Draft202012Validator(schema_of(struct))


def within(start: str, sample: Any) -> Any:
    """What the struct is of: of a reply that which is in its `ok`."""
    return sample["ok"] if start in ANSWERED else sample


def test_what_is_generated_is_up_to_date() -> None:
    assert stale() == [], "run make schemas, and commit what it changes"


def test_a_file_that_is_made_no_more_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    there = [f"schemas/{FOLDER}/{path.name}" for path in (SCHEMAS / FOLDER).iterdir()]
    fewer = {name: (ROOT / name).read_text() for name in there[1:]}
    monkeypatch.setattr("generate.files.generated", lambda: fewer)
    assert stale() == there[:1]


@pytest.mark.parametrize("struct", WIRE, ids=lambda struct: struct.__name__)
def test_a_schema_is_one_of_its_dialect_and_has_an_id_of_its_own(struct: type[msgspec.Struct]) -> None:
    schema = schema_of(struct)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:coatcheck:schema:v1:{struct.__name__}"
    assert schema["title"] == struct.__name__
    assert schema["description"]


def test_every_struct_that_is_sent_has_a_schema() -> None:
    told = components(WIRE, "#/{name}")
    assert {struct.__name__ for struct in contract.structs() - contract.NEVER_SENT} - set(told) == set()


@pytest.mark.parametrize("start", SAMPLED)
def test_the_golden_samples_are_as_their_schemas_say(start: str) -> None:
    assert ALL[start]
    validator = validator_of(SAMPLED[start])
    for sample in ALL[start]:
        validator.validate(within(start, sample))


@pytest.mark.parametrize("start", [*EVENTS, *STORED, *ANSWERED])
def test_unknown_fields_are_ignored_in_events_and_replies(start: str) -> None:
    validator_of(SAMPLED[start]).validate(within(start, ALL[start][0]) | {"a_later_field": 1})


@pytest.mark.parametrize("start", ASKED)
def test_unknown_fields_are_refused_in_requests(start: str) -> None:
    assert not validator_of(ASKED[start]).is_valid(ALL[start][0] | {"surprise": 1})


@pytest.mark.parametrize("start", SAMPLED)
def test_what_a_struct_cannot_be_without_is_required(start: str) -> None:
    struct, validator = SAMPLED[start], validator_of(SAMPLED[start])
    sample = within(start, ALL[start][0])
    for field in msgspec.structs.fields(struct):
        if field.required:
            assert not validator.is_valid({key: value for key, value in sample.items() if key != field.encode_name})


@pytest.mark.parametrize(
    ("event", "is_valid"),
    [
        ({"tool_name": "t", "content": ""}, True),
        ({"tool_name": "t", "content": "x", "upload": None, "blocks": False}, True),
        ({"tool_name": "t", "content": None, "upload": "7f2c", "blocks": True}, True),
        ({"tool_name": "t", "content": "x", "turn_size": None, "structured_content": [1], "arguments": None}, True),
        ({"tool_name": "t"}, False),
        ({"tool_name": "t", "content": None}, False),
        ({"tool_name": "t", "content": "x", "upload": "7f2c"}, False),
        ({"tool_name": "t", "content": "x", "blocks": True}, False),
        ({"tool_name": "t", "content": [{"type": "video"}]}, False),
        ({"tool_name": 1, "content": "x"}, False),
    ],
)
def test_a_result_is_judged_as_a_worker_judges_it(event: dict[str, Any], is_valid: bool) -> None:
    assert validator_of(ToolResult).is_valid(event) is is_valid
    assert accepted(event) is is_valid


def accepted(event: dict[str, Any]) -> bool:
    try:
        decode_result(None, json.dumps(event).encode())
    except Exception:
        return False
    return True


def edges() -> Iterator[tuple[str, str, Any, Any]]:
    """Of every bound of a request: what it is of, the field, a value beyond it and the one at it."""
    for start, struct in ASKED.items():
        for field, bounds in BOUNDS.get(struct.__name__, {}).items():
            for keyword, limit in bounds.items():
                match keyword:
                    case "minimum":
                        yield start, field, limit - 1, limit
                    case "maximum":
                        yield start, field, limit + 1, limit
                    case "minLength":
                        yield start, field, "x" * (limit - 1), "x" * limit
                    case "maxLength":
                        yield start, field, "x" * (limit + 1), "x" * limit
                    case "enum":
                        yield start, field, "other", limit[-1]
                    case "pattern" if limit == r"\S":
                        yield start, field, "", "."
                        yield start, field, " \n", " ."
                    case "pattern":
                        assert limit == rf"^/?[\s\S]{{0,{MAX_PATH_CHARS}}}$"
                        yield start, field, "/" + "x" * (MAX_PATH_CHARS + 1), "/" + "x" * MAX_PATH_CHARS
                        yield start, field, "x" * (MAX_PATH_CHARS + 1), "x" * MAX_PATH_CHARS
                    case "not":
                        yield start, field, limit["const"], limit["const"] + 1
                    case "format":
                        assert limit == "date-time"  # which validators need not check


EDGES = [pytest.param(*edge, id=f"{edge[0]}-{edge[1]}-{str(edge[2])[:17]}") for edge in edges()]


@pytest.mark.parametrize(("start", "field", "beyond", "at"), EDGES)
async def test_a_bound_is_the_workers_own(start: str, field: str, beyond: Any, at: Any) -> None:
    least = samples(f"{start}.minimal", tuple(SAMPLED))[f"{start}.minimal"]
    validator = validator_of(ASKED[start])
    assert validator.is_valid(least | {field: at})
    assert not validator.is_valid(least | {field: beyond})
    assert await code_of(start, least | {field: beyond}) == "invalid_argument"
    assert await code_of(start, least | {field: at}) != "invalid_argument"


@pytest.mark.parametrize("start", ASKED)
def test_every_number_of_a_request_has_its_bounds(start: str) -> None:
    schema = schema_of(ASKED[start])
    for name, one in {ASKED[start].__name__: schema, **schema.get("$defs", {})}.items():
        for field, told in one.get("properties", {}).items():
            if "integer" in (told.get("type") or ()):
                assert "minimum" in told, (name, field)


@pytest.mark.parametrize(
    ("rule", "is_valid"),
    [({"keep": 0}, True), ({"keep": -1}, False), ({"placeholder": "."}, True), ({"placeholder": " "}, False)],
)
async def test_a_tool_s_rule_is_judged_as_a_worker_judges_it(rule: dict[str, Any], is_valid: bool) -> None:
    asked = {"messages": [], "tools": {"t": rule}}
    assert validator_of(ASKED["request.clear"]).is_valid(asked) is is_valid
    assert (await code_of("request.clear", asked) != "invalid_argument") is is_valid


@pytest.mark.parametrize(
    ("start", "asked", "is_valid"),
    [
        ("request.replay", {"settled": True}, False),
        ("request.replay", {"settled": True, "turn_id": None}, False),
        ("request.replay", {"settled": True, "turn_id": "t"}, True),
        ("request.replay", {"settled": False}, True),
        ("request.read", {"ref": "c-" + "0" * 32, "numbered": True}, False),
        ("request.read", {"ref": "c-" + "0" * 32, "numbered": True, "unit": "bytes"}, False),
        ("request.read", {"ref": "c-" + "0" * 32, "numbered": True, "unit": "lines"}, True),
        ("request.fs.read", {"path": "/a", "numbered": True}, True),
        ("request.fs.read", {"path": "/a", "numbered": True, "unit": "chars"}, False),
    ],
)
async def test_fields_that_need_each_other_are_judged_as_a_worker_judges_them(
    start: str, asked: dict[str, Any], is_valid: bool
) -> None:
    assert validator_of(ASKED[start]).is_valid(asked) is is_valid
    assert (await code_of(start, asked) != "invalid_argument") is is_valid


async def code_of(start: str, fields: dict[str, Any]) -> str | None:
    """Of a worker's answer, where an error is one; the session has a file for what changes or reads one."""
    cabinet, body = Cabinet(), json.dumps(fields).encode()
    verb, _, operation = start.removeprefix("request.").partition(".")
    if operation in ("read", "edit"):
        await cabinet.fs("write", path=fields["path"], content="some x")
    if verb == CLEAR:
        got = await answer_clear(cabinet.retrieval, "s1", body)
    elif operation:
        got = await answer_file(cabinet.retrieval, operation, "s1", body)
    else:
        got = await answer(cabinet.retrieval, verb, "s1", body)
    error = msgspec.json.decode(got.body).get("error")
    return error["code"] if error else None


@pytest.mark.parametrize("struct", OUTSIDE_COUNTS_AS_ABSENT, ids=lambda struct: struct.__name__)
def test_a_turn_s_size_has_its_bounds(struct: type[msgspec.Struct]) -> None:
    event = {"tool_name": "t", "content": "x"} if struct is ToolResult else {}
    assert [validator_of(struct).is_valid(event | {"turn_size": size}) for size in (0, 1, 1000, 1001, None)] == [
        False,
        True,
        True,
        False,
        True,
    ]
