"""The stub's text: its form to the letter, its sections, its languages, its cap."""

import json
import re
import string
from typing import Literal

import msgspec
import pytest

from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.stub.words import CHINESE, ENGLISH
from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.events import Part

REF = "coat://s1/call_1-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
CODE = "import os\n\ndef f():\n    return os\n"
LONGEST_REF = f"coat://{'s' * 80}/{'c' * 80}-{'0' * 32}/12345"
EXPLORE = f"""
Explore:
- tool_result_search with ref={REF} finds passages by keyword or regular expression.
- tool_result_read with ref={REF}, offset and limit returns a part: offset=0 its start, offset=-4000 its end.
- tool_result_list shows this session's other offloaded results."""


def subject(data: bytes | str, mime_type: str | None = None, **fields: object) -> StubSubject:
    raw = data.encode() if isinstance(data, str) else data
    try:
        text: str | None = raw.decode()
    except UnicodeDecodeError:
        text = None
    whole = StubSubject(
        tool_name="kubectl",
        ref=REF,
        sha256="0a1b2c3d4e5f60718293a4b5c6d7e8f9" * 2,
        reason="single_threshold",
        original_chars=None if text is None else len(text),
        original_bytes=len(raw),
        data=raw,
        synopsis=synopsize(raw, mime_type),
    )
    return msgspec.structs.replace(whole, **fields)


def render(
    data: bytes | str, mime_type: str | None = None, *, stub: StubSettings | None = None, **fields: object
) -> str:
    return render_stub(subject(data, mime_type, **fields), stub or StubSettings(), RetrievalSettings())


def test_a_json_stub_to_the_letter() -> None:
    text = '{"items": [{"id": 7, "name": "x"}], "total": 1}\n'
    assert render(text) == (
        "[Coatcheck: tool result offloaded]\ntool_name: kubectl\nkind: json\noriginal_chars: 48\npreview_chars: 2000\n"
        f"ref: {REF}\nsha256: 0a1b2c3d4e5f6071\nreason: single_threshold\n"
        "\nSynopsis:\n- incomplete: of 48 characters only what stands here is shown\n- JSON object, 2 keys\n"
        "\nStructure:\n- items: array[1] of object {id: number, name: string}\n- total: number\n"
        '\nNotable items:\n- total = 1\n- items[0].id = 7\n- items[0].name = "x"\n' + EXPLORE
    )


def test_a_csv_stub_to_the_letter() -> None:
    assert render("id,name\n1,a\n2,b\n").partition("\n\n")[2] == (
        "Synopsis:\n- incomplete: of 16 characters only what stands here is shown\n"
        "- 2 data rows, 2 columns, separated by comma\n"
        "\nStructure:\n- columns (types by the first 2 rows): id (number), name\n"
        "\nSample:\n- first data row: 1,a\n- last whole row: 2,b\n" + EXPLORE
    )


def test_a_binary_stub_gives_bytes_for_chars_and_a_dump() -> None:
    stub = render(b"\x89PNG\r\n\x1a\n\xff" + bytes(9), reason="binary")
    assert "kind: unknown\noriginal_bytes: 18\npreview_chars" in stub
    assert "original_chars" not in stub
    assert "reason: binary\n" in stub
    assert (
        "Sample:\n- first 18 bytes:\n"
        "  00000000  89 50 4e 47 0d 0a 1a 0a ff 00 00 00 00 00 00 00 |.PNG............|\n"
        "  00000010  00 00                                           |..|\n"
    ) in stub


def test_a_large_binary_shows_head_and_tail_with_offsets() -> None:
    stub = render(bytes(range(256)) * 40)
    assert "- first 64 bytes:\n  00000000  00 01" in stub
    assert "- last 64 bytes:\n  000027c0  c0 c1" in stub


@pytest.mark.parametrize("chars", [50, 100, 400, 2000])
def test_what_has_no_synopsis_shows_half_the_preview_of_its_head_and_of_its_tail(chars: int) -> None:
    text, half = "{nope " + "é" * 5000 + " end}", chars // 2
    stub = render(text, "application/json", stub=StubSettings(preview_chars=chars))
    sample = stub.partition("Sample:\n")[2].partition("\n\n")[0]
    wanted = [f"- first {half} characters:", f"  {text[:half]}", f"- last {half} characters:", f"  {text[-half:]}"]
    assert sample.split("\n") == wanted


def test_a_preview_of_nothing_shows_nothing() -> None:
    assert "Sample:" not in render("{nope " * 500, "application/json", stub=StubSettings(preview_chars=0))


def test_what_is_escaped_takes_no_more_of_the_preview_than_it_has() -> None:
    stub = render("{" + "\x01" * 5000, "application/json", stub=StubSettings(preview_chars=400))
    shown = [line[2:] for line in stub.partition("Sample:\n")[2].partition("\n\n")[0].split("\n") if line[0] == " "]
    assert 300 < sum(map(len, shown)) <= 400


def test_a_short_unknown_text_is_shown_whole() -> None:
    assert "Sample:\n- all 11 characters:\n  {nope\n  nope\n\nExplore:" in render("{nope\nnope\n", "application/json")


def test_a_preview_of_nothing_has_no_sample() -> None:
    assert "Sample:" not in render("{nope" * 2000, "application/json", stub=StubSettings(preview_chars=0))


def test_a_text_stub_shows_how_it_opens_closes_and_went() -> None:
    stub = render("Starting.\n" + "working on it\n" * 3000 + "exit code 2\n")
    assert "Notable items:\n- near the end: exit code 2\n" in stub
    assert "- opening, white space folded: Starting. working" in stub
    assert "working on it exit code 2\n" in stub


def test_an_error_and_the_parts_that_came_beside_are_notable() -> None:
    parts = [
        Part(index=0, type="text", start=0, end=5),
        Part(index=1, type="image", ref=f"{REF}/1", mime_type="image/png", bytes=2000),
    ]
    stub = render("words", parts=parts, is_error=True)
    notable = f"- the tool reported an error\n- part 1: image, image/png, 2000 bytes, {REF}/1\n"
    assert f"Notable items:\n{notable}" in stub


def test_without_retrieval_there_is_no_explore() -> None:
    stub = render("a,b\n1,2\n", retrieval=False)
    assert "Explore" not in stub
    assert "tool_result_" not in stub
    assert stub.endswith("- first data row: 1,2")


def test_explore_names_the_configured_tools() -> None:
    names = RetrievalSettings(read_tool="peek", search_tool="find", list_tool="all")
    stub = render_stub(subject("words"), StubSettings(), names)
    assert f"- find with ref={REF} finds" in stub
    assert f"- peek with ref={REF}, offset" in stub
    assert "- all shows" in stub


def test_chinese_keeps_the_header_and_translates_the_rest() -> None:
    english, chinese = (render('{"a": 1}', stub=StubSettings(language=language)) for language in ("en", "zh"))
    assert chinese.partition("\n\n")[0] == english.partition("\n\n")[0]
    assert "\n概要:\n- 不完整：共 8 个字符，只显示此处所列\n- JSON 对象，1 个键\n" in chinese
    assert "Synopsis" not in chinese
    assert f"ref={REF}" in chinese


def test_no_kind_leaves_a_phrase_unfilled() -> None:
    texts = ['[{"a": 1}]', '{"a":1}\n{"a":2}\nend', "a\tb\n1\t2\n", "a: 1\nb:\n  c: 2\n", "<r><a/></r>", CODE]
    for text in [*texts, "## A\n\nwords\n\n## B\n\nwords " * 99, "", "\0"]:
        for language in ("en", "zh"):
            assert not re.search(r"\{\w+\}", render(text, stub=StubSettings(language=language)))


def test_both_languages_fill_the_same_facts_into_each_phrase() -> None:
    for name, phrase in msgspec.structs.asdict(ENGLISH).items():
        assert _fields(getattr(CHINESE, name)) == _fields(phrase)


def _fields(phrase: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(phrase) if field}


def test_a_stub_is_the_same_each_time() -> None:
    text = json.dumps([{f"key{i}": i for i in range(40)}])
    assert render(text) == render(text)


def test_lists_end_in_how_many_more() -> None:
    stub = render(json.dumps({f"k{i}": {f"f{j}": 1 for j in range(13)} for i in range(14)}))
    assert "f9: number, and 3 more}" in stub
    assert "\n- and 4 more\n" in stub


def test_what_the_cap_cuts_is_said() -> None:
    text = json.dumps({f"{'k' * 90}{i}": {f"{'f' * 90}{j}": 1 for j in range(10)} for i in range(10)})
    stub = render(text, stub=StubSettings(max_chars=1500))
    assert len(stub) <= 1500
    assert "lines left out for length" in stub or "Left out for length: Structure." in stub
    assert stub.endswith(EXPLORE)


@pytest.mark.parametrize("retrieval", [True, False])
@pytest.mark.parametrize("max_chars", [500, 600, 800, 1200, 6000])
def test_header_and_ref_survive_the_tightest_cap(max_chars: int, retrieval: bool) -> None:
    stub = render(
        "# Words\n\n" * 4000,
        tool_name="t\n" * 3000,
        ref=LONGEST_REF,
        reason="message_limit",
        retrieval=retrieval,
        stub=StubSettings(max_chars=max_chars),
    )
    assert len(stub) <= max_chars
    assert f"\nref: {LONGEST_REF}\nsha256: 0a1b2c3d4e5f6071\nreason: message_limit" in stub
    told = ("Synopsis:", "Sample:", "Explore:") if retrieval else ("Synopsis:", "Sample:")
    is_said = "left out for length" in stub.lower()
    assert is_said or all(title in stub for title in told)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_at_the_tightest_cap_a_long_name_leaves_room_to_read_on_by(language: Literal["en", "zh"]) -> None:
    stub = render("words " * 5000, tool_name="T" * 4000, stub=StubSettings(max_chars=500, language=language))
    assert all(tool in stub for tool in ("tool_result_search", "tool_result_read", "tool_result_list"))
    assert stub.count("T") >= 30
    assert "Left out for length: " in stub or "概要:" in stub


def test_explore_is_said_in_short_where_the_cap_has_no_room() -> None:
    stub = render("words " * 5000, stub=StubSettings(max_chars=500))
    assert stub.endswith("Explore:\n- tool_result_search, tool_result_read (with the ref above), tool_result_list.")


MINIFIED = '"use strict";' + "var R=(n,t)=>()=>(t||n((t={exports:{}}).exports,t),t.exports);" * 400 + "R.last=1;"


def test_code_in_which_nothing_is_named_shows_how_it_opens_and_closes() -> None:
    stub = render(MINIFIED)
    assert "kind: code\n" in stub
    assert '- opening, white space folded: "use strict";var R=(n,t)' in stub
    assert "- closing, white space folded: …" in stub
    assert "t.exports);R.last=1;\n" in stub


def test_code_with_symbols_shows_these_alone() -> None:
    assert "white space folded" not in render(CODE)


def test_the_end_does_not_say_again_what_a_detail_says() -> None:
    result = "".join(f"test tests::t{i} ... ok\n" for i in range(40))
    total = "test result: FAILED. 40 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.11s"
    result += f"test tests::wrong ... FAILED\n\nfailures:\n    tests::wrong\n\n{total}\n\nerror: test failed\n"
    stub = render("\nrunning 41 tests\n" + result)
    assert f"- total: {total}\n" in stub
    assert f"near the end: {total}" not in stub
    assert "- near the end: error: test failed\n" in stub


def test_an_exit_code_that_stands_in_an_error_is_told_beside_it() -> None:
    error = "a.c:1:1: error: the generator ended with exit code: 1"
    stub = render("".join(f"a.c:{i}:1: warning: unused x\n" for i in range(40)) + f"{error}\n\nexit code: 1\n")
    assert f"- errors (1): {error}\n" in stub
    assert "- near the end: exit code: 1\n" in stub


def test_a_line_that_stands_twice_at_the_end_is_told_once() -> None:
    told = msgspec.structs.replace(synopsize(b"a line of prose\n"), outcome=["FAIL", "exit code: 1", "FAIL"])
    assert render("a line of prose\n", synopsis=told).count("near the end: FAIL\n") == 1


def test_code_says_that_its_lines_are_offsets_of_a_read() -> None:
    stub = render(CODE)
    assert "- 2: def f():\n" in stub
    assert "offset=-4000 its end. With unit=lines the lines above are offsets.\n" in stub


def test_what_names_no_line_says_nothing_of_lines() -> None:
    assert "unit=lines" not in render("a line of prose\n" * 20)


def test_where_there_is_no_room_for_the_lines_the_rest_of_explore_stands() -> None:
    whole = render(CODE)
    said = "\nLeft out for length: all else.\n"
    least = len(whole.partition("\nSynopsis:")[0] + said + EXPLORE) + 1  # the last line end, which the stub leaves out
    stub = render(CODE, stub=StubSettings(max_chars=least))
    assert len(stub) <= least < len(whole)
    assert stub.endswith(said + EXPLORE)
