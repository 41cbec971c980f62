"""Each shape comes back as it came, with nothing changed but what was cleared."""

from typing import Any

import pytest
from tests.support.conversations import LangChainMessage

from coatcheck_core.clearing import PLACEHOLDER, Rules, ToolRule, clear
from coatcheck_core.clearing.shapes import shape_of
from coatcheck_schemas.errors import RequestError

LONG = "x" * 400
NOW = Rules(clearing_token_threshold=0, keep_recent_tokens=0)
ALL = Rules(clearing_token_threshold=0, keep_recent_tokens=0, clear_arguments=True)
BASH_ALONE = Rules(clearing_token_threshold=0, keep_recent_tokens=0, tools={"bash": ToolRule(clear_arguments=True)})
CLEARED_JSON = '{"_cleared":"[Old tool call arguments cleared]"}'
CLEARED_OBJECT = {"_cleared": "[Old tool call arguments cleared]"}
LAST = {"role": "user", "content": "go on"}


def cleared(*messages: Any, rules: Rules = ALL) -> list[Any]:
    """All but the last, which only ends the conversation."""
    *given, last = clear([*messages, LAST], rules).messages
    assert last is LAST
    return given


def test_openai_chat() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": f'{{"a":"{LONG}"}}'}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call], "refusal": None}
    result = {"role": "tool", "tool_call_id": "c", "content": LONG, "name": "bash"}
    assert cleared(asked, result) == [
        {**asked, "tool_calls": [{**call, "function": {"name": "bash", "arguments": CLEARED_JSON}}]},
        {**result, "content": PLACEHOLDER},
    ]


def test_openai_chat_with_parts() -> None:
    result = {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": LONG}] * 2}
    assert cleared(result) == [{**result, "content": [{"type": "text", "text": PLACEHOLDER}]}]


def test_openai_chat_with_the_older_functions() -> None:
    asked = {"role": "assistant", "content": None, "function_call": {"name": "bash", "arguments": LONG}}
    result = {"role": "function", "name": "bash", "content": LONG}
    assert cleared(asked, result) == [
        {**asked, "function_call": {"name": "bash", "arguments": CLEARED_JSON}},
        {**result, "content": PLACEHOLDER},
    ]


def test_openai_chat_with_a_custom_tool_whose_input_is_free_text() -> None:
    call = {"id": "c", "type": "custom", "custom": {"name": "patch", "input": LONG}}
    asked = {"role": "assistant", "content": "", "tool_calls": [call]}
    written, _ = cleared(asked, {"role": "tool", "tool_call_id": "c", "content": LONG})
    assert written["tool_calls"][0]["custom"] == {"name": "patch", "input": "[Old tool call arguments cleared]"}


def test_openai_responses() -> None:
    asked = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "bash", "arguments": LONG}
    result = {"type": "function_call_output", "call_id": "c", "output": LONG}
    custom = {"type": "custom_tool_call", "call_id": "d", "name": "patch", "input": LONG}
    answer = {"type": "custom_tool_call_output", "call_id": "d", "output": [{"type": "input_text", "text": LONG}]}
    assert cleared(asked, custom, result, answer) == [
        {**asked, "arguments": CLEARED_JSON},
        {**custom, "input": "[Old tool call arguments cleared]"},
        {**result, "output": PLACEHOLDER},
        {**answer, "output": [{"type": "input_text", "text": PLACEHOLDER}]},
    ]


def test_what_the_server_of_openai_runs_itself_is_untouched() -> None:
    items = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": LONG}], "encrypted_content": LONG},
        {"type": "computer_call", "call_id": "c", "action": {"type": "click"}},
        {"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot", "image_url": LONG}},
        {"type": "mcp_call", "id": "m", "arguments": LONG, "output": LONG},
        {"type": "web_search_call", "id": "w"},
    ]
    result = {"type": "function_call_output", "call_id": "c", "output": LONG}
    *untouched, _ = cleared(*items, result)
    assert all(one is other for one, other in zip(untouched, items, strict=True))


def test_responses_count_calls_in_a_row_as_one_round() -> None:
    calls = [{"type": "function_call", "call_id": name, "name": "bash", "arguments": ""} for name in "abc"]
    results = [{"type": "function_call_output", "call_id": name, "output": LONG} for name in "abc"]
    two = Rules(clearing_token_threshold=0, keep_recent_tokens=0, keep_rounds=1)
    rounds = [*calls[:1], *results[:1], *calls[1:], *results[1:]]
    assert [one.slot.call_id for one in clear([*rounds, LAST], two).cleared] == ["a"]


def test_anthropic() -> None:
    use = {"type": "tool_use", "id": "c", "name": "bash", "input": {"a": LONG}}
    thinking = {"type": "thinking", "thinking": "let me look", "signature": "s"}
    asked = {"role": "assistant", "content": [thinking, {"type": "text", "text": "I look"}, use]}
    as_text = {"type": "tool_result", "tool_use_id": "c", "content": LONG, "is_error": True}
    marked = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    as_blocks = {"type": "tool_result", "tool_use_id": "d", "content": [{"type": "text", "text": LONG}, marked]}
    said = {"type": "text", "text": LONG}
    answered = {"role": "user", "content": [as_text, as_blocks, said]}
    assert cleared(asked, answered) == [
        {**asked, "content": [*asked["content"][:2], {**use, "input": CLEARED_OBJECT}]},
        {
            **answered,
            "content": [
                {**as_text, "content": PLACEHOLDER},
                {**as_blocks, "content": [{**marked, "text": PLACEHOLDER}]},
                said,
            ],
        },
    ]


def test_anthropic_s_blocks_are_written_each_by_itself() -> None:
    uses = [
        {"type": "tool_use", "id": call_id, "name": name, "input": {"a": LONG}}
        for call_id, name in [("a", "read"), ("b", "bash")]
    ]
    small = {"type": "tool_result", "tool_use_id": "x", "content": "ok"}
    old = {"type": "tool_result", "tool_use_id": "b", "content": LONG}
    new = {"type": "tool_result", "tool_use_id": "a", "content": LONG}
    messages = [
        {"role": "assistant", "content": uses},
        *[{"role": "user", "content": c} for c in ([small, old], [new])],
    ]
    written = [message["content"] for message in clear(messages, BASH_ALONE).messages]
    assert written == [[uses[0], {**uses[1], "input": CLEARED_OBJECT}], [small, {**old, "content": PLACEHOLDER}], [new]]


def test_anthropic_s_own_server_tools_are_untouched() -> None:
    blocks = [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": LONG}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "web_search_result", "url": "u"}]},
    ]
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": LONG}]}
    message = {"role": "assistant", "content": blocks}
    assert cleared(message, result)[0] is message


@pytest.mark.parametrize("form", ["flat", "data", "dumped"])
def test_langchain_s_dicts(form: str) -> None:
    names = {"ai": "AIMessage", "tool": "ToolMessage"}

    def shaped(kind: str, **fields: Any) -> dict[str, Any]:
        if form == "flat":
            return {"type": kind, **fields}
        if form == "data":
            return {"type": kind, "data": {"type": kind, **fields}}
        return {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", names[kind]],
            "kwargs": fields,
        }

    call = {"name": "bash", "args": {"a": LONG}, "id": "c", "type": "tool_call"}
    assert cleared(
        shaped("ai", content="", tool_calls=[call], id="run-1"),
        shaped("tool", content=LONG, tool_call_id="c", status="success", artifact={"rows": 5}),
    ) == [
        shaped("ai", content="", tool_calls=[{**call, "args": CLEARED_OBJECT}], id="run-1"),
        shaped("tool", content=PLACEHOLDER, tool_call_id="c", status="success", artifact={"rows": 5}),
    ]


def test_langchain_s_objects_come_back_as_objects() -> None:
    asked = LangChainMessage(type="ai", content="", tool_calls=[{"name": "bash", "args": {"a": LONG}, "id": "c"}])
    result = LangChainMessage(type="tool", content=LONG, tool_call_id="c")
    assert cleared(asked, result) == [
        LangChainMessage(type="ai", content="", tool_calls=[{"name": "bash", "args": CLEARED_OBJECT, "id": "c"}]),
        LangChainMessage(type="tool", content=PLACEHOLDER, tool_call_id="c"),
    ]
    assert (result.content, asked.tool_calls[0]["args"]) == (LONG, {"a": LONG})


def test_langchain_s_calls_go_wherever_the_message_says_them_and_count_once() -> None:
    raw = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": LONG}}
    text = {"type": "text", "text": "I look"}
    message = {
        "type": "ai",
        "content": [text, {"type": "tool_use", "id": "c", "name": "bash", "input": {"a": LONG}}],
        "tool_calls": [{"name": "bash", "args": {"a": LONG}, "id": "c"}],
        "invalid_tool_calls": [{"name": "bash", "args": LONG, "id": "d", "error": "no JSON"}],
        "additional_kwargs": {"tool_calls": [raw], "refusal": None},
    }
    results = [{"type": "tool", "content": LONG, "tool_call_id": call_id} for call_id in "cd"]
    written, *_ = cleared(message, *results)
    assert written == {
        "type": "ai",
        "content": [text, {"type": "tool_use", "id": "c", "name": "bash", "input": CLEARED_OBJECT}],
        "tool_calls": [{"name": "bash", "args": CLEARED_OBJECT, "id": "c"}],
        "invalid_tool_calls": [{"name": "bash", "args": CLEARED_JSON, "id": "d", "error": "no JSON"}],
        "additional_kwargs": {
            "tool_calls": [{**raw, "function": {"name": "bash", "arguments": CLEARED_JSON}}],
            "refusal": None,
        },
    }
    once = -(-(len("I look") + len(f'{{"a":"{LONG}"}}') + len(LONG)) // 4)
    assert clear([message]).tokens_before == once


def test_langchain_s_calls_are_told_apart_where_their_copies_are_fewer() -> None:
    message = {
        "type": "ai",
        "content": [{"type": "tool_use", "id": "b", "name": "read", "input": {"a": LONG}}],
        "tool_calls": [
            {"name": name, "args": {"a": LONG}, "id": call_id} for call_id, name in [("a", "bash"), ("b", "read")]
        ],
    }
    results = [{"type": "tool", "content": LONG, "tool_call_id": call_id} for call_id in "ab"]
    written = clear([message, *results], BASH_ALONE).messages[0]
    assert [call["args"] for call in written["tool_calls"]] == [CLEARED_OBJECT, {"a": LONG}]
    assert written["content"] == message["content"]


def test_langchain_s_calls_of_one_id_are_told_apart_by_their_place_or_not_at_all() -> None:
    use = {"type": "tool_use", "id": "c", "name": "bash", "input": {"a": LONG}}
    calls = [{"name": name, "args": {"a": LONG}, "id": "c"} for name in ("bash", "read")]
    results = [{"type": "tool", "content": LONG, "tool_call_id": "c"}] * 2
    as_many = clear([{"type": "ai", "content": [use, use], "tool_calls": calls}, *results], BASH_ALONE).messages[0]
    assert as_many["content"] == [{**use, "input": CLEARED_OBJECT}, use]
    fewer = clear([{"type": "ai", "content": [use], "tool_calls": calls}, *results], BASH_ALONE).messages[0]
    assert [call["args"] for call in fewer["tool_calls"]] == [CLEARED_OBJECT, {"a": LONG}]
    assert fewer["content"] == [use]


def test_langchain_s_pieces_of_calls_go_with_them() -> None:
    chunk = {"name": "bash", "args": LONG, "id": "c", "index": 0}
    message = {
        "type": "AIMessageChunk",
        "content": [{"type": "tool_call", "id": "c", "name": "bash", "args": {"a": LONG}}],
        "tool_calls": [{"name": "bash", "args": {"a": LONG}, "id": "c"}],
        "tool_call_chunks": [chunk],
    }
    written, _ = cleared(message, {"type": "tool", "content": LONG, "tool_call_id": "c"})
    assert written["tool_call_chunks"] == [{**chunk, "args": CLEARED_JSON}]
    assert written["content"][0]["args"] == CLEARED_OBJECT
    assert LONG not in str(written)


def test_light_messages() -> None:
    asked = {"role": "assistant", "tokens": 5, "tool_calls": [{"id": "c", "name": "bash", "tokens": 100}]}
    result = {"role": "tool", "tool_call_id": "c", "tokens": 500}
    done = clear([asked, result, {"role": "user", "tokens": 2}], ALL)
    assert done.messages == [
        {**asked, "tool_calls": [{"id": "c", "name": "bash", "tokens": 12, "cleared": True}]},
        {**result, "tokens": 9, "cleared": True},
        {"role": "user", "tokens": 2},
    ]
    assert (done.tokens_before, done.tokens_after) == (607, 28)
    assert (done.cleared[0].tokens, done.cleared[0].slot.is_light) == (500, True)
    assert clear(done.messages, ALL).messages == done.messages


def test_a_light_message_may_have_several_results() -> None:
    results = [{"tool_call_id": "a", "tokens": 500}, {"tool_call_id": "b", "tokens": 5}]
    message = {"role": "user", "tokens": 7, "tool_results": results}
    done = clear([message, {"role": "user", "tokens": 2}], NOW)
    assert done.messages[0]["tool_results"] == [{"tool_call_id": "a", "tokens": 9, "cleared": True}, results[1]]
    assert done.tokens_before == 514


@pytest.mark.parametrize(
    ("message", "where"),
    [
        ({"role": "tool", "tokens": -1}, r"messages\[1\]: tokens"),
        ({"role": "user", "tokens": "5"}, r"messages\[1\]: tokens"),
        ({"role": "user", "tokens": None}, r"messages\[1\]: tokens"),
        ({"role": "user", "tokens": 1.5}, r"messages\[1\]: tokens"),
        (
            {"role": "assistant", "tokens": 1, "tool_calls": [{"tokens": True}]},
            r"messages\[1\]: tool_calls\[0\].tokens",
        ),
        ({"role": "assistant", "tokens": 1, "tool_calls": ["x"]}, r"messages\[1\]: tool_calls\[0\].tokens"),
        ({"role": "user", "tokens": 1, "tool_results": [{}]}, r"messages\[1\]: tool_results\[0\].tokens"),
    ],
)
def test_a_light_message_whose_size_is_none_is_refused_by_its_place(message: Any, where: str) -> None:
    with pytest.raises(RequestError, match=where):
        clear([LAST, message])


IMAGES = {
    "chat": {"type": "image_url", "image_url": {"url": "data:image/png;base64,aaaa"}},
    "responses": {"type": "input_image", "image_url": "data:image/png;base64,aaaa"},
    "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aaaa"}},
}


@pytest.mark.parametrize("image", IMAGES.values(), ids=IMAGES)
@pytest.mark.parametrize("before", [True, False])
def test_media_blocks_stay_where_they_are(image: dict[str, Any], before: bool) -> None:
    text, placeholder = {"type": "text", "text": LONG}, {"type": "text", "text": PLACEHOLDER}
    given = [image, text, image, text] if before else [text, image, text, image]
    kept = [image, placeholder, image] if before else [placeholder, image, image]
    chat = {"role": "tool", "tool_call_id": "c", "content": given}
    item = {"type": "function_call_output", "call_id": "c", "output": given}
    user = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": given}]}
    written = cleared(chat, item, user)
    contents = [written[0]["content"], written[1]["output"], written[2]["content"][0]["content"]]
    assert contents == [kept] * 3
    again = clear([*written, LAST], ALL)
    assert again.cleared == []


def test_a_result_of_media_alone_stays_and_an_image_s_bytes_are_no_text() -> None:
    result = {"role": "tool", "tool_call_id": "c", "content": [IMAGES["chat"]] * 50}
    done = clear([result, LAST], ALL)
    assert done.messages[0] is result
    assert done.tokens_before == 2


def test_a_list_may_mix_shapes() -> None:
    mixed = [
        {"role": "tool", "tool_call_id": "a", "content": LONG},
        {"type": "function_call_output", "call_id": "b", "output": LONG},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": LONG}]},
        {"type": "tool", "data": {"content": LONG, "tool_call_id": "d"}},
        {"role": "tool", "tool_call_id": "e", "tokens": 100},
    ]
    assert [shape_of(message).name for message in mixed] == [
        "openai chat",
        "openai responses",
        "anthropic",
        "langchain",
        "light",
    ]
    assert [one.slot.call_id for one in clear([*mixed, LAST], NOW).cleared] == list("abcde")


def test_unknown_roles_and_shapes_pass_untouched_and_count_by_their_text() -> None:
    unknown = [
        {"role": "narrator", "content": "x" * 40},
        {"role": "critic", "content": [{"type": "text", "text": "x" * 40}, {"type": "sketch", "data": "y" * 4000}]},
        {"anything": {"content": 5}},
        "x" * 40,
        None,
        5,
        ["x"],
        {},
    ]
    done = clear(unknown, ALL)
    assert all(one is other for one, other in zip(done.messages, unknown, strict=True))
    assert done.tokens_before == 31


def test_a_result_that_is_an_object_counts_as_json_and_goes_as_text() -> None:
    result = {"role": "tool", "tool_call_id": "c", "content": {"rows": [LONG]}}
    done = clear([result, LAST], NOW)
    assert done.messages[0]["content"] == PLACEHOLDER
    assert done.cleared[0].slot.text == f'{{"rows":["{LONG}"]}}'


class Message:
    """What an SDK's own class may be: fields, and no way to copy it."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def test_objects_of_any_class_are_read_by_their_fields_and_copied() -> None:
    call = Message(id="c", function=Message(name="bash", arguments=LONG))
    asked = Message(role="assistant", content=None, tool_calls=[call])
    result = Message(role="tool", tool_call_id="c", content=LONG)
    written = cleared(asked, result)
    assert [type(one) for one in written] == [Message, Message]
    assert written[0].tool_calls[0].function.arguments == CLEARED_JSON
    assert written[1].content == PLACEHOLDER
    assert (call.function.arguments, result.content) == (LONG, LONG)
