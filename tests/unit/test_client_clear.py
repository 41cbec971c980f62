"""The client's clear: over the wire whole, by sizes alone, or on the spot; the same comes of each."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel
from tests.support.conversations import SHAPES, Answer, Ask, Conversation, Say, anthropic_grouped, rounds
from tests.support.originals import Shelf
from tests.support.wire_client import WireClient

import coatcheck
from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.clearing import light_of
from coatcheck_core.tokens import counter
from coatcheck_schemas.clearing import ClearRequest
from coatcheck_schemas.errors import Code, InvalidInput, RequestError

RULES: dict[str, Any] = {"clearing_token_threshold": 100, "keep_recent_tokens": 300, "clear_arguments": True}
CONVERSATION = [*rounds(8, size=800, argument="ls " * 100), Say("user", "and now?")]
PARALLEL: Conversation = [
    Say("assistant", "", (Ask("a", "bash"), Ask("b", "bash"))),
    Answer("a", ("x" * 800,), has_image=True),
    Answer("b", ("y" * 800, "z" * 800)),
    Say("user", "w" * 1400),
]


def asked(client: WireClient) -> list[Any]:
    (request,) = client.asked
    assert isinstance(request, ClearRequest)
    return request.messages


@pytest.mark.parametrize("shape", SHAPES)
async def test_whole_by_a_worker_is_as_on_the_spot(shape: str) -> None:
    messages = SHAPES[shape](CONVERSATION)
    client = WireClient(Shelf())
    assert await client.clear("s1", messages, offload=False, **RULES) == coatcheck.clear(messages, **RULES)
    assert len(client.asked) == 1


@pytest.mark.parametrize("shape", SHAPES)
async def test_by_sizes_alone_the_same_goes(shape: str) -> None:
    messages = SHAPES[shape](CONVERSATION)
    client = WireClient(Shelf(), most=6000)
    got = await client.clear("s1", messages, offload=False, **RULES)
    assert got.messages == coatcheck.clear(messages, **RULES).messages != messages
    assert asked(client) == light_of(messages)
    assert not got.offloaded


@pytest.mark.parametrize("most", [1 << 20, 900])
async def test_several_results_in_one_message(most: int) -> None:
    messages = anthropic_grouped(PARALLEL)
    client = WireClient(Shelf(), most)
    got = await client.clear("s1", messages, offload=False, **RULES)
    assert got.messages == coatcheck.clear(messages, **RULES).messages
    assert [item.call_id for item in got.cleared] == ["a", "b"]
    assert len(client.asked) == 1


async def test_what_no_message_carries_is_cleared_on_the_spot() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    client = WireClient(Shelf(), most=10)
    assert await client.clear("s1", messages, offload=False, **RULES) == coatcheck.clear(messages, **RULES)
    assert client.asked == []


async def test_a_reply_that_is_too_large_is_none() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    client = WireClient(Shelf(max_reply_bytes=10))
    assert await client.clear("s1", messages, offload=False, **RULES) == coatcheck.clear(messages, **RULES)


@pytest.mark.parametrize("shape", sorted(set(SHAPES) - {"light"}))
async def test_what_was_cleared_is_stored_and_read_back(shape: str) -> None:
    messages = SHAPES[shape](CONVERSATION)
    client = WireClient(Shelf())
    got = await client.clear("s1", messages, **RULES)
    texts = [(await client.read("s1", item.ref, limit=-1)).content for item in got.cleared]
    assert texts == [f"{number:04d}" * 200 for number in range(len(texts))] != []
    again = await client.clear("s1", got.messages, **RULES)
    assert (again.messages, again.cleared) == (got.messages, [])


async def test_messages_that_stay_are_the_same_objects() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    got = await WireClient(Shelf()).clear("s1", messages, **RULES)
    assert got.messages[0] is messages[0]
    assert got.messages[-1] is messages[-1]


async def test_messages_that_are_no_json_go_by_sizes() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    messages[0] = {**messages[0], "seen_by": object()}
    client = WireClient(Shelf())
    got = await client.clear("s1", messages, offload=False, **RULES)
    assert got.messages == coatcheck.clear(messages, **RULES).messages
    assert all("content" not in message for message in asked(client))


async def test_a_counter_is_asked_here() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    client = WireClient(Shelf())
    got = await client.clear("s1", messages, count=len, offload=False, **RULES)
    assert asked(client) == light_of(messages, count=len)
    assert got.tokens_before == coatcheck.clear(messages, count=len, **RULES).tokens_before


async def test_what_a_worker_refuses_is_raised() -> None:
    store = FailingStore(MemoryStore())
    store.fail("put")
    with pytest.raises(RequestError) as refused:
        await WireClient(Shelf(store=store)).clear("s1", SHAPES["chat"](CONVERSATION), **RULES)
    assert refused.value.code is Code.UNAVAILABLE


@pytest.mark.parametrize(
    "rules",
    [
        {"keep_rounds": -1},
        {"keep_rounds": "2"},
        {"exclude_tools": "bash"},
        {"placeholder": ""},
        {"tools": {"bash": {"kep": 1}}},
        {"keep_round": 1},
    ],
)
def test_a_wrong_rule_is_invalid(rules: dict[str, Any]) -> None:
    with pytest.raises(RequestError) as refused:
        coatcheck.clear([], **rules)
    assert refused.value.code is Code.INVALID_ARGUMENT


def test_a_rule_for_one_tool() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    got = coatcheck.clear(messages, **RULES, tools={"bash": {"placeholder": "[gone]"}})
    assert got.messages[2]["content"] == "[gone]"


def test_nothing_is_cleared_by_default_of_what_is_small() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    got = coatcheck.clear(messages)
    assert (got.messages, got.cleared, got.tokens_after) == (messages, [], got.tokens_before)


RECENT = [{"role": "user", "content": "x" * 2000}]


async def test_light_sends_no_contents() -> None:
    client = WireClient(Shelf())
    got = await client.clear("s1", SHAPES["chat"](CONVERSATION), light=True, **RULES)
    assert got.cleared
    assert all("content" not in message for message in asked(client))


class Model(BaseModel):
    type: str
    id: str
    name: str
    input: dict[str, Any]


@dataclass
class Use:
    id: str
    name: str = "bash"
    type: str = "tool_use"
    input: dict[str, Any] = field(default_factory=dict)


USE: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "bash", "input": {}}


@pytest.mark.parametrize("use", [Model(**USE), Use("a"), SimpleNamespace(**USE)], ids=["model", "dataclass", "plain"])
async def test_an_object_within_a_dict_goes_whole_so_that_its_result_is_stored(use: Any) -> None:
    result = {"type": "tool_result", "tool_use_id": "a", "content": "x" * 4000}
    messages = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}, *RECENT]
    client = WireClient(Shelf())
    got = await client.clear("s1", messages, **RULES)
    (item,) = got.cleared
    assert (await client.read("s1", item.ref, limit=-1)).content == "x" * 4000
    assert got.offloaded
    assert got.messages[0] is messages[0]


@pytest.mark.parametrize(
    ("count", "said"),
    [("nope:nope", "count 'nope:nope': the module"), ("x" * 5000, "count is chars, tokens"), (7, "got 7")],
)
def test_a_counter_that_is_none_is_told_as_one(count: Any, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        coatcheck.clear([], count=count)
    assert str(refused.value).startswith("count")
    assert said in str(refused.value)
    assert len(str(refused.value)) < 300


def test_the_estimate_counts_where_it_is_named() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    by_estimate = coatcheck.clear(messages, count="tokens").tokens_before
    assert by_estimate == coatcheck.clear(messages, count=counter("tokens")).tokens_before
    assert by_estimate != coatcheck.clear(messages).tokens_before
