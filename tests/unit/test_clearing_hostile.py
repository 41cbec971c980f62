"""Whatever comes as a conversation: an answer, or an error that says what is wrong."""

from typing import Any

import msgspec
import pytest

from coatcheck_core.clearing import PLACEHOLDER, Rules, ToolRule, clear
from coatcheck_schemas.errors import Code, RequestError

LONG = "x" * 400
ALL = Rules(clearing_token_threshold=0, keep_recent_tokens=0, clear_arguments=True)
LAST = {"role": "user", "content": "go on"}


def result(call_id: Any, content: Any = LONG, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


def asked(*calls: tuple[Any, str]) -> dict[str, Any]:
    named = [{"id": call_id, "function": {"name": name, "arguments": LONG}} for call_id, name in calls]
    return {"role": "assistant", "content": None, "tool_calls": named}


def names(*messages: Any, rules: Rules = ALL) -> list[str | None]:
    return [one.slot.tool_name for one in clear([*messages, LAST], rules).cleared]


def test_no_messages() -> None:
    done = clear([], ALL)
    assert (done.messages, done.cleared, done.tokens_before, done.tokens_after) == ([], [], 0, 0)


@pytest.mark.parametrize("messages", [None, "hello", {"role": "user"}, 5, b"[]"])
def test_what_is_no_list_is_refused(messages: Any) -> None:
    with pytest.raises(RequestError, match="messages must be a list") as refused:
        clear(messages)
    assert refused.value.code == Code.INVALID_ARGUMENT


def test_parallel_calls_are_paired_by_their_ids_in_any_order() -> None:
    assert names(asked(("a", "one"), ("b", "two")), result("b"), result("a")) == ["two", "one"]


def test_an_id_that_repeats_in_every_turn_belongs_to_the_nearest_call() -> None:
    turns = [(asked(("call_1", name)), result("call_1")) for name in ("one", "two", "three")]
    assert names(*[message for turn in turns for message in turn]) == ["one", "two", "three"]


def test_an_id_that_repeats_in_one_message_is_paired_in_order() -> None:
    assert names(asked(("", "one"), ("", "two")), result(""), result("")) == ["one", "two"]
    assert names(asked(("c", "one"), ("c", "two")), result("c"), result("c")) == ["one", "two"]


def test_messages_without_ids_are_paired_in_order() -> None:
    calls = [{"function": {"name": name, "arguments": "{}"}} for name in ("one", "two")]
    message = {"role": "assistant", "tool_calls": calls}
    answer = {"role": "tool", "content": LONG}
    assert names(message, answer, answer, answer) == ["one", "two", None]


def test_a_result_without_an_id_belongs_to_the_nearest_call_that_has_none() -> None:
    answer = {"role": "tool", "content": LONG}
    assert names(asked(("a", "one")), result("a"), asked(("b", "two")), answer) == ["one", "two"]


def test_a_result_before_its_call_is_of_its_tool_and_takes_it_from_no_other() -> None:
    early = Rules(clearing_token_threshold=0, keep_recent_tokens=0, exclude_tools=frozenset(["one"]))
    assert names(result("a"), asked(("a", "one")), rules=early) == []
    assert names(result("a"), asked(("a", "two")), result("a"), rules=early) == ["two", "two"]


def test_a_result_before_its_call_goes_by_its_own_name_first() -> None:
    assert names(result("a", name="one"), asked(("a", "two"))) == ["one"]
    assert names(asked(("a", "two")), result("a", name="one")) == ["two"]


def test_a_result_before_its_call_is_of_that_call_s_round_and_leaves_its_arguments() -> None:
    messages = [result("a"), asked(("a", "one")), LAST]
    kept = Rules(clearing_token_threshold=0, keep_recent_tokens=0, keep_rounds=1)
    assert clear(messages, kept).cleared == []
    written = clear(messages, ALL).messages
    assert written[0]["content"] == PLACEHOLDER
    assert written[1] is messages[1]


def test_a_result_whose_call_is_nowhere_is_cleared_like_others_and_may_name_its_tool_itself() -> None:
    named = Rules(clearing_token_threshold=0, keep_recent_tokens=0, exclude_tools=frozenset(["one"]))
    assert names(result("a"), result("b", name="one"), result("c", name="two"), rules=named) == [None, "two"]


@pytest.mark.parametrize("odd", [5, 1.5, True, [], {}, ["a"], {"a": 1}, "\ud800", "a/b *>", "i" * 5000])
def test_odd_ids_and_names(odd: Any) -> None:
    call = {"id": odd, "function": {"name": odd, "arguments": odd}}
    done = clear([{"role": "assistant", "tool_calls": [call]}, result(odd, name=odd), LAST], ALL)
    assert done.messages[1] == {**result(odd, name=odd), "content": PLACEHOLDER}


@pytest.mark.parametrize(
    "odd", [None, 5, True, [], {}, "", [None], [5], ["text"], [[]], [{}], [{"type": []}], "\ud800"]
)
@pytest.mark.parametrize("name", ["role", "type", "content", "tool_calls", "function_call", "tool_call_id", "output"])
def test_odd_values_in_any_field(name: str, odd: Any) -> None:
    shapes: list[dict[str, Any]] = [
        result("a"),
        asked(("a", "one")),
        {"type": "function_call_output", "call_id": "a", "output": LONG},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": LONG}]},
        {"type": "tool", "content": LONG, "tool_call_id": "a"},
        {"type": "ai", "content": "", "tool_calls": [{"name": "bash", "args": {}, "id": "a"}]},
        {"type": "tool", "data": {"content": LONG}},
        {"lc": 1, "id": ["ToolMessage"], "kwargs": {"content": LONG}},
    ]
    messages = [{**message, name: odd} for message in shapes]
    messages += [{**message, "kwargs": {name: odd}, "data": {name: odd}} for message in shapes]
    messages += [
        {**message, "content": [{"type": "tool_result", name: odd}, {"type": "tool_use", name: odd}]}
        for message in shapes
    ]
    once = clear([*messages, LAST], ALL)
    assert len(once.messages) == len(messages) + 1
    assert clear(once.messages, ALL).messages == once.messages


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [{"type": "box", "content": value}]
    return value


def test_what_is_nested_without_end_neither_fails_nor_is_followed() -> None:
    deep = nested(5000)
    messages = [
        {"role": "user", "content": deep},
        result("a", deep),
        result("b", {"content": deep}),
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "n", "arguments": deep}}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "n", "input": {"deep": deep}}]},
    ]
    assert len(clear(messages, ALL).messages) == 5


def test_what_holds_itself_neither_fails_nor_is_followed() -> None:
    loop: dict[str, Any] = {"type": "text", "content": []}
    loop["content"].append(loop)
    assert len(clear([{"role": "user", "content": [loop]}, result("a", {"loop": loop})], ALL).messages) == 2


def test_a_hundred_thousand_messages() -> None:
    messages: list[Any] = []
    for _ in range(33_334):
        messages += [asked(("call_1", "bash")), result("call_1"), {"role": "user", "content": "on"}]
    done = clear(messages[:100_000], Rules(clearing_token_threshold=0, keep_recent_tokens=0))
    assert len(done.messages) == 100_000
    assert len(done.cleared) == 33_333


def test_tens_of_thousands_of_calls_in_one_message() -> None:
    done = clear([asked(*[("c", "bash")] * 10_000), *[result("c", "ok")] * 10_000, LAST], ALL)
    assert done.messages[1]["content"] == "ok"
    assert done.tokens_after < done.tokens_before


def test_tens_of_thousands_of_results_before_a_message_of_as_many_other_calls() -> None:
    """Each looked through all of that message's calls for its own."""
    results = [{"type": "tool_result", "tool_use_id": f"r{number}", "content": "x" * 80} for number in range(20_000)]
    calls = [{"type": "tool_use", "id": f"c{number}", "name": "b", "input": {}} for number in range(20_000)]
    done = clear([{"role": "user", "content": results}, {"role": "assistant", "content": calls}, LAST], ALL)
    assert len(done.cleared) == 20_000


def test_tens_of_thousands_of_placeholders() -> None:
    """Each result was compared with every one."""
    tools = {f"t{number}": ToolRule(placeholder=f"[gone {number}]") for number in range(20_000)}
    messages = [result("c", f"[gone {number}] or nearly, {LONG}") for number in range(20_000)]
    assert len(clear([*messages, LAST], msgspec.structs.replace(ALL, tools=tools)).cleared) == 20_000


NEARLY = {
    "a placeholder's ref": f"{PLACEHOLDER}\nref: coat://s/" + "a" * 49_000,
    "a placeholder's tools": f"{PLACEHOLDER}\nref: coat://s/a\n" + "a with this ref, offset and limit returns " * 1200,
    "a long placeholder": f"{PLACEHOLDER}\nref: coat://s/" + "a" * 1_000_000,
    "a stub's header": "[Coatcheck: tool result offloaded]\ntool_name: " + "x" * 49_000,
    "a stub's ref": "[Coatcheck: tool result offloaded]\ntool_name: x\nkind: text\noriginal_chars: 5\n"
    "preview_chars: 5\nref: coat://" + "a/" * 24_000,
    "a stub's first line": "Tool result too large: " + " from , call " * 3500,
    "a stub's first line in Chinese": "工具结果过大（Tool result too large）：" + " 的调用 返回 " * 4900,
    "a stub's first lines": "Tool result too large: "
    + "a. Incomplete: at most its first lines are shown.\nref: " * 900,
}


@pytest.mark.parametrize("text", NEARLY.values(), ids=NEARLY)
def test_what_is_long_and_nearly_ours_costs_no_more_than_its_length(text: str) -> None:
    """A pattern that tries each way to divide such a text would not come to an end."""
    assert clear([*[result("a", text)] * 100, LAST], ALL).messages[0]["content"] == PLACEHOLDER
