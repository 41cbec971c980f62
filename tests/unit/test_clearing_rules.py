"""When old results are cleared, and which."""

from typing import Any

import pytest
from tests.support.conversations import Answer, Ask, Conversation, Say, anthropic_grouped, chat, rounds

from coatcheck_core.clearing import PLACEHOLDER, Rules, ToolRule, clear
from coatcheck_schemas.errors import Code, RequestError

NOW = Rules(clearing_token_threshold=0, keep_recent_tokens=0)
"""All but the message at the end."""


def cleared_calls(conversation: Conversation, rules: Rules) -> list[str]:
    return [one.slot.call_id for one in clear(chat(conversation), rules).cleared]


def rules(**changes: Any) -> Rules:
    return Rules(**{"clearing_token_threshold": 0, "keep_recent_tokens": 0, **changes})


def test_nothing_happens_at_the_threshold_and_all_that_is_old_goes_above_it() -> None:
    conversation = rounds(10, size=400)
    assert cleared_calls(conversation, rules(clearing_token_threshold=1000)) == []
    assert cleared_calls(conversation, rules(clearing_token_threshold=999)) == [f"call_{n}" for n in range(9)]


def test_the_defaults_are_20000_and_40000_tokens() -> None:
    assert (Rules().clearing_token_threshold, Rules().keep_recent_tokens) == (20_000, 40_000)
    assert cleared_calls(rounds(10, size=16_000), Rules()) == []
    assert cleared_calls(rounds(12, size=16_000), Rules()) == ["call_0", "call_1"]


def test_the_message_at_which_the_count_passes_the_limit_is_kept() -> None:
    """Each result has 100 tokens, each call 3."""
    conversation = rounds(5, size=400)
    assert cleared_calls(conversation, rules(keep_recent_tokens=99)) == ["call_0", "call_1", "call_2", "call_3"]
    assert cleared_calls(conversation, rules(keep_recent_tokens=102)) == ["call_0", "call_1", "call_2", "call_3"]
    assert cleared_calls(conversation, rules(keep_recent_tokens=103)) == ["call_0", "call_1", "call_2"]


def test_one_result_that_is_larger_than_all_that_is_kept_is_not_cleared_unseen() -> None:
    assert cleared_calls(rounds(2, size=400_000), Rules()) == ["call_0"]


def test_every_message_counts_among_the_recent_ones() -> None:
    conversation = [*rounds(1, size=400), Say("assistant", "x" * 400), Say("user", "x" * 400)]
    assert cleared_calls(conversation, rules(keep_recent_tokens=199)) == ["call_0"]
    assert cleared_calls(conversation, rules(keep_recent_tokens=200)) == []


def test_a_message_counts_a_quarter_of_its_content_and_its_arguments_rounded_up() -> None:
    conversation: Conversation = [Say("assistant", "12345", (Ask("a", "bash", "1"), Ask("b", "bash", "12")))]
    assert clear(chat(conversation)).tokens_before == -(-(5 + len('{"a":"1"}') + len('{"a":"12"}')) // 4)


def test_results_of_excluded_tools_stay_and_count() -> None:
    conversation = [*rounds(3, size=400, tool="read_file"), *rounds(3, size=400)]
    only = rules(clearing_token_threshold=500, exclude_tools=frozenset(["read_file"]))
    assert [one.slot.tool_name for one in clear(chat(conversation), only).cleared] == ["bash", "bash"]


def test_cleared_results_do_not_count_again() -> None:
    once = clear(chat(rounds(10, size=400)), rules(clearing_token_threshold=500, keep_recent_tokens=300)).messages
    more = [*once, *chat(rounds(1, size=400))[1:]]
    assert clear(more, rules(clearing_token_threshold=500)).cleared == []
    assert clear(more, rules(clearing_token_threshold=399)).cleared != []


def test_the_newest_rounds_stay_whatever_their_size() -> None:
    conversation = rounds(5, size=4000)
    assert cleared_calls(conversation, rules(keep_rounds=2)) == ["call_0", "call_1", "call_2"]
    assert cleared_calls(conversation, rules(keep_rounds=5)) == []
    assert cleared_calls(conversation, rules(keep_rounds=6)) == []


def test_a_round_has_all_results_of_its_message() -> None:
    conversation: Conversation = [
        *rounds(1),
        Say("assistant", "", tuple(Ask(f"p{n}", "bash") for n in range(3))),
        *[Answer(f"p{n}", ("x" * 400,)) for n in range(3)],
    ]
    assert cleared_calls(conversation, rules(keep_rounds=1)) == ["call_0"]
    assert cleared_calls(conversation, NOW) == ["call_0", "p0", "p1"]


def test_a_late_result_of_an_older_round_stays_with_the_rounds_after_which_it_came() -> None:
    late: Conversation = [
        Say("assistant", "", (Ask("old", "bash"),)),
        Say("assistant", "", (Ask("new", "bash"),)),
        Answer("old", ("x" * 400,)),
        Answer("new", ("x" * 400,)),
        Say("user", "go on"),
    ]
    assert cleared_calls(late, rules(keep_rounds=1)) == []


def test_nothing_is_touched_where_it_would_save_too_little() -> None:
    messages = chat(rounds(3, size=400))
    saved = 2 * (100 - 9)
    enough = clear(messages, rules(clear_at_least_tokens=saved))
    assert (len(enough.cleared), enough.tokens_before - enough.tokens_after) == (2, saved)
    too_little = clear(messages, rules(clear_at_least_tokens=saved + 1))
    assert too_little.cleared == []
    assert too_little.tokens_before == too_little.tokens_after
    assert all(one is other for one, other in zip(too_little.messages, messages, strict=True))


def test_a_result_stays_that_its_placeholder_is_not_smaller_than() -> None:
    assert cleared_calls(rounds(2, size=36), NOW) == []
    assert cleared_calls(rounds(2, size=40), NOW) == ["call_0"]
    assert cleared_calls(rounds(2, size=40), rules(placeholder="x" * 40)) == []


def test_the_arguments_of_cleared_calls_go_where_that_is_asked_and_only_theirs() -> None:
    messages = chat(rounds(3, argument="y" * 400))
    before = [one["tool_calls"][0]["function"]["arguments"] for one in messages if one.get("tool_calls")]
    after = [
        one["tool_calls"][0]["function"]["arguments"]
        for one in clear(messages, rules(clear_arguments=True)).messages
        if one.get("tool_calls")
    ]
    assert after == ['{"_cleared":"[Old tool call arguments cleared]"}'] * 2 + before[2:]
    kept = clear(messages, NOW).messages
    assert [one["tool_calls"] for one in kept if one.get("tool_calls")] == [
        one["tool_calls"] for one in messages if one.get("tool_calls")
    ]


def test_arguments_go_also_where_the_result_was_small_or_is_cleared_already() -> None:
    written: Conversation = [
        Say("assistant", "", (Ask("w", "write_file", "y" * 4000),)),
        Answer("w", ("ok",)),
        Say("assistant", "", (Ask("c", "bash", "y" * 4000),)),
        Answer("c", (PLACEHOLDER,)),
        *rounds(2),
    ]
    cleared = clear(chat(written), rules(clear_arguments=True))
    assert [one.slot.call_id for one in cleared.cleared] == ["call_0"]
    assert cleared.messages[1] == {"role": "tool", "tool_call_id": "w", "content": "ok"}
    assert "yyyy" not in str(cleared.messages[:4])


def test_a_round_of_which_arguments_go_is_cleared_as_a_whole_or_not_yet() -> None:
    parallel: Conversation = [
        Say("assistant", "", (Ask("a", "bash", "y" * 400), Ask("b", "bash", "z" * 400))),
        Answer("a", ("x" * 400,)),
        Answer("b", ("x" * 400,)),
    ]
    split, whole = chat(parallel), chat([*parallel, Say("user", "go on")])
    assert clear(split, rules(clear_arguments=True)).messages == split
    calls, *results = clear(whole, rules(clear_arguments=True)).messages[:3]
    assert "yy" not in str(calls["tool_calls"])
    assert "zz" not in str(calls["tool_calls"])
    assert [one["content"] for one in results] == [PLACEHOLDER] * 2
    spared = rules(clear_arguments=True, tools={"bash": ToolRule(clear_arguments=False)})
    assert [one["content"] for one in clear(split, spared).messages[1:]] == [PLACEHOLDER, "x" * 400]


@pytest.mark.parametrize("unanswered", ["bash", "read_file"])
def test_a_round_with_a_call_that_may_be_answered_yet_waits_for_it(unanswered: str) -> None:
    round_: Conversation = [
        Say("assistant", "", (Ask("a", "bash", "y" * 400), Ask("b", unanswered, "z" * 400))),
        Answer("a", ("x" * 400,)),
        Say("user", "go on"),
    ]
    by = rules(clear_arguments=True, exclude_tools=frozenset(["read_file"]))
    waits = unanswered == "bash"
    assert (clear(chat(round_), by).cleared == []) == waits
    later = chat([*round_, *rounds(1)])
    calls = clear(later, by).messages[0]["tool_calls"]
    assert "y" not in calls[0]["function"]["arguments"]
    assert "z" * 400 in calls[1]["function"]["arguments"]


def test_a_named_result_without_an_id_is_of_a_call_of_its_name() -> None:
    calls: list[Any] = [{"function": {"name": name, "arguments": {}}} for name in ("alpha", "beta")]
    results = [{"role": "tool", "name": name, "content": name * 100} for name in ("beta", "alpha")]
    messages = [{"role": "assistant", "content": "", "tool_calls": calls}, *results, {"role": "user", "content": "x"}]
    cleared = clear(messages, rules(exclude_tools=frozenset(["alpha"])))
    assert [one["content"] for one in cleared.messages[1:3]] == [PLACEHOLDER, "alpha" * 100]


def test_a_named_result_without_an_id_is_of_no_call_of_another_name() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": f'{{"a":"{"y" * 400}"}}'}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = {"role": "function", "name": "todo", "content": "x" * 400}
    messages = [asked, result, *chat(rounds(1))]
    cleared = clear(messages, rules(clear_arguments=True))
    assert cleared.messages[0] is asked
    assert cleared.messages[1]["content"] == PLACEHOLDER
    assert clear(messages, rules(tools={"todo": ToolRule(never=True)})).messages[1] is result


def test_of_calls_with_one_id_a_named_result_is_that_of_its_name() -> None:
    calls = [{"id": "0", "function": {"name": name, "arguments": "{}"}} for name in ("alpha", "beta")]
    results = [{"role": "tool", "tool_call_id": "0", "name": name, "content": name * 100} for name in ("beta", "alpha")]
    messages = [{"role": "assistant", "tool_calls": calls}, *results, {"role": "user", "content": "x"}]
    cleared = clear(messages, rules(exclude_tools=frozenset(["alpha"])))
    assert [one["content"] for one in cleared.messages[1:3]] == [PLACEHOLDER, "alpha" * 100]


def test_small_arguments_stay() -> None:
    messages = chat(rounds(2, argument="y"))
    cleared = clear(messages, rules(clear_arguments=True)).messages
    assert cleared[1] is messages[1]


@pytest.mark.parametrize(
    ("rule", "gone"),
    [
        (ToolRule(), ["call_0", "call_1", "call_2"]),
        (ToolRule(never=True), []),
        (ToolRule(keep=2), ["call_0", "call_1"]),
        (ToolRule(keep=4), []),
    ],
    ids=["none", "never", "keep 2 newest", "keep all"],
)
def test_a_tool_has_its_own_rule(rule: ToolRule, gone: list[str]) -> None:
    conversation = rounds(4, size=400, tool="read_file")
    assert cleared_calls(conversation, rules(tools={"read_file": rule, "other": ToolRule(never=True)})) == gone


def test_what_a_tool_keeps_is_counted_by_tool_and_cleared_results_count_among_it() -> None:
    conversation = [*rounds(2, tool="read_file"), *rounds(3)]
    keeping = rules(tools={"read_file": ToolRule(keep=1), "bash": ToolRule(keep=3)})
    once = clear(chat(conversation), keeping)
    assert [(one.slot.tool_name, one.slot.call_id) for one in once.cleared] == [("read_file", "call_0")]
    assert clear(once.messages, keeping).cleared == []


def test_a_tool_has_its_own_placeholder_and_its_own_say_about_arguments() -> None:
    own = rules(clear_arguments=True, tools={"bash": ToolRule(placeholder="[gone]", clear_arguments=False)})
    messages = chat([*rounds(1, argument="y" * 400), *rounds(2, tool="search", argument="y" * 400)])
    cleared = clear(messages, own).messages
    assert cleared[2]["content"] == "[gone]"
    assert cleared[1] is messages[1]
    assert cleared[5]["content"] == PLACEHOLDER
    assert "y" not in cleared[4]["tool_calls"][0]["function"]["arguments"]
    assert clear(cleared, own).cleared == []


def test_a_message_of_several_results_is_kept_or_given_up_as_a_whole() -> None:
    """As the limit counts messages, and this is one."""
    parallel = Say("assistant", "", tuple(Ask(f"p{n}", "bash") for n in range(3)))
    results = [Answer(f"p{n}", ("x" * 400,)) for n in range(3)]
    messages = anthropic_grouped([parallel, *results, parallel, *results])
    assert [(one.slot.index, one.slot.number) for one in clear(messages, NOW).cleared] == [(1, 0), (1, 1), (1, 2)]


BAD: dict[str, list[Any]] = {
    "clearing_token_threshold": [-1, 1.5, True, "20", None],
    "keep_recent_tokens": [-1, False],
    "clear_at_least_tokens": [-1],
    "keep_rounds": [-1],
    "placeholder": ["", "  \n", 5, "x" * 2001],
    "exclude_tools": ["bash", [5], 5],
    "clear_arguments": [1, "yes"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_a_value_that_cannot_be_is_refused_by_its_name(name: str, value: Any) -> None:
    with pytest.raises(RequestError, match=name) as refused:
        Rules(**{name: value})
    assert refused.value.code == Code.INVALID_ARGUMENT


@pytest.mark.parametrize(("name", "value"), [("keep", -1), ("never", 1), ("placeholder", " "), ("clear_arguments", 0)])
def test_so_it_is_in_a_tool_s_rule(name: str, value: Any) -> None:
    with pytest.raises(RequestError, match=name):
        ToolRule(**{name: value})


def test_a_counter_counts_instead_of_the_quarter() -> None:
    messages = chat(rounds(3, size=400))
    assert clear(messages, rules(clearing_token_threshold=299)).cleared != []
    assert clear(messages, rules(clearing_token_threshold=3), count=lambda text: 1 if text else 0).cleared == []
    assert clear(messages, rules(clearing_token_threshold=1199), count=len).tokens_before > 1200


def test_a_counter_is_asked_once_for_each_text() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    clear(chat(rounds(3, size=400, argument="y" * 400)), rules(clear_arguments=True), count=count)
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("count", [lambda text: -1, lambda text: 0.5, lambda text: None])
def test_a_counter_that_gives_no_count_is_an_error(count: Any) -> None:
    with pytest.raises(TypeError, match="counter of tokens"):
        clear(chat(rounds(1)), count=count)
