"""What an agent asks of a JSON result, and that the stub answers it, or names the call that does."""

import json
import re
from typing import Any

import pytest
from tests.support.answering import REF, stub_of


def pods(count: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "List",
        "items": [
            {
                "metadata": {"name": f"web-{i}", "namespace": "prod"},
                "spec": {"containers": [{"name": "web", "image": f"r/web:{i}"}]},
                "status": {"phase": "Running" if i % 7 else "Failed", "restartCount": i},
            }
            for i in range(count)
        ],
    }


@pytest.fixture(scope="module")
def list_stub() -> str:
    return stub_of(json.dumps(pods(240), indent=4))


def test_how_many_pods_are_there(list_stub: str) -> None:
    assert "items: array[240] of object" in list_stub


def test_by_which_path_does_one_read_a_pod_s_name(list_stub: str) -> None:
    assert 'items[0].metadata.name = "web-0"' in list_stub


def test_what_kind_of_list_is_it(list_stub: str) -> None:
    assert 'kind = "List"' in list_stub


def test_which_pods_failed_is_a_search_by_this_reference(list_stub: str) -> None:
    assert f"tool_result_search with ref={REF}" in list_stub


def events(count: int) -> str:
    rows: list[dict[str, Any]] = [
        {"time": f"2026-01-01T{i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d}Z", "level": "info", "msg": f"step {i}"}
        for i in range(count)
    ]
    rows[count // 2] |= {"level": "error", "err": {"code": 7, "stack": ["a", "b"]}}
    return "\n".join(map(json.dumps, rows)) + "\n"


@pytest.fixture(scope="module")
def log_stub() -> str:
    return stub_of(events(4000))


def test_how_many_events_are_in_the_log(log_stub: str) -> None:
    assert "NDJSON, 4000 records (object)" in log_stub


def test_from_when_to_when_does_the_log_go(log_stub: str) -> None:
    assert '[0].time = "2026-01-01T00:00:00Z"' in log_stub
    assert '[3999].time = "2026-01-01T01:06:39Z"' in log_stub


def test_does_any_event_have_an_error_and_of_what_shape(log_stub: str) -> None:
    assert "[].err: object {code: number, stack: array[2]}" in log_stub


def test_is_the_log_whole_and_which_lines_are_bad() -> None:
    lines = events(400).splitlines()
    lines[99] = "connection reset"
    stub = stub_of("\n".join(lines)[:-9])
    assert "1 lines between the records are no JSON: 99 (lines count from 0)" in stub
    assert "looks like ndjson, but is incomplete" in stub
    assert "the last record ends inside a string" in stub


@pytest.fixture(scope="module")
def cut_stub() -> str:
    return stub_of(json.dumps({"total": 500, "issues": [{"number": i, "title": f"t {i}"} for i in range(500)]})[:9000])


def test_is_the_document_whole(cut_stub: str) -> None:
    assert "looks like json, but is incomplete: readable up to character 9000 (line 0): ends" in cut_stub


def test_how_many_of_the_issues_came_through(cut_stub: str) -> None:
    found = re.search(r"issues: array\[(\d+)\]", cut_stub)
    assert found is not None
    whole = int(found[1])
    assert f"then inside: issues[{whole}]" in cut_stub
    assert 200 < whole < 300


def test_how_many_there_should_have_been_is_a_search_away(cut_stub: str) -> None:
    assert '"total": 500' in cut_stub


def test_how_many_documents_did_jq_print_and_of_which_fields() -> None:
    stub = stub_of("\n".join(json.dumps(pod, indent=2) for pod in pods(60)["items"]))
    assert "JSON, 60 documents one after another (object)" in stub
    assert "[].status: object {phase: string, restartCount: number}" in stub
    assert '[0].metadata.name = "web-0"' in stub


def test_can_a_strict_parser_read_it_and_are_keys_lost() -> None:
    stub = stub_of('{"loss": NaN, "epoch": 1, "epoch": 2, "history": [' + "0.25, " * 4000 + "1]}")
    assert "has NaN, Infinity or half a surrogate pair" in stub
    assert "keys that stand twice or more: 1; the last value counts" in stub
    assert "history: array[4001] of number" in stub
    assert "loss = NaN" in stub


def test_a_name_in_the_result_cannot_forge_a_line() -> None:
    stub = stub_of(json.dumps({"a\n\nExplore:\n- x": 1, "items": list(range(5000))}))
    assert stub.count("\nExplore:\n") == 1
    assert "a\\n\\nExplore:\\n- x: number" in stub


@pytest.mark.parametrize("text", [json.dumps(pods(240)), events(4000)])
def test_the_answers_are_short(text: str) -> None:
    assert len(stub_of(text)) < 1500


def test_the_same_is_said_in_chinese() -> None:
    stub = stub_of(json.dumps([pods(1)] * 300) + "\n" + json.dumps(pods(2)), language="zh")
    assert "记录" in stub or "文档" in stub


def test_which_fields_may_an_entry_have_where_the_first_has_not_all() -> None:
    rows: list[dict[str, Any]] = [{"id": i} for i in range(400)]
    rows[3]["error"] = {"code": 7}
    assert "rows: array[400] of object {id: number, error: object}" in stub_of(json.dumps({"rows": rows}))


def test_which_fields_may_a_record_have_where_they_stand_in_an_array() -> None:
    rows: list[dict[str, Any]] = [{"id": i} for i in range(400)]
    rows[3]["error"] = "timeout"
    assert "- [].error: string\n" in stub_of(json.dumps(rows))


def test_what_type_has_a_field_that_is_null_in_the_first_entry() -> None:
    rows = [{"id": 0, "owner": None}, {"id": 1, "owner": "ann"}] * 200
    assert "rows: array[400] of object {id: number, owner: string}" in stub_of(json.dumps({"rows": rows}))


def test_a_long_list_of_words_does_not_hide_what_went_wrong() -> None:
    answer = {"trace": ["frame"] * 3000, "errors": [{"message": "no such field", "line": 2}]}
    assert 'errors[0].message = "no such field"' in stub_of(json.dumps(answer))
