"""Messages of any shape as light ones, which come to the same decisions."""

from typing import Any

import pytest
from tests.support.conversations import SHAPES, Written, anthropic_grouped, chat, rounds

from coatcheck_core.clearing import PLACEHOLDER, Rules, clear, light_of

RULES = Rules(clearing_token_threshold=0, keep_recent_tokens=250, clear_arguments=True)


@pytest.mark.parametrize("written", SHAPES.values(), ids=SHAPES)
def test_they_are_cleared_as_the_messages_are(written: Written) -> None:
    messages = written(rounds(6, argument="y" * 400))
    whole, light = clear(messages, RULES), clear(light_of(messages), RULES)
    assert [(one.slot.index, one.tokens) for one in light.cleared] == [
        (one.slot.index, one.tokens) for one in whole.cleared
    ]
    assert (light.tokens_before, light.tokens_after) == (whole.tokens_before, whole.tokens_after)


def test_they_hold_nothing_of_the_texts() -> None:
    assert light_of(chat(rounds(1, size=8, argument="secret"))) == [
        {"role": "user", "tokens": 3},
        {
            "role": "assistant",
            "tokens": 0,
            "tool_calls": [{"id": "call_0", "name": "bash", "tokens": 4}],
        },
        {"role": "tool", "tool_call_id": "call_0", "tokens": 2},
    ]


def test_a_message_with_several_results_or_other_text_stays_one_message() -> None:
    blocks: list[Any] = [{"type": "tool_result", "tool_use_id": call_id, "content": "x" * 40} for call_id in "ab"]
    message = {"role": "user", "content": [*blocks, {"type": "text", "text": "and now"}]}
    assert light_of([message]) == [
        {
            "role": "tool",
            "tokens": 2,
            "tool_results": [{"tool_call_id": "a", "tokens": 10}, {"tool_call_id": "b", "tokens": 10}],
        }
    ]


def test_what_is_cleared_is_marked_so_that_it_does_not_count_again() -> None:
    done = clear(anthropic_grouped(rounds(3)), Rules(clearing_token_threshold=0, keep_recent_tokens=150))
    light = light_of(done.messages)
    assert [message.get("cleared") for message in light] == [None, None, True, None, None, None, None]
    assert clear(light, RULES).cleared == []


def test_light_ones_stay_as_they_are_and_a_counter_counts() -> None:
    light = light_of(chat(rounds(2)))
    assert light_of(light) == light
    assert light_of([{"role": "user", "content": PLACEHOLDER}], count=len) == [
        {"role": "user", "tokens": len(PLACEHOLDER)}
    ]
