"""The client stores what it clears, also of a conversation that no message carries."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.conversations import SHAPES, Answer, Ask, Conversation, Say, anthropic_grouped, rounds
from tests.support.originals import Shelf
from tests.support.wire_client import WireClient

import coatcheck
from coatcheck.client import offloading
from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.clearing import PLACEHOLDER, light_of
from coatcheck_core.settings import load
from coatcheck_schemas.clearing import ClearRequest
from coatcheck_schemas.errors import Code, RequestError

RULES: dict[str, Any] = {"clearing_token_threshold": 100, "keep_recent_tokens": 300, "clear_arguments": True}
CONVERSATION = [*rounds(8, size=800, argument="ls " * 100), Say("user", "and now?")]
FULL_SHAPES = sorted(set(SHAPES) - {"light"})


def asked(client: WireClient) -> list[list[Any]]:
    """The messages of each request."""
    return [request.messages for request in client.asked if isinstance(request, ClearRequest)]


@pytest.mark.parametrize("most", [6000, 2500, 1900], ids=["by sizes", "on the spot", "one at a time"])
@pytest.mark.parametrize("shape", FULL_SHAPES)
async def test_it_comes_to_the_same_as_in_one_message(shape: str, most: int) -> None:
    messages = SHAPES[shape](CONVERSATION)
    client = WireClient(Shelf(), most)
    got = await client.clear("s1", messages, **RULES)
    whole = await WireClient(Shelf()).clear("s1", messages, **RULES)
    assert got == whole
    assert len(client.asked) > 2
    for number, item in enumerate(got.cleared):
        assert (await client.read("s1", str(item.ref), limit=-1)).content == f"{number:04d}" * 200


async def test_several_results_of_one_message_each_get_their_own_ref() -> None:
    calls = tuple(Ask(name, "bash") for name in "abcd")
    texts = [("x" * 800,), ("y" * 800, "z" * 800), ("short",), ("w" * 900,)]
    answers = [Answer(name, text, has_image=name == "a") for name, text in zip("abcd", texts, strict=True)]
    conversation: Conversation = [Say("assistant", "", calls), *answers, Say("user", "w" * 1400)]
    messages = anthropic_grouped(conversation)
    client = WireClient(Shelf(), 3000)
    got = await client.clear("s1", messages, **RULES)
    assert got == await WireClient(Shelf()).clear("s1", messages, **RULES)
    assert [item.call_id for item in got.cleared] == ["a", "b", "d"]
    assert (await client.read("s1", str(got.cleared[1].ref), limit=-1)).content == "y" * 800 + "\n" + "z" * 800


async def test_only_what_goes_is_sent() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    client = WireClient(Shelf(), 6000)
    await client.clear("s1", messages, **RULES)
    light, *batches = asked(client)
    sent = [message["content"] for batch in batches for message in batch if message["role"] == "tool"]
    assert light == light_of(messages)
    assert sent == [f"{number:04d}" * 200 for number in range(6)]


async def test_a_counter_decides_here_and_the_results_are_stored_all_the_same() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    client = WireClient(Shelf())
    got = await client.clear("s1", messages, count=len, clearing_token_threshold=100, keep_recent_tokens=1000)
    assert got.offloaded
    assert len(got.cleared) == 7
    assert got.tokens_before == coatcheck.clear(messages, count=len).tokens_before
    assert got.tokens_after == coatcheck.clear(got.messages, count=len).tokens_before


@pytest.mark.parametrize("strange", ["ring", "object", "surrogate"])
async def test_what_json_does_not_have_hinders_nobody(strange: str) -> None:
    ring = SimpleNamespace(type="text")
    ring.itself = ring
    messages = SHAPES["chat"](CONVERSATION)
    messages[0] = {**messages[0], "more": {"ring": ring, "object": object(), "surrogate": "\udc80"}[strange]}
    got = await WireClient(Shelf()).clear("s1", messages, **RULES)
    assert (len(got.cleared), got.offloaded) == (6, True)


async def test_a_lone_surrogate_in_a_result_is_stored_as_the_contract_has_it() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    messages[2] = {**messages[2], "content": "\udc80" + "x" * 800}
    client = WireClient(Shelf())
    got = await client.clear("s1", messages, **RULES)
    assert (await client.read("s1", str(got.cleared[0].ref), limit=-1)).content == "\ufffd" + "x" * 800


async def test_what_no_request_carries_is_stored_apart() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    messages[4] = {**messages[4], "content": "huge " * 2000}
    client = WireClient(Shelf(), 6000)
    client.takes_apart = True
    got = await client.clear("s1", messages, **RULES)
    assert [one.call_id for one in client.apart] == ["call_1"]
    assert (await client.read("s1", str(got.cleared[1].ref), limit=-1)).content == "huge " * 2000
    assert got.messages[4]["content"].startswith(f"{PLACEHOLDER}\nref: {got.cleared[1].ref}\n")
    again = await client.clear("s1", got.messages, **RULES)
    assert (again.messages, again.cleared) == (got.messages, [])


async def test_of_many_that_are_shorter_than_a_ref_none_is_sent() -> None:
    messages = SHAPES["chat"]([*rounds(100, size=160), Say("user", "and now?")])
    client = WireClient(Shelf(), 1000)
    got = await client.clear("s1", messages, **RULES, keep_rounds=1)
    assert (got.cleared, client.asked) == ([], [])
    assert [message["content"] for message in got.messages] == [message["content"] for message in messages]


@pytest.mark.parametrize("most", [1 << 20, 6000])
async def test_a_result_whose_calls_id_is_too_long_to_be_stored_stays(most: int) -> None:
    messages = SHAPES["chat"](CONVERSATION)
    call = messages[1]["tool_calls"][0] | {"id": "c" * 4097}
    messages[1] = messages[1] | {"tool_calls": [call]}
    messages[2] = messages[2] | {"tool_call_id": "c" * 4097}
    got = await WireClient(Shelf(), most).clear("s1", messages, **RULES)
    assert [item.index for item in got.cleared] == [4, 6, 8, 10, 12]


@pytest.mark.parametrize("most", [1 << 20, 6000])
async def test_of_a_session_without_tools_no_placeholder_speaks_of_them(most: int) -> None:
    settings = load(assignments=["retrieval.sessions_without=[s1]"])[0]
    shelf = Shelf(retrieval={"sessions_without": ["s1"]})
    got = await WireClient(shelf, most).clear("s1", SHAPES["chat"](CONVERSATION), settings=settings, **RULES)
    assert {got.messages[item.index]["content"].count("\n") for item in got.cleared} == {1}


@pytest.mark.parametrize("most", [1 << 20, 6000])
async def test_of_an_agent_that_says_it_has_no_tools_no_placeholder_speaks_of_them(most: int) -> None:
    got = await WireClient(Shelf(), most).clear("s1", SHAPES["chat"](CONVERSATION), retrieval=False, **RULES)
    assert {got.messages[item.index]["content"].count("\n") for item in got.cleared} == {1}


async def test_what_cannot_be_stored_stays() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    messages[4] = {**messages[4], "content": "huge " * 2000}
    got = await WireClient(Shelf(), 6000).clear("s1", messages, **RULES)
    assert got.messages[4] is messages[4]
    assert [item.call_id for item in got.cleared] == ["call_0", "call_2", "call_3", "call_4", "call_5"]
    assert got.offloaded


async def test_where_less_is_gained_with_refs_than_is_asked_for_nothing_is_cleared() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    gain = coatcheck.clear(messages, **RULES)
    least = gain.tokens_before - gain.tokens_after
    got = await WireClient(Shelf(), 6000).clear("s1", messages, **RULES, clear_at_least_tokens=least)
    assert (got.messages, got.cleared, got.tokens_after) == (messages, [], got.tokens_before)


async def test_a_stub_is_not_stored_again_and_its_ref_stays() -> None:
    shelf = Shelf()
    client = WireClient(shelf, 6000)
    messages = SHAPES["chat"](CONVERSATION)
    ref = await shelf.keep("what it is a stub of\n" * 4000, call="call_0")
    messages[2] = {**messages[2], "content": stub_of(ref)}
    got = await client.clear("s1", messages, **RULES)
    assert got.cleared[0].ref == ref
    assert got.messages[2]["content"] == f"{PLACEHOLDER}\nref: {ref}"
    assert asked(client)[0][2]["ref"] == ref


async def test_a_stub_that_leads_to_nothing_is_stored_as_its_text() -> None:
    client = WireClient(Shelf(), 6000)
    messages = SHAPES["chat"](CONVERSATION)
    stub = stub_of("coat://s1/call_0-0a1b2c3d4e5f60718293a4b5c6d7e8f9")
    messages[2] = {**messages[2], "content": stub}
    got = await client.clear("s1", messages, **RULES)
    assert asked(client)[0][2]["ref"] not in (None, got.cleared[0].ref)
    assert (await client.read("s1", str(got.cleared[0].ref), limit=-1)).content == stub


def stub_of(ref: str) -> str:
    header = (
        "[Coatcheck: tool result offloaded]\ntool_name: bash\nkind: text\noriginal_chars: 90000\npreview_chars: 500\n"
    )
    return f"{header}ref: {ref}\nsha256: {ref[-32:-16]}\nreason: single_threshold\n\nSample:\n- {'sample ' * 100}"


async def test_by_the_settings_of_the_caller_nothing_is_stored() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    settings = load(assignments=["clearing.offload=false", "clearing.placeholder=gone"])[0]
    got = await WireClient(Shelf(), 10).clear("s1", messages, settings=settings, **RULES)
    assert {got.messages[item.index]["content"] for item in got.cleared} == {"gone"}
    assert not got.offloaded


async def test_of_light_messages_the_workers_placeholder_stands() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    client = WireClient(Shelf(clearing={"placeholder": "gone"}))
    got = await client.clear("s1", messages, light=True, **RULES)
    assert {got.messages[item.index]["content"] for item in got.cleared} == {"gone"}


async def test_no_rule_of_the_deployment_keeps_what_is_to_go() -> None:
    messages = SHAPES["chat"](CONVERSATION)
    rule = {"never": False, "keep": 0}
    shelf = Shelf(clearing={"keep_rounds": 5, "exclude_tools": ["bash"]}, tools={"bash": {"clear": {"never": True}}})
    got = await WireClient(shelf, 6000).clear(
        "s1", messages, **RULES, keep_rounds=0, exclude_tools=[], tools={"bash": rule}
    )
    assert len(got.cleared) == 6


async def test_where_the_store_is_away_what_was_stored_before_is_found_at_the_next_try(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(offloading, "MOST_RESULTS", 2)
    store = FailingStore(MemoryStore())
    store.fail("put", key=lambda key: "call_5" in key, times=1)
    messages = SHAPES["chat"](CONVERSATION)
    client = WireClient(Shelf(store=store), 6000)
    with pytest.raises(RequestError) as refused:
        await client.clear("s1", messages, **RULES)
    assert refused.value.code is Code.UNAVAILABLE
    before = store.calls["put"]
    got = await client.clear("s1", messages, **RULES)
    assert len(got.cleared) == 6
    assert store.calls["put"] - before <= 3 * 3


class Late(WireClient):
    """Whose worker has time for few results: then it says how far it came."""

    def __init__(self, shelf: Shelf, told: list[int]) -> None:
        super().__init__(shelf)
        self.told = told
        self.tries = 0

    async def _ask(self, *args: Any, **more: Any) -> Any:
        self.tries += 1
        if self.told:
            raise RequestError(Code.UNAVAILABLE, "so far", stored=self.told.pop(0), results=7)
        return await super()._ask(*args, **more)


async def test_as_long_as_more_is_stored_it_is_asked_again() -> None:
    client = Late(Shelf(), [2, 4, 6])
    assert (await client.clear("s1", SHAPES["chat"](CONVERSATION), **RULES)).offloaded
    assert client.tries == 4


async def test_where_nothing_more_is_stored_that_is_the_answer() -> None:
    client = Late(Shelf(), [2, 4, 4, 6])
    with pytest.raises(RequestError) as refused:
        await client.clear("s1", SHAPES["chat"](CONVERSATION), **RULES)
    assert refused.value.details["stored"] == 4
    assert client.tries == 3


@pytest.mark.parametrize("shape", ["chat", "anthropic", "langchain_objects"])
async def test_what_was_cleared_keeps_its_bytes_while_a_conversation_outgrows_a_message(shape: str) -> None:
    steps = [*rounds(40, size=800, argument="ls " * 30), Say("user", "and now?")]
    client = WireClient(Shelf(), 16_000)
    messages: list[Any] = []
    cleared: dict[int, Any] = {}
    for end in range(6, len(steps), 8):
        messages += SHAPES[shape](steps[:end])[len(messages) :]
        got = await client.clear("s1", messages, **RULES)
        messages = got.messages
        assert {index: messages[index] for index in cleared} == cleared
        cleared |= {item.index: messages[item.index] for item in got.cleared}
    assert len(cleared) > 30
    whole = await WireClient(Shelf()).clear("s1", SHAPES[shape](steps[:end]), **RULES)
    assert messages == whole.messages
