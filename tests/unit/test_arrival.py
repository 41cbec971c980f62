"""Whose result it is: the ids of the subject against those of the body, and read-backs."""

from typing import Any

import pytest
from tests.support.deciding import RECEIVED_AT, address, arrived

from coatcheck_core.arrival import read_back
from coatcheck_core.settings.model import RetrievalSettings
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.segments import encode_segment

LONG = "call_1__thought__" + "A" * 1400
OTHER_RESULT = "c9-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
SOURCE = f"coat://s1/{OTHER_RESULT}"
TOOLS = RetrievalSettings()


def test_ids_that_the_body_leaves_out_are_read_from_the_subject() -> None:
    result = arrived("x", at=address("thread:42/a b", "", "list_dir:0"))
    assert (result.session_id, result.turn_id, result.call_id) == ("thread:42/a b", "", "list_dir:0")
    assert result.received_at == RECEIVED_AT


def test_ids_of_the_body_that_agree_are_taken() -> None:
    result = arrived("x", at=address("s.1", "t", LONG), session_id="s.1", turn_id="t", call_id=LONG)
    assert (result.session_id, result.turn_id, result.call_id) == ("s.1", "t", LONG)


def test_a_shortened_segment_without_an_id_in_the_body_stands_as_the_id() -> None:
    assert arrived("x", at=address(call=LONG)).call_id == encode_segment(LONG)


@pytest.mark.parametrize(
    "fields",
    [
        {"session_id": "s2"},
        {"session_id": ""},
        {"turn_id": "t"},
        {"call_id": "call_2"},
        {"call_id": encode_segment(LONG)},
    ],
)
def test_an_id_that_is_not_the_subject_s_is_refused(fields: dict[str, Any]) -> None:
    at = address(call=LONG) if fields == {"call_id": encode_segment(LONG)} else address()
    with pytest.raises(InvalidResult, match=next(iter(fields))) as caught:
        arrived("x", at=at, **fields)
    assert caught.value.reason == "id_mismatch"


def test_an_id_that_no_segment_can_be_made_of_is_refused() -> None:
    with pytest.raises(InvalidResult, match="session_id") as caught:
        arrived("x", session_id="x" * 4097)
    assert caught.value.reason == "invalid_id"


@pytest.mark.parametrize("name", ["tool_name", "mime_type", "message_id", "agent_id"])
def test_a_name_may_have_4096_bytes_and_not_one_more(name: str) -> None:
    fields: dict[str, Any] = {name: "é" * 2048}
    assert getattr(arrived("x", **fields).received, name) == "é" * 2048
    with pytest.raises(InvalidResult, match=name) as caught:
        arrived("x", **(fields | {name: "é" * 2048 + "x"}))
    assert caught.value.reason == "invalid_field"


def test_the_result_id_is_the_call_and_the_content() -> None:
    result = arrived("x", at=address(call="list_dir:0"))
    assert result.sha256 == sha256_hex(b"x")
    assert result.result_id == f"list_dir=3A0-{result.sha256[:32]}"
    assert result.ref == f"coat://s1/{result.result_id}"


def test_the_same_call_and_content_have_the_same_ref_in_every_turn() -> None:
    assert arrived("x", at=address(turn="t1")).ref == arrived("x", at=address(turn="t2")).ref


@pytest.mark.parametrize("call", ["list_dir:0", ""])
def test_another_content_under_a_repeated_call_id_has_another_ref(call: str) -> None:
    assert arrived("x", at=address(call=call)).ref != arrived("y", at=address(call=call)).ref


@pytest.mark.parametrize("tool", ["tool_result_read", "tool_result_search", "tool_result_list"])
@pytest.mark.parametrize("source", [SOURCE, f'"{SOURCE}".', OTHER_RESULT])
def test_a_read_of_this_session_s_original_is_a_read_back(tool: str, source: str) -> None:
    assert read_back(arrived("page", tool_name=tool, source_ref=source), TOOLS) == SOURCE


def test_a_read_back_may_name_a_part() -> None:
    assert read_back(arrived("page", tool_name="tool_result_read", source_ref=f"{SOURCE}/2"), TOOLS) == f"{SOURCE}/2"


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_name": "tool_result_read"},
        {"tool_name": "kubectl", "source_ref": SOURCE},
        {"tool_name": "TOOL_RESULT_READ", "source_ref": SOURCE},
        {"tool_name": "tool_result_read", "source_ref": SOURCE.replace("s1", "s2")},
        {"tool_name": "tool_result_read", "source_ref": "no ref"},
        {"tool_name": "tool_result_read", "source_ref": ""},
    ],
)
def test_whatever_else_claims_a_source_is_an_ordinary_result(fields: dict[str, Any]) -> None:
    assert read_back(arrived("page", **fields), TOOLS) is None


def test_the_retrieval_tools_names_are_settings() -> None:
    result = arrived("page", tool_name="my_read", source_ref=SOURCE)
    assert read_back(result, TOOLS) is None
    assert read_back(result, RetrievalSettings(read_tool="my_read")) == SOURCE
    assert read_back(result, RetrievalSettings(search_tool="my_read")) == SOURCE
    assert read_back(result, RetrievalSettings(list_tool="my_read")) == SOURCE
