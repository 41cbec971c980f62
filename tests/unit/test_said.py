"""What can be told of a result event that is wrong: each name by itself, as it would be read of a good one."""

import json
from typing import Any

import pytest

from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.results import CE_TYPE, decode_result
from coatcheck_schemas.said import Said, what_is_said

NAMES: dict[str, Any] = {"tool_name": "kubectl", "turn_size": 3, "session_id": "a b", "turn_id": "", "call_id": "搜"}
WRONG: dict[str, dict[str, Any]] = {
    "a content that is none": {"content": 7},
    "a block of no known type": {"content": [{"type": "zzz"}]},
    "no content": {},
    "content and upload": {"content": "x", "upload": "u"},
    "a flag that is none": {"content": "x", "is_error": "yes"},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_all_names_of_a_wrong_event_are_told(wrong: str) -> None:
    body = json.dumps(NAMES | WRONG[wrong]).encode()
    with pytest.raises(InvalidResult):
        decode_result(None, body)
    assert what_is_said(None, body) == Said(**NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_name_costs_no_other(name: str) -> None:
    body = json.dumps(NAMES | {"content": "x", name: {"no": "name"}}).encode()
    assert what_is_said(None, body) == Said(**{key: value for key, value in NAMES.items() if key != name})


@pytest.mark.parametrize("size", [0, 1001, "3", True, -1])
def test_a_size_that_no_turn_has_is_not_told(size: Any) -> None:
    assert what_is_said(None, json.dumps({"turn_size": size, "content": 7}).encode()).turn_size is None


def test_the_headers_of_a_wrong_binary_event_are_told() -> None:
    headers = {
        "CE-SpecVersion": "1.0",
        "ce-type": CE_TYPE,
        "ce-toolname": "%E6%90%9C",
        "ce-turnsize": "2",
        "ce-sessionid": "%FF",
        "ce-callid": "a%20b",
        "ce-iserror": "maybe",
    }
    with pytest.raises(InvalidResult):
        decode_result(headers, b"x")
    assert what_is_said(headers, b"x") == Said(tool_name="搜", turn_size=2, call_id="a b")


def test_bytes_that_are_no_utf_8_cost_only_the_name_that_they_are_in() -> None:
    body = b'{"tool_name": "a\xff", "call_id": "c", "content": "\xff"}'
    assert what_is_said(None, body) == Said(call_id="c")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"turn_size": 2', b"\xff\xfe", b'{"turn_size": 2, "content": %b}' % (b"[" * 100_000)],
)
def test_nothing_is_told_of_what_is_no_json_object(body: bytes) -> None:
    assert what_is_said(None, body) == Said()
