"""What stands in place of a cleared result, and how it is known again."""

from typing import Any, Literal

import pytest

from coatcheck_core.clearing import PLACEHOLDER, Rules, Slot, ToolRule, clear, ref_in, with_ref
from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.refs import sha256_hex

DATA = "\n".join(f"2026-01-01 line {number} of a log" for number in range(3000)).encode()
SHA256 = sha256_hex(DATA)
REF = f"coat://s1/call_1-{SHA256[:32]}"
NOW = Rules(clearing_token_threshold=0, keep_recent_tokens=0)


def conversation(*results: str) -> list[Any]:
    tools = [{"role": "tool", "tool_call_id": f"call_{at}", "content": text} for at, text in enumerate(results)]
    return [*tools, {"role": "user", "content": "go on"}]


def first_after(text: str, rules: Rules = NOW) -> str:
    content: str = clear(conversation(text), rules).messages[0]["content"]
    return content


def stub(style: str = "typed", language: Literal["en", "zh"] = "en", *, ref: str = REF, retrieval: bool = True) -> str:
    subject = StubSubject(
        tool_name="bash",
        ref=ref,
        sha256=SHA256,
        reason="single_threshold",
        original_chars=len(DATA),
        original_bytes=len(DATA),
        original_lines=3000,
        data=DATA,
        synopsis=synopsize(DATA),
        call_id="call_1",
        retrieval=retrieval,
    )
    return render_stub(subject, StubSettings(style=style, language=language), Settings().retrieval)


def test_it_is_the_contract_s_own_words() -> None:
    assert first_after("x" * 400) == "[Old tool result content cleared]"


def test_with_a_ref_it_says_where_the_result_is_and_how_to_read_it() -> None:
    assert with_ref(PLACEHOLDER, REF, NOW) == (
        f"[Old tool result content cleared]\nref: {REF}\n"
        "tool_result_read with this ref, offset and limit returns a part of it;"
        " tool_result_search with this ref finds passages."
    )


def test_the_tools_are_called_what_the_settings_call_them_in_either_language() -> None:
    named = RetrievalSettings(read_tool="lire", search_tool="chercher")
    chinese = with_ref("[gone]", REF, Rules(retrieval=named, language="zh"))
    assert (
        chinese
        == f"[gone]\nref: {REF}\nlire（用此 ref、offset 和 limit）返回其中一部分；chercher（用此 ref）查找片段。"
    )


def test_what_is_stored_gets_its_ref_and_the_reply_says_so() -> None:
    def placed(slot: Slot) -> str | None:
        return with_ref(PLACEHOLDER, REF, NOW) if slot.call_id == "call_0" else None

    done = clear(conversation("x" * 4000, "y" * 4000), NOW, placeholder_for=placed)
    assert [(one.ref, one.placeholder) for one in done.cleared] == [
        (REF, with_ref(PLACEHOLDER, REF, NOW)),
        (None, PLACEHOLDER),
    ]
    assert [message["content"] for message in done.messages[:2]] == [one.placeholder for one in done.cleared]


@pytest.mark.parametrize("style", ["typed", "lines"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_stub_leaves_its_ref(style: str, language: Literal["en", "zh"]) -> None:
    assert first_after(stub(style, language)) == with_ref(PLACEHOLDER, REF, NOW)


@pytest.mark.parametrize("style", ["typed", "lines"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_stub_for_an_agent_without_tools_leaves_no_call_to_use_them(
    style: str, language: Literal["en", "zh"]
) -> None:
    assert first_after(stub(style, language, retrieval=False)) == f"{PLACEHOLDER}\nref: {REF}"


FORGED = {
    "a stub quoted": f"It said:\n{stub()}",
    "another checksum": stub().replace(f"sha256: {SHA256[:16]}", "sha256: 0123456789abcdef"),
    "no ref": stub(ref="coat://s1/none"),
    "a part": stub(ref=f"{REF}/0"),
    "a ref of no session": stub(ref=REF.removeprefix("coat://s1/")),
    "a field short": stub().replace("preview_chars: 2000\n", ""),
    "too long": stub() + "x" * 50_000,
}


@pytest.mark.parametrize("text", FORGED.values(), ids=FORGED)
def test_what_only_looks_like_a_stub_has_no_ref(text: str) -> None:
    assert first_after(text) == PLACEHOLDER


CLEARED = {
    "plain": PLACEHOLDER,
    "with a ref": with_ref(PLACEHOLDER, REF, NOW),
    "with a ref alone": f"{PLACEHOLDER}\nref: {REF}",
    "in another language": with_ref(PLACEHOLDER, REF, Rules(language="zh")),
    "by other tools": with_ref(PLACEHOLDER, REF, Rules(retrieval=RetrievalSettings(read_tool="lire"))),
    "by one tool's own": "[gone]",
    "by one tool's own with a ref": with_ref("[gone]", REF, NOW),
    "by words of before with a ref and a hint": with_ref("of\nold " * 50, REF, NOW),
    "by words of before in another language": with_ref("[old]", REF, Rules(language="zh")),
}


@pytest.mark.parametrize("text", CLEARED.values(), ids=CLEARED)
def test_a_placeholder_is_known_again_and_neither_counts_nor_changes(text: str) -> None:
    rules = Rules(
        clearing_token_threshold=0,
        keep_recent_tokens=0,
        placeholder="[x]",
        tools={"bash": ToolRule(placeholder="[gone]")},
    )
    done = clear(conversation(text), rules)
    assert done.cleared == []
    assert done.messages[0]["content"] == text
    above = clear(
        conversation(text, "y" * 400), Rules(clearing_token_threshold=100, keep_recent_tokens=0, tools=rules.tools)
    )
    assert above.cleared == []


REAL = {
    "within a sentence": f"{PLACEHOLDER} is what the log says" + "x" * 100,
    "at the end": "x" * 100 + PLACEHOLDER,
    "a line of it": f"{PLACEHOLDER}\n" + "x" * 100,
    "with a ref that is none": f"{PLACEHOLDER}\nref: coat://s1/none " + "x" * 100,
    "with nothing but a ref that is none": f"{PLACEHOLDER}\nref: coat://s1/none",
    "with more below": with_ref(PLACEHOLDER, REF, NOW) + "\nand more",
    "with a hint and a ref that is none": with_ref("[old] " * 40, "coat://s1/none", NOW),
    "with a hint below more than a placeholder may have": with_ref("x" * 2001, REF, NOW),
    "with a ref and a hint somewhere in it": f"It said:\n{with_ref('[old]', REF, NOW)}\nand more",
    "twice": f"{PLACEHOLDER}{PLACEHOLDER}",
    "of no rule's": "[Older tool result content cleared, as somebody else does]",
}


@pytest.mark.parametrize("text", REAL.values(), ids=REAL)
def test_a_placeholder_that_occurs_in_a_real_result_does_not_make_it_a_cleared_one(text: str) -> None:
    assert first_after(text) == PLACEHOLDER


def test_a_result_that_is_not_larger_than_its_placeholder_with_the_ref_stays() -> None:
    placeholder = with_ref(PLACEHOLDER, REF, NOW)
    same = "x" * len(placeholder)
    assert clear(conversation(same), NOW, placeholder_for=lambda _: placeholder).cleared == []
    assert clear(conversation(same + "xxxx"), NOW, placeholder_for=lambda _: placeholder).cleared != []


def test_only_what_is_chosen_is_asked_for_a_placeholder() -> None:
    asked: list[str] = []

    def placed(slot: Slot) -> None:
        asked.append(slot.call_id)

    clear(conversation("x" * 400, PLACEHOLDER, "", "x" * 400), NOW, placeholder_for=placed)
    assert asked == ["call_0", "call_3"]


def test_a_slot_tells_what_is_needed_to_store_the_result() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    content = [{"type": "text", "text": "x" * 400}, image, {"type": "text", "text": "y"}]
    asked = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "bash", "arguments": "{}"}}]}
    result = {"role": "tool", "tool_call_id": "c", "content": content}
    slot = clear([asked, result, {"role": "user", "content": "go on"}], NOW).cleared[0].slot
    assert (slot.index, slot.number, slot.call_id, slot.tool_name) == (1, 0, "c", "bash")
    assert slot.content is content
    assert (slot.text, slot.tokens, slot.ref) == ("x" * 400 + "\ny", 101, None)


@pytest.mark.parametrize("text", [PLACEHOLDER, f"{PLACEHOLDER}\nref: nothing", "ref: coat://s1/none"])
def test_there_is_no_ref_where_none_is(text: str) -> None:
    assert ref_in(text) is None
