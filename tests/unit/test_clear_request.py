"""The request `clear`, answered over a store in memory."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from tests.support.originals import BEGIN, Shelf, problem

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.clearing import PLACEHOLDER, Rules, clear
from coatcheck_workers.clearing.answering import answer_clear
from coatcheck_workers.retrieval.model import Answer
from coatcheck_workers.streams.tombstone import NoTombstones

OLD = "line of the old output\n" * 400
FACTS: dict[str, Any] = {"clearing_token_threshold": 100, "keep_recent_tokens": 50}


def chat(count: int = 4) -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": "go on"}]
    for number in range(count):
        call = {"id": f"call_{number}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": f"{number} {OLD}"})
    return messages


def anthropic() -> list[Any]:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aW1hZ2U="}}
    content = [{"type": "text", "text": OLD}, image]
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "shot", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": content}]},
        {"role": "assistant", "content": "x" * 400},
    ]


def responses() -> list[Any]:
    return [
        {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": OLD},
        {"role": "assistant", "content": "x" * 400},
    ]


def light() -> list[Any]:
    return [
        {"role": "assistant", "tokens": 0, "tool_calls": [{"id": "c1", "name": "bash", "tokens": 3}]},
        {"role": "tool", "tool_call_id": "c1", "tokens": 5000},
        {"role": "assistant", "tokens": 400},
    ]


async def ask(shelf: Shelf, session: str = "s1", **fields: Any) -> Answer:
    return await answer_clear(shelf.retrieval, session, msgspec.json.encode(fields))


async def ok(shelf: Shelf, **fields: Any) -> dict[str, Any]:
    reply = msgspec.json.decode((await ask(shelf, **fields)).body)
    assert set(reply) == {"ok"}, reply
    answered: dict[str, Any] = reply["ok"]
    return answered


@pytest.mark.parametrize(
    "messages", [chat(), anthropic(), responses(), light()], ids=["chat", "anthropic", "responses", "light"]
)
async def test_without_offload_each_shape_is_cleared_as_the_pure_function_does(messages: list[Any]) -> None:
    got = await ok(Shelf(), messages=messages, offload=False, **FACTS)
    expected = clear(messages, Rules(**FACTS))
    assert got["messages"] == expected.messages != messages
    assert (got["tokens_before"], got["tokens_after"]) == (expected.tokens_before, expected.tokens_after)
    assert [item["ref"] for item in got["cleared"]] == [None] * len(expected.cleared)


@pytest.mark.parametrize("messages", [chat(), anthropic(), responses()], ids=["chat", "anthropic", "responses"])
async def test_what_is_cleared_can_be_read_by_the_ref_in_its_place(messages: list[Any]) -> None:
    shelf = Shelf()
    got = await ok(shelf, messages=messages, **FACTS)
    for item in got["cleared"]:
        read = await shelf.ok("read", ref=item["ref"], limit=-1)
        assert read["content"].endswith(OLD)
        assert f"{PLACEHOLDER}\\nref: {item['ref']}\\n" in msgspec.json.encode(got["messages"][item["index"]]).decode()
    assert got["cleared"]


async def test_what_was_cleared_is_not_cleared_again() -> None:
    shelf = Shelf()
    first = await ok(shelf, messages=chat(), **FACTS)
    again = await ok(shelf, messages=first["messages"], **FACTS)
    assert again["messages"] == first["messages"]
    assert again["cleared"] == []


async def test_media_stay_in_the_conversation() -> None:
    got = await ok(Shelf(), messages=anthropic(), **FACTS)
    assert got["messages"][1]["content"][0]["content"][1] == anthropic()[1]["content"][0]["content"][1]


async def test_a_result_that_is_stored_already_is_not_stored_again() -> None:
    shelf = Shelf()
    ref = await shelf.keep(f"0 {OLD}", call="call_0", tool="bash")
    got = await ok(shelf, messages=chat(2), **FACTS)
    assert [item["ref"] for item in got["cleared"]] == [ref]
    assert [one["turn_id"] for one in (await shelf.ok("list"))["tool_results"]] == ["t1"]


async def test_the_same_result_cleared_twice_in_different_requests_is_listed_once() -> None:
    shelf = Shelf()
    for _ in range(2):
        await ok(shelf, messages=chat(2), **FACTS)
    assert len((await shelf.ok("list"))["tool_results"]) == 1


async def test_where_the_store_is_away_nothing_is_cleared() -> None:
    store = FailingStore(MemoryStore())
    store.fail("put")
    code, _ = problem(await ask(Shelf(store=store), messages=chat(), **FACTS))
    assert code == "unavailable"


async def test_where_the_store_is_away_one_may_do_without_it() -> None:
    store = FailingStore(MemoryStore())
    store.fail("put")
    got = await ok(Shelf(store=store), messages=chat(), offload=False, **FACTS)
    assert got["cleared"]


async def test_a_light_message_that_says_where_its_result_is_gets_that_ref() -> None:
    ref = "coat://s1/c1-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
    messages = light()
    messages[1]["ref"] = ref
    got = await ok(Shelf(), messages=messages, **FACTS)
    (item,) = got["cleared"]
    assert (item["ref"], got["offloaded"]) == (ref, True)
    assert item["placeholder"].startswith(f"{PLACEHOLDER}\nref: {ref}\n")
    assert got["messages"][1] == messages[1] | {"cleared": True, "tokens": -(-len(item["placeholder"]) // 4)}
    again = await ok(Shelf(), messages=got["messages"], **FACTS)
    assert (again["messages"], again["cleared"]) == (got["messages"], [])


async def test_the_settings_of_the_deployment_are_the_rules_that_a_request_leaves_out() -> None:
    shelf = Shelf(clearing={**FACTS, "placeholder": "gone", "offload": False})
    got = await ok(shelf, messages=chat())
    assert {got["messages"][item["index"]]["content"] for item in got["cleared"]} == {"gone"}
    assert (await ok(shelf, messages=chat(), clearing_token_threshold=10**9))["cleared"] == []


@pytest.mark.parametrize(
    ("deployment", "asked"), [({"sessions_without": ["s1"]}, {}), ({}, {"retrieval": False})], ids=["session", "asker"]
)
async def test_an_agent_without_tools_gets_the_ref_alone(deployment: dict[str, Any], asked: dict[str, Any]) -> None:
    got = await ok(Shelf(retrieval=deployment), messages=chat(2), **FACTS, **asked)
    assert got["messages"][2]["content"] == f"{PLACEHOLDER}\nref: {got['cleared'][0]['ref']}"


async def test_a_reply_over_one_message_is_too_large() -> None:
    code, _ = problem(await ask(Shelf(max_reply_bytes=1000), messages=chat(), clearing_token_threshold=10**9))
    assert code == "too_large"


async def test_where_the_reply_is_too_large_nothing_is_stored() -> None:
    store = MemoryStore()
    messages = [*chat(), {"role": "user", "content": "x" * 4000}]
    code, _ = problem(await ask(Shelf(store=store, max_reply_bytes=4000), messages=messages, **FACTS))
    assert code == "too_large"
    assert [key async for key in store.list("")] == []
    await ok(Shelf(store=store), messages=messages, **FACTS)
    assert [key async for key in store.list("")] != []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": [], "keep_rounds": -1}, "keep_rounds"),
        ({"messages": [], "placeholder": " "}, "placeholder"),
        ({"messages": [], "tools": {"bash": {"kep": 1}}}, "kep"),
        ({"messages": [], "clearing_treshold": 1}, "clearing_treshold"),
        ({"messages": [{"role": "tool", "tokens": -1}]}, "tokens"),
        ({"messages": [{"role": "tool", "tokens": 1, "ref": "coat://s1"}]}, "messages[0]: ref"),
        (
            {"messages": [{"role": "tool", "tokens": 1, "tool_results": [{"tokens": 1, "ref": 7}]}]},
            "tool_results[0].ref",
        ),
    ],
)
async def test_a_wrong_field_is_named(fields: dict[str, Any], said: str) -> None:
    code, message = problem(await ask(Shelf(), **fields))
    assert code == "invalid_argument"
    assert said in message


@pytest.mark.parametrize(("call_id", "tool"), [("c" * 5000, "bash"), ("c", "b" * 5000)])
async def test_a_result_whose_names_are_too_long_to_be_stored_stays_and_the_others_go(call_id: str, tool: str) -> None:
    call = {"id": call_id, "type": "function", "function": {"name": tool, "arguments": "{}"}}
    long = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": OLD},
    ]
    got = await ok(Shelf(), messages=[*long, *chat()], **FACTS)
    assert got["messages"][:2] == long
    assert [item["index"] for item in got["cleared"]] == [4, 6, 8]
    assert got["offloaded"]
    plain = await ok(Shelf(), messages=[*long, *chat()], offload=False, **FACTS)
    assert plain["messages"][1]["content"] == PLACEHOLDER


class BeingErased(NoTombstones):
    def is_being_erased(self, session: str, result_id: str | None = None) -> bool:
        return True


class DeletedMeanwhile(NoTombstones):
    """Hears of a deletion between the first question and the second."""

    def __init__(self) -> None:
        self.asked = 0

    def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        self.asked += 1
        return None if self.asked == 1 else datetime.now(UTC)


@pytest.mark.parametrize("tombstones", [BeingErased(), DeletedMeanwhile()])
async def test_while_the_session_is_being_deleted_nothing_is_cleared(tombstones: NoTombstones) -> None:
    shelf = Shelf()
    shelf.retrieval = msgspec.structs.replace(shelf.retrieval, tombstones=tombstones)
    code, message = problem(await ask(shelf, messages=chat(2), **FACTS))
    assert code == "unavailable"
    assert "being deleted" in message


async def test_what_was_deleted_is_stored_anew() -> None:
    class Deleted(NoTombstones):
        def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
            return datetime.fromtimestamp(BEGIN / 1000 + 3600, UTC)

    shelf = Shelf()
    await shelf.keep(f"0 {OLD}", call="call_0", tool="bash")
    now = datetime.fromtimestamp(BEGIN / 1000 + 7200, UTC)
    shelf.retrieval = msgspec.structs.replace(shelf.retrieval, tombstones=Deleted(), now=lambda: now)
    got = await ok(shelf, messages=chat(2), **FACTS)
    assert (await shelf.ok("read", ref=got["cleared"][0]["ref"], limit=-1))["content"] == f"0 {OLD}"


@pytest.mark.parametrize("depth", [50, 900, 20_000])
async def test_a_message_that_nests_deep_is_answered(depth: int) -> None:
    nested = (
        b'{"messages":[{"role":"tool","tool_call_id":"c","content":' + b'[{"a":' * depth + b"1" + b"}]" * depth + b"}]}"
    )
    reply = msgspec.json.decode((await answer_clear(Shelf().retrieval, "s1", nested)).body)
    assert "ok" in reply or reply["error"]["code"] == "invalid_argument", reply


async def test_half_a_pair_is_a_replacement_char_and_keeps_no_conversation_from_being_cleared() -> None:
    shelf = Shelf()
    body = b'{"messages":[{"role":"tool","tool_call_id":"c","content":"cut \\ud83d"}]}'
    reply = msgspec.json.decode((await answer_clear(shelf.retrieval, "s1", body)).body)
    assert reply["ok"]["messages"] == [
        {"role": "tool", "tool_call_id": "c", "content": "cut \N{REPLACEMENT CHARACTER}"}
    ]
