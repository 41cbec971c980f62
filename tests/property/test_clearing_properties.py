"""What clearing promises of any conversation, in any shape and by any rules."""

import copy
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.conversations import SHAPES, Answer, Ask, Conversation, Say, Step, anthropic_grouped

from coatcheck_core.clearing import PLACEHOLDER, Rules, Slot, ToolRule, clear, with_ref
from coatcheck_core.clearing.shapes import shape_of

TOOLS = ["bash", "read_file", "search"]
IDS = [None, "", "call_1", "call_2", "call_3"]
REF = "coat://s1/call_1-0123456789abcdef0123456789abcdef"
EVERY_SHAPE = {**SHAPES, "anthropic_grouped": anthropic_grouped}
any_shape = st.sampled_from(list(EVERY_SHAPE))

_sizes = st.sampled_from([1000, 200, 40, 36, 4, 0])
_texts = _sizes.map(lambda size: "x" * size)
_asks = st.builds(
    Ask, st.sampled_from(IDS), st.sampled_from(TOOLS), st.sampled_from([0, 8, 400]).map(lambda n: "y" * n)
)
_answers = st.builds(
    Answer,
    st.sampled_from(IDS),
    st.one_of(
        st.lists(_texts, max_size=2).map(tuple),
        st.sampled_from([(PLACEHOLDER,), (f"{PLACEHOLDER} was what I read",), (f"{PLACEHOLDER}\nref: {REF}",)]),
    ),
    st.booleans(),
)
_says = st.one_of(
    st.builds(Say, st.sampled_from(["user", "assistant"]), _texts),
    st.builds(Say, st.just("assistant"), _texts, st.lists(_asks, min_size=1, max_size=3).map(tuple)),
)
any_conversation = st.lists(st.one_of(_answers, _says), max_size=14)
"""Any ids and order: calls without results, results without calls or before them, ids that repeat or are absent."""

any_tool_rule = st.builds(
    ToolRule,
    never=st.booleans(),
    keep=st.integers(0, 2),
    placeholder=st.sampled_from([None, "[gone]"]),
    clear_arguments=st.sampled_from([None, False, True]),
)
any_rules = st.builds(
    Rules,
    clearing_token_threshold=st.sampled_from([0, 0, 0, 100]),
    keep_recent_tokens=st.sampled_from([0, 0, 1, 60]),
    clear_at_least_tokens=st.sampled_from([0, 0, 0, 50, 300]),
    exclude_tools=st.frozensets(st.sampled_from(TOOLS), max_size=1),
    keep_rounds=st.integers(0, 2),
    clear_arguments=st.booleans(),
    tools=st.dictionaries(st.sampled_from(TOOLS), any_tool_rule, max_size=2),
)
thorough = settings(max_examples=100, deadline=None)


def results(messages: list[Any]) -> list[tuple[int, int, tuple[str, ...]]]:
    """Where each result is, and its texts."""
    found = []
    for index, message in enumerate(messages):
        read = shape_of(message).read(message).results
        found += [(index, number, result.pieces) for number, result in enumerate(read)]
    return found


def ids(messages: list[Any]) -> list[Any]:
    """For each message the ids of its calls and results, in order."""
    readings = [shape_of(message).read(message) for message in messages]
    return [([call.call_id for call in one.calls], [result.call_id for result in one.results]) for one in readings]


def bare(value: Any) -> Any:
    """All but texts and sizes: what stays as it is, whatever is cleared."""
    if hasattr(value, "model_dump"):
        return bare(value.model_dump())
    if isinstance(value, list):
        return [bare(item) for item in value if not (isinstance(item, dict) and item.get("type") in TEXT_TYPES)]
    if isinstance(value, dict):
        return {name: bare(item) for name, item in value.items() if name not in CHANGEABLE}
    return None if isinstance(value, str) and value.startswith(("x", "[")) else value


TEXT_TYPES = ("text", "input_text", "output_text")
CHANGEABLE = ("tokens", "cleared", "args", "arguments", "input")


def referred(slot: Slot) -> str:
    return with_ref(PLACEHOLDER, REF, Rules())


any_placeholder = st.sampled_from([None, referred])


@given(shape=any_shape, conversation=any_conversation, rules=any_rules, placeholder=any_placeholder)
@thorough
def test_running_it_again_is_a_no_op(shape: str, conversation: Conversation, rules: Rules, placeholder: Any) -> None:
    once = clear(EVERY_SHAPE[shape](conversation), rules, placeholder_for=placeholder)
    again = clear(once.messages, rules, placeholder_for=placeholder)
    assert again.cleared == []
    assert all(before is after for before, after in zip(once.messages, again.messages, strict=True))
    assert again.tokens_before == again.tokens_after == once.tokens_after


@given(shape=any_shape, conversation=any_conversation, rules=any_rules)
@thorough
def test_no_call_or_result_is_orphaned_and_no_role_and_no_media_change(
    shape: str, conversation: Conversation, rules: Rules
) -> None:
    messages = EVERY_SHAPE[shape](conversation)
    cleared = clear(messages, rules).messages
    assert ids(cleared) == ids(messages)
    assert bare(cleared) == bare(messages)
    assert [type(message) for message in cleared] == [type(message) for message in messages]


@given(shape=any_shape, conversation=any_conversation, rules=any_rules, placeholder=any_placeholder)
@thorough
def test_the_input_is_untouched_and_tokens_do_not_grow(
    shape: str, conversation: Conversation, rules: Rules, placeholder: Any
) -> None:
    messages = EVERY_SHAPE[shape](conversation)
    before = copy.deepcopy(messages)
    cleared = clear(messages, rules, placeholder_for=placeholder)
    assert messages == before
    assert cleared.tokens_after <= cleared.tokens_before
    assert (cleared.tokens_before - cleared.tokens_after >= rules.clear_at_least_tokens) or not cleared.cleared


@given(
    shape=any_shape, conversation=any_conversation, later=any_conversation, rules=any_rules, placeholder=any_placeholder
)
@thorough
def test_what_was_cleared_stays_the_same_when_the_conversation_goes_on(
    shape: str, conversation: Conversation, later: Conversation, rules: Rules, placeholder: Any
) -> None:
    """Whether the agent goes on with what it got, or gives the whole as it was."""
    whole = EVERY_SHAPE[shape]([*conversation, *later])
    there = len(EVERY_SHAPE[shape](conversation))
    if whole[:there] != EVERY_SHAPE[shape](conversation):
        return  # the first of the later results went into the last message
    once = clear(whole[:there], rules, placeholder_for=placeholder)
    gone = {(one.slot.index, one.slot.number): one.placeholder for one in once.cleared}
    for longer in ([*once.messages, *whole[there:]], whole):
        after = clear(longer, rules, placeholder_for=placeholder)
        new = {(one.slot.index, one.slot.number): one.placeholder for one in after.cleared}
        for index, number, pieces in results(after.messages):
            if (index, number) in gone and pieces:
                assert pieces == (gone[index, number],)
        if longer is whole:
            assert gone.items() <= new.items()
        else:
            assert not gone.keys() & new.keys()


@given(
    shape=any_shape, conversation=any_conversation, later=any_conversation, rules=any_rules, placeholder=any_placeholder
)
@thorough
def test_a_prefix_once_cleared_stays_byte_identical(
    shape: str, conversation: Conversation, later: Conversation, rules: Rules, placeholder: Any
) -> None:
    """Up to the last message that was changed, arguments too; a tool's `keep` alone gives up what lies before."""
    tools = {name: msgspec.structs.replace(rule, keep=0) for name, rule in rules.tools.items()}
    rules = msgspec.structs.replace(rules, tools=tools)
    given, whole = (EVERY_SHAPE[shape](steps) for steps in (conversation, [*conversation, *later]))
    if whole[: len(given)] != given:
        return  # the first of the later results went into the last message
    once = clear(given, rules, placeholder_for=placeholder).messages
    changed = [place for place, (before, after) in enumerate(zip(given, once, strict=True)) if before is not after]
    end = changed[-1] + 1 if changed else 0
    for longer in ([*once, *whole[len(given) :]], whole):
        assert clear(longer, rules, placeholder_for=placeholder).messages[:end] == once[:end]


def _well_formed(exchanges: list[tuple[str, list[tuple[Ask, str]]]]) -> Conversation:
    """A user, then a call or several at once, then their results in order."""
    steps: list[Step] = []
    for text, pairs in exchanges:
        steps.append(Say("user", text))
        if pairs:
            steps.append(Say("assistant", "", tuple(ask for ask, _ in pairs)))
            steps += [Answer(ask.call_id, (text,)) for ask, text in pairs]
    return steps


_plain_asks = st.builds(Ask, st.sampled_from(IDS), st.sampled_from(TOOLS), st.sampled_from(["y" * 4, "y" * 400]))
_pairs = st.lists(st.tuples(_plain_asks, _texts), max_size=3, unique_by=lambda pair: pair[0].call_id)
well_formed = st.lists(st.tuples(_texts, _pairs), max_size=5).map(_well_formed)


@given(conversation=well_formed, rules=any_rules)
@settings(max_examples=80, deadline=None)
def test_every_shape_comes_to_the_same_decisions(conversation: Conversation, rules: Rules) -> None:
    """Arguments have a multiple of four chars here, so that no shape counts more than another by rounding."""
    decisions = {name: _decisions(written(conversation), rules) for name, written in SHAPES.items()}
    assert all(one == decisions["chat"] for one in decisions.values()), decisions


def _decisions(messages: list[Any], rules: Rules) -> tuple[list[int], int, int]:
    """Which results of all, in order, were cleared, and the tokens before and after."""
    places = [(index, number) for index, number, _ in results(messages)]
    cleared = clear(messages, rules)
    gone = [places.index((one.slot.index, one.slot.number)) for one in cleared.cleared]
    return gone, cleared.tokens_before, cleared.tokens_after


@given(shape=any_shape, conversation=any_conversation, rules=any_rules)
@thorough
def test_a_cleared_conversation_counts_what_it_says_it_counts(
    shape: str, conversation: Conversation, rules: Rules
) -> None:
    cleared = clear(EVERY_SHAPE[shape](conversation), rules)
    assert clear(cleared.messages, Rules()).tokens_before == cleared.tokens_after
