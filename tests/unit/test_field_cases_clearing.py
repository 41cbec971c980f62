"""What went wrong with clearing elsewhere, as tests: field cases 13, 33 and 34."""

from typing import Any

import pytest
from tests.support.conversations import Answer, Ask, Conversation, Say, chat, rounds

from coatcheck_core.clearing import PLACEHOLDER, Rules, ToolRule, clear, with_ref
from coatcheck_core.settings.model import RetrievalSettings
from coatcheck_core.tokens import estimate_tokens

REF = "coat://s1/call_1-0123456789abcdef0123456789abcdef"


# 13: a marker shown to an agent that lacks the tool which the marker tells it to call


def test_an_agent_without_retrieval_tools_is_told_of_none() -> None:
    lacking = Rules(clearing_token_threshold=0, keep_recent_tokens=0, has_retrieval=False)
    done = clear(chat(rounds(3, size=4000)), lacking, placeholder_for=lambda _: with_ref(PLACEHOLDER, REF, lacking))
    placeholders = [one.placeholder for one in done.cleared]
    assert placeholders == [f"{PLACEHOLDER}\nref: {REF}"] * 2
    assert "tool_result" not in str(done.messages)


def test_without_a_store_no_placeholder_promises_what_cannot_be_read() -> None:
    done = clear(chat(rounds(3)), Rules(clearing_token_threshold=0, keep_recent_tokens=0))
    assert {one.placeholder for one in done.cleared} == {PLACEHOLDER}


# 33: four chars a token, which counts Chinese for a half or a third of its cost


def of_text(text: str) -> Conversation:
    return [
        Say("assistant", "", (Ask("a", "read"),)),
        Answer("a", (text,)),
        Say("user", "继续"),
    ]


@pytest.mark.parametrize("text", ["检索到的文档内容如下" * 2000, "ドキュメントの内容は以下" * 2000], ids=["zh", "ja"])
def test_by_the_estimate_chinese_is_cleared_as_soon_as_its_cost_says(text: str) -> None:
    """20,000 chars are about 20,000 tokens, and a quarter of that by the contract's own measure."""
    rules = Rules(clearing_token_threshold=12_000, keep_recent_tokens=0)
    assert clear(chat(of_text(text)), rules, estimate_tokens).cleared != []
    assert clear(chat(of_text(text)), rules).cleared == []
    assert clear(chat(of_text("word" * (len(text) // 4))), rules, estimate_tokens).cleared == []


def test_the_same_measure_counts_everything() -> None:
    done = clear(chat(of_text("文" * 20_000)), Rules(clearing_token_threshold=0, keep_recent_tokens=0), len)
    assert (done.cleared[0].tokens, done.tokens_before - done.tokens_after) == (20_000, 20_000 - len(PLACEHOLDER))


# 34: a documented setting that has no effect


BASE: dict[str, Any] = {"clearing_token_threshold": 0, "keep_recent_tokens": 0}
ELSEWHERE = "[what was here went by the rules of another day]"
EFFECTS: dict[str, Any] = {
    "clearing_token_threshold": 1_000_000,
    "keep_recent_tokens": 1_000_000,
    "clear_at_least_tokens": 1_000_000,
    "placeholder": "[gone]",
    "exclude_tools": frozenset(["bash"]),
    "keep_rounds": 2,
    "clear_arguments": True,
    "tools": {"bash": ToolRule(never=True)},
    "retrieval": RetrievalSettings(read_tool="lire"),
    "language": "zh",
    "has_retrieval": False,
    "known_placeholders": frozenset([ELSEWHERE]),
}


def test_every_rule_is_among_these() -> None:
    assert set(EFFECTS) == set(Rules.__struct_fields__)


@pytest.mark.parametrize("name", EFFECTS)
def test_every_rule_has_an_effect(name: str) -> None:
    assert outcome(Rules(**{**BASE, name: EFFECTS[name]})) != outcome(Rules(**BASE))


TOOL_EFFECTS: dict[str, Any] = {"never": True, "keep": 2, "placeholder": "[gone]", "clear_arguments": True}


def test_every_rule_of_a_tool_is_among_these() -> None:
    assert set(TOOL_EFFECTS) == set(ToolRule.__struct_fields__)


@pytest.mark.parametrize("name", TOOL_EFFECTS)
def test_every_rule_of_a_tool_has_an_effect(name: str) -> None:
    own = {"bash": ToolRule(**{name: TOOL_EFFECTS[name]})}
    assert outcome(Rules(**BASE, tools=own)) != outcome(Rules(**BASE))


def outcome(rules: Rules) -> list[Any]:
    """Of a conversation in which all of them matter: one result is a stub, whose placeholder names its ref."""
    header = "[Coatcheck: tool result offloaded]\ntool_name: bash\nkind: text\noriginal_chars: 5\npreview_chars: 9\n"
    body = f"Sample:\n- {'x' * 800}\n\nExplore:\n- tool_result_list shows this session's other offloaded results."
    stub = f"{header}ref: {REF}\nsha256: 0123456789abcdef\nreason: single_threshold\n\n{body}"
    conversation: Conversation = [
        Say("assistant", "", (Ask("s", "bash"),)),
        Answer("s", (stub,)),
        Say("assistant", "", (Ask("e", "bash"),)),
        Answer("e", (ELSEWHERE,)),
        *rounds(3, argument="y" * 400),
    ]
    return clear(chat(conversation), rules).messages
