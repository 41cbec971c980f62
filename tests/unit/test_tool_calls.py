"""What a model gets for its calls of the retrieval tools: bounded, with the way on, and no exception."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from tests.support.originals import Shelf
from tests.support.shelf_client import ShelfClient

from coatcheck.tools import ToolAnswer
from coatcheck.tools.calling import call_tool
from coatcheck_core.settings import Settings, load
from coatcheck_schemas.errors import Code, InvalidInput, RequestError

LOG = "".join(f"line {number} of the log\n" for number in range(5000))
MORE = re.compile(r"offset=(\d+) unit=(\w+)\]")
CURSOR = re.compile(r"cursor=([^\]]+)\]")


@pytest.fixture
def client() -> ShelfClient:
    return ShelfClient(Shelf())


async def called(client: ShelfClient, name: str, arguments: object = None, *by: str, session: str = "s1") -> ToolAnswer:
    settings = load(assignments=by)[0]
    answer = await call_tool(client, session, f"tool_result_{name}", arguments, settings=settings)
    assert len(answer.text) <= settings.retrieval.tool_max_chars
    return answer


def content(answer: ToolAnswer) -> str:
    """What stands under the head."""
    return answer.text.partition("]\n")[2]


async def read_on(client: ShelfClient, ref: str, first: Mapping[str, Any], *by: str) -> str:
    """All that the answers give, going on as each says."""
    arguments: dict[str, Any] = {"ref": ref, **first}
    pieces = []
    while True:
        answer = await called(client, "read", arguments, *by)
        assert not answer.is_error, answer.text
        pieces.append(content(answer))
        following = MORE.search(answer.text.partition("\n")[0])
        if following is None:
            assert "this is the end" in answer.text
            return "".join(pieces)
        arguments = {"ref": ref, "offset": following[1], "unit": following[2]}


@pytest.mark.parametrize("most", [2000, 20_000])
@pytest.mark.parametrize("unit", ["chars", "lines"])
@pytest.mark.parametrize(
    "text",
    [
        LOG,
        f"short\n{'長' * 3000}\nshort\n{'x' * 19_900}\n{'y' * 30_000}\nlast",
        "aaaa " * 700 + "\n" + "aaaa " * 3900 + "\nend\n",
        "\n" * 3000,
    ],
    ids=["log", "giant lines", "lines that begin alike", "empty lines"],
)
async def test_going_on_as_the_answers_say_gives_the_original(
    client: ShelfClient, text: str, unit: str, most: int
) -> None:
    ref = await client.shelf.keep(text)
    assert await read_on(client, ref, {"unit": unit}, f"retrieval.tool_max_chars={most}") == text


async def test_a_read_tells_what_it_shows_and_where_it_goes_on(client: ShelfClient) -> None:
    ref = await client.shelf.keep(LOG)
    answer = await called(client, "read", {"ref": ref, "unit": "lines", "offset": 10, "limit": 2})
    assert answer.text == (
        f"[{ref}: lines 10 to 11 of 5000, counted from 0; there is more: call tool_result_read with the same ref and "
        "offset=12 unit=lines]\nline 10 of the log\nline 11 of the log\n"
    )
    assert (answer.source_ref, answer.is_error, str(answer)) == (ref, False, answer.text)


async def test_numbers_are_of_lines_without_being_told(client: ShelfClient) -> None:
    ref = await client.shelf.keep(LOG)
    answer = await called(client, "read", {"ref": ref, "numbered": "yes", "offset": -1})
    assert content(answer) == "  5000\tline 4999 of the log\n"


async def test_bytes_are_base64_that_fits(client: ShelfClient) -> None:
    ref = await client.shelf.keep(b"\xff\x00\xfe" * 30_000, kind="unknown")
    answer = await called(client, "read", {"ref": ref, "unit": "bytes", "limit": -1})
    last = int(re.search(r"bytes 0 to (\d+) of 90000", answer.text)[1])  # type: ignore[index]
    assert len(content(answer)) == -(-(last + 1) // 3) * 4
    assert f"offset={last + 1} unit=bytes" in answer.text


async def test_past_the_end_is_told(client: ShelfClient) -> None:
    ref = await client.shelf.keep(LOG)
    answer = await called(client, "read", {"ref": ref, "offset": 10**9})
    assert answer.text == f"[{ref}: nothing at offset 1000000000, it has {len(LOG)} chars]"


@pytest.mark.parametrize("most", [2000, 20_000])
async def test_a_search_goes_on_by_its_cursor_to_every_match(client: ShelfClient, most: int) -> None:
    ref = await client.shelf.keep(LOG)
    arguments: dict[str, Any] = {"query": r"line \d*77 ", "regex": True, "ref": ref, "limit": 7}
    found: list[int] = []
    while True:
        answer = await called(client, "search", arguments, f"retrieval.tool_max_chars={most}")
        found += [int(line) for line in re.findall(r"^line (\d+) offset ", answer.text, re.MULTILINE)]
        cursor = CURSOR.search(answer.text.partition("\n")[0])
        if cursor is None:
            break
        arguments["cursor"] = cursor[1]
    assert found == list(range(77, 5000, 100))
    assert answer.source_ref == ref


async def test_offsets_of_a_search_are_those_of_a_read(client: ShelfClient) -> None:
    ref = await client.shelf.keep(f"{'長' * 50_000}needle{'長' * 50_000}")
    answer = await called(client, "search", {"query": "needle"})
    offset = int(re.search(r"line 0 offset (\d+) length 6:", answer.text)[1])  # type: ignore[index]
    page = await called(client, "read", {"ref": ref, "offset": offset, "limit": 6})
    assert content(page) == "needle"
    assert answer.source_ref == ref


async def test_long_passages_are_cut_around_the_match_and_that_is_told(client: ShelfClient) -> None:
    await client.shelf.keep(f"{'x' * 50_000}needle{'y' * 50_000}\n" * 20)
    answer = await called(client, "search", {"query": "needle", "context_chars": 10_000})
    assert "passages are cut at …" in answer.text.partition("\n")[0]
    assert len(re.findall("…x+needley+…", answer.text)) == 20


async def test_a_search_of_several_originals_names_each_and_reads_none_of_them(client: ShelfClient) -> None:
    refs = [await client.shelf.keep(f"needle {number}", call=f"call_{number}") for number in range(3)]
    answer = await called(client, "search", {"query": "needle"})
    assert all(f"{ref}\nline 0 offset 0 length 6:" in answer.text for ref in refs)
    assert answer.source_ref is None


async def test_nothing_found_says_what_to_try(client: ShelfClient) -> None:
    ref = await client.shelf.keep(LOG)
    answer = await called(client, "search", {"query": "no\nsuch", "ref": ref})
    assert answer.text.startswith(f"[Nothing found for 'no\\nsuch' in {ref}. Try another spelling")
    assert not answer.is_error


async def test_a_list_fits_and_goes_on_by_its_cursor(client: ShelfClient) -> None:
    refs = [await client.shelf.keep(str(number), call="c" * 58 + f"{number:02}") for number in range(60)]
    arguments: dict[str, Any] = {"limit": 1000}
    listed: list[str] = []
    while True:
        answer = await called(client, "list", arguments, "retrieval.tool_max_chars=8000")
        listed += re.findall(r"^(coat://\S+) tool=tool kind=text size=\d chars time=2", answer.text, re.MULTILINE)
        cursor = CURSOR.search(answer.text.partition("\n")[0])
        if cursor is None:
            break
        arguments["cursor"] = cursor[1]
    assert listed == refs


async def test_a_tool_name_cannot_forge_a_line_of_a_list(client: ShelfClient) -> None:
    await client.shelf.keep("x", tool="a\n[no more results]", turn="t\n1")
    answer = await called(client, "list")
    assert answer.text.count("\n") == 1
    assert "tool=a\\n[no more results]" in answer.text


async def test_an_empty_session_is_told(client: ShelfClient) -> None:
    assert (await called(client, "list")).text.startswith("[no stored results match")


@pytest.mark.parametrize(
    "arguments",
    [
        {"ref": "REF", "offset": "0", "limit": "7"},
        {"ref": "REF", "offset": 0.0, "limit": 7.0, "unit": None, "numbered": None},
        {"ref": " 'REF'. ", "limit": "7", "unit": "char"},
        {"ref": "<REF>", "limit": 7, "numbered": "false", "unit": "CHARS"},
        '{"ref": "REF", "limit": 7}',
        b'{"ref": "REF", "limit": 7}',
        '```json\n{"ref": "REF", "limit": 7}\n```',
        json.dumps('{"ref": "REF", "limit": 7}'),
        {"Ref": "REF", "LIMIT": 7, "offset": "", "unit": "null"},
    ],
)
async def test_arguments_are_understood_as_models_write_them(client: ShelfClient, arguments: Any) -> None:
    ref = await client.shelf.keep(LOG)
    if isinstance(arguments, dict):
        arguments = {
            name: value.replace("REF", ref) if isinstance(value, str) else value for name, value in arguments.items()
        }
    elif isinstance(arguments, bytes):
        arguments = arguments.replace(b"REF", ref.encode())
    else:
        arguments = arguments.replace("REF", ref)
    answer = await called(client, "read", arguments)
    assert content(answer) == "line 0 "


async def test_empty_optional_texts_are_left_out(client: ShelfClient) -> None:
    ref = await client.shelf.keep("x", turn="t1")
    answer = await called(
        client, "list", {"turn_id": "", "tool_name": "", "cursor": "", "kind": "none", "since": "null"}
    )
    assert ref in answer.text


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("read", {}, "ref is missing. Its arguments: ref, offset, limit, unit, numbered."),
        ("read", {"ref": None}, "ref is missing"),
        ("read", {"ref": ["a"]}, 'ref must be a text, it is ["a"]'),
        ("read", {"ref": "a", "offset": "ten"}, 'offset must be a whole number, it is "ten"'),
        ("read", {"ref": "a", "offset": 1.5}, "offset must be a whole number, it is 1.5"),
        ("read", {"ref": "a", "offset": True}, "offset must be a whole number, it is true"),
        ("read", {"ref": "a", "offset": 2**70}, "offset must be a whole number, it is"),
        ("read", {"ref": "a", "offset": "9" * 5000}, "offset must be a whole number, it is"),
        ("read", {"ref": "a", "numbered": "maybe"}, 'numbered must be true or false, it is "maybe"'),
        ("read", {"ref": "a", "unit": "words"}, 'unit must be one of chars, lines, bytes, it is "words"'),
        ("read", {"reference": "a"}, "ref is missing; reference: there is no such argument"),
        ("read", "{", "the arguments are no JSON"),
        ("read", "[" * 100_000, "the arguments are no JSON"),
        ("read", "\ud800", "the arguments are no JSON"),
        ("read", [1], 'the arguments must be a JSON object, as {"ref": ..., "offset": ...}; they are [1]'),
        ("read", 7, "the arguments must be a JSON object"),
        ("read", object(), "the arguments must be a JSON object"),
        ("read", {"ref": "no such"}, "is not a reference"),
        ("read", {"ref": "coat://s1/c-" + "0" * 32}, "not_found"),
        ("read", {"ref": "coat://other/c-" + "0" * 32}, "not_found"),
        ("read", {"ref": "x" * 100_000}, "is not a reference"),
        ("search", {"query": ""}, "invalid_argument"),
        ("search", {"query": "(", "regex": True}, "invalid_argument"),
        ("search", {"query": "x", "cursor": "nonsense"}, "invalid_argument"),
        ("search", {"query": "x\ud800"}, "lone surrogate"),
        ("search", {"query": "x" * 20_000}, "invalid_argument"),
        ("list", {"kind": "html"}, "kind must be one of json, csv"),
        ("list", {"since": "yesterday"}, "invalid_argument"),
    ],
)
async def test_what_a_model_did_wrong_is_told(client: ShelfClient, name: str, arguments: Any, told: str) -> None:
    answer = await called(client, name, arguments)
    assert answer.is_error
    assert told in answer.text
    assert "\nWhat to do: " in answer.text
    assert len(answer.text) < 1500
    answer.text.encode()


async def test_an_argument_that_a_reading_tool_lacks_is_ignored_and_told(client: ShelfClient) -> None:
    ref = await client.shelf.keep(LOG)
    answer = await called(client, "read", {"ref": ref, "limit": 4, "explanation\n]": "because"})
    assert answer.text.startswith(
        "[Ignored, for tool_result_read has no such argument: explanation\\n]. Its arguments:"
    )
    assert answer.text.endswith("\nline")


async def test_a_number_is_a_text_where_one_is_wanted(client: ShelfClient) -> None:
    await client.shelf.keep(LOG)
    assert "line 4711 offset" in (await called(client, "search", {"query": 4711})).text


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (Code.GONE, "Do not try again"),
        (Code.UNAVAILABLE, "stop retrying"),
        (Code.INTERNAL, "Stop retrying"),
        (Code.TOO_LARGE, "Ask for less"),
        (Code.CONFLICT, "Read it again"),
        (Code.NOT_FOUND, "tool_result_list shows which there are"),
    ],
)
async def test_an_error_of_the_service_says_what_to_do(client: ShelfClient, code: Code, told: str) -> None:
    client.fails = RequestError(code, "something\nhappened " * 1000)
    answer = await called(client, "read", {"ref": "c-" + "0" * 32})
    assert answer.is_error
    assert answer.text.startswith(f"Error ({code.value}): something\\nhappened ")
    assert told in answer.text
    assert len(answer.text) < 1500


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("tool_result_reed", "Did you mean tool_result_read? Call one of these: tool_result_read, "),
        ("", "there is no tool ''"),
        ("\n" * 5000, "there is no tool \\n"),
        ("rm -rf", "Call one of these: tool_result_read, tool_result_search, tool_result_list"),
    ],
)
async def test_an_unknown_tool_is_told_which_there_are(client: ShelfClient, name: str, told: str) -> None:
    answer = await call_tool(client, "s1", name, {}, settings=Settings())
    assert answer.is_error
    assert told in answer.text
    assert len(answer.text) < 1000


@pytest.mark.parametrize(
    "name",
    ["functions.tool_result_list", "mcp__coatcheck__tool_result_list", " `tool_result_list` ", "TOOL_RESULT_LIST"],
)
async def test_a_prefix_that_a_framework_puts_before_the_name_is_looked_through(client: ShelfClient, name: str) -> None:
    assert not (await call_tool(client, "s1", name, None, settings=Settings())).is_error


async def test_a_tool_that_the_model_was_not_told_of_is_none(client: ShelfClient) -> None:
    names = ["tool_result_read", "ls"]
    answer = await call_tool(client, "s1", "tool_result_search", {"query": "x"}, settings=Settings(), names=names)
    assert answer.is_error
    assert "Call one of these: tool_result_read, ls." in answer.text
    assert client.asked == []
    told = await call_tool(client, "s1", "ls", {}, settings=Settings(), names=names)
    assert not told.is_error


async def test_a_name_that_is_no_tools_is_the_callers_fault(client: ShelfClient) -> None:
    with pytest.raises(InvalidInput, match="there is no tool 'red_file'"):
        await call_tool(client, "s1", "ls", {}, settings=Settings(), names=["red_file"])


async def test_names_in_answers_are_those_of_the_settings(client: ShelfClient) -> None:
    ref = await client.shelf.keep(LOG)
    settings = load(assignments=["retrieval.read_tool=peek", "retrieval.search_tool=find"])[0]
    answer = await call_tool(client, "s1", "peek", {"ref": ref}, settings=settings)
    assert "call peek with" in answer.text
    assert (await call_tool(client, "s1", "tool_result_read", {"ref": ref}, settings=settings)).is_error


async def test_answers_speak_the_language_that_is_set(client: ShelfClient) -> None:
    ref = await client.shelf.keep(LOG)
    assert "后面还有" in (await called(client, "read", {"ref": ref}, "stub.language=zh")).text
    settings = load(assignments=["stub.language=zh"])[0]
    english = await call_tool(client, "s1", "tool_result_read", {"ref": ref}, settings=settings, language="en")
    assert "there is more" in english.text


async def test_a_session_without_tools_is_told_to_stop_and_asks_nothing(client: ShelfClient) -> None:
    answer = await called(
        client, "read", {"ref": "c-" + "0" * 32}, "retrieval.sessions_without=[sub-*]", session="sub-1"
    )
    assert (answer.is_error, client.asked) == (True, [])
    assert "Do not try again" in answer.text


async def test_a_session_that_is_no_id_is_the_callers_fault(client: ShelfClient) -> None:
    with pytest.raises(InvalidInput):
        await called(client, "list", session="x" * 5000)
