"""Clearing what OpenAI's own tools gave that the agent runs: shells, and patches."""

from typing import Any

import pytest

from coatcheck_core.clearing import Rules, clear, light_of
from coatcheck_core.clearing.carrying import Carrying

LONG = "a line of output\n" * 100
PLACEHOLDER = "[Old tool result content cleared]"
NOW = Rules(clearing_token_threshold=0, keep_recent_tokens=0)
ARGUMENTS_TOO = Rules(clearing_token_threshold=0, keep_recent_tokens=0, clear_arguments=True)
LAST = {"role": "user", "content": "go on"}
LOCAL = [
    {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"], "env": {}}},
    {"type": "local_shell_call_output", "id": "c", "output": LONG},
]
PATCH = [
    {"type": "apply_patch_call", "call_id": "p", "operation": {"type": "delete_file", "path": "a.py"}},
    {"type": "apply_patch_call_output", "call_id": "p", "status": "failed", "output": LONG},
]
SHELL_CALL = {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls", "make"]}}
OK, FAILED = {"type": "exit", "exit_code": 0}, {"type": "exit", "exit_code": 2}


def shell_output(*commands: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    output = [{"stdout": stdout, "stderr": stderr, "outcome": outcome} for stdout, stderr, outcome in commands]
    return {"type": "shell_call_output", "call_id": "s", "output": output, "max_output_length": 4096}


@pytest.mark.parametrize("items", [LOCAL, PATCH], ids=["local shell", "apply patch"])
def test_an_output_that_is_a_text_makes_way_and_its_call_stays(items: list[dict[str, Any]]) -> None:
    call, result = items
    done = clear([call, result, LAST], NOW)
    assert done.messages == [call, {**result, "output": PLACEHOLDER}, LAST]
    assert [one.slot.call_id for one in done.cleared] == [call["call_id"]]


def test_of_a_shell_s_output_both_streams_make_way_and_how_each_command_ended_stays() -> None:
    done = clear([SHELL_CALL, shell_output((LONG, "warning", OK), ("", LONG, FAILED)), LAST], NOW)
    assert done.messages[1] == shell_output((PLACEHOLDER, "", OK), ("", "", FAILED))
    assert done.cleared[0].slot.text == f"{LONG}\nwarning\n{LONG}"
    assert clear(done.messages, NOW).cleared == []


@pytest.mark.parametrize("output", [LONG, [], [{"type": "text", "text": LONG}], None, [LONG], [3], {"stdout": LONG}])
def test_a_shell_s_output_of_another_form_is_as_any_result_s(output: Any) -> None:
    results = [
        {"type": "function_call_output", "call_id": "s", "output": output},
        {"type": "shell_call_output", "call_id": "s", "output": output},
    ]
    found, expected = (clear([one, LAST], NOW).messages[0]["output"] for one in reversed(results))
    assert found == expected


def test_the_tools_are_excluded_by_openai_s_names_for_them() -> None:
    shell = [SHELL_CALL, shell_output((LONG, "", OK))]
    excluded = Rules(clearing_token_threshold=0, keep_recent_tokens=0, exclude_tools=frozenset(["shell"]))
    done = clear([*LOCAL, *shell, *PATCH, LAST], excluded)
    assert [one.slot.tool_name for one in done.cleared] == ["local_shell", "apply_patch"]


def test_the_call_counts_and_stays_where_arguments_go() -> None:
    call = {"type": "shell_call", "call_id": "s", "action": {"commands": [LONG]}}
    done = clear([call, shell_output((LONG, "", OK)), LAST], ARGUMENTS_TOO)
    assert done.messages[0] is call
    assert done.tokens_after > len(LONG) // 4


def test_it_is_cleared_by_sizes_as_well() -> None:
    messages = [SHELL_CALL, shell_output((LONG, "", OK)), LAST]
    answered = clear(light_of(messages), NOW).messages
    assert Carrying(messages, answered, NOW).over()[1] == shell_output((PLACEHOLDER, "", OK))
