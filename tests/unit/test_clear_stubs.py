"""Old results that are stubs, or look like one: no text is cleared whose original is not stored."""

from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.originals import Shelf

from coatcheck_core.clearing.stubs import ref_of_stub
from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import StubSettings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.refs import sha256_hex
from coatcheck_workers.clearing.answering import answer_clear

TEXT = "".join(f"2026-01-01 line {number} of a log\n" for number in range(500))
SOURCES = {
    "log": TEXT.encode(),
    "json": b'{"a": [' + b"1, " * 2000 + b'2], "b": {"c": "d"}}',
    "csv": b"a,b,c\n" + b"1,2,x y\n" * 500,
    "code": b"import os\n\ndef one(a: int) -> int:\n    return a\n\n" * 40,
    "xml": b"<r>" + b"<a x='1'>text</a>" * 200 + b"</r>",
    "yaml": b"a:\n  - b: 1\n    c: 2\n" * 100,
    "bytes": bytes(range(256)) * 20,
    "blank lines": b"\n\n \n\t\n" * 500,
    "a stub": b"\n\nExplore:\n- x\n\n[Coatcheck: tool result offloaded]\nref: coat://s/x\n" * 50,
}
STYLES: tuple[Literal["typed", "lines"], ...] = ("typed", "lines")


def stub(data: bytes, session: str = "s1", style: str = "typed", **settings: Any) -> str:
    named = ("retrieval", "reason", "is_error", "tool_name", "ref")
    more: dict[str, Any] = {name: settings.pop(name) for name in named if name in settings}
    text = data.decode(errors="replace")
    is_text = text.encode() == data
    ref = f"coat://{session}/call_0-{sha256_hex(data)[:32]}"
    fields: dict[str, Any] = {"reason": "single_threshold", "tool_name": "bash", "ref": ref, **more}
    subject = StubSubject(
        sha256=sha256_hex(data),
        original_chars=len(text) if is_text else None,
        original_bytes=len(data),
        original_lines=data.count(b"\n") if is_text else None,
        data=data,
        synopsis=synopsize(data),
        call_id="call_0",
        **fields,
    )
    return render_stub(subject, StubSettings(style=style, **settings), Settings().retrieval)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("max_chars", [500, 900, 2000, 6000])
def test_every_stub_of_ours_is_one_and_nothing_is_with_more_behind_it(
    source: str, style: str, language: str, max_chars: int
) -> None:
    for more in ({}, {"retrieval": False}, {"reason": "store_failure", "is_error": True}):
        made = stub(SOURCES[source], style=style, language=language, max_chars=max_chars, **more)
        found = ref_of_stub(made)
        assert found is not None, made
        assert found.ref == f"coat://s1/call_0-{sha256_hex(SOURCES[source])[:32]}"
        for added in ("\nmore", "more\n\nof it", f"\n{made}", f"\n\n{made}", "\n\nNotes:\n- that", "\n\tx"):
            assert ref_of_stub(made + added) is None, made + added


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("call", ["c", "c" * 80])
def test_a_stub_that_has_no_room_for_anything_else_is_one(call: str, language: str) -> None:
    data = b"words " * 5000
    ref = f"coat://{'s' * 80}/{call}-{sha256_hex(data)[:32]}"
    found = ref_of_stub(stub(data, tool_name="T" * 4000, ref=ref, max_chars=500, language=language))
    assert found is not None
    assert found.ref == ref


@given(text=st.text(max_size=300), style=st.sampled_from(STYLES), max_chars=st.integers(400, 3000))
def test_of_any_text_a_stub_is_one(text: str, style: str, max_chars: int) -> None:
    data = text.encode(errors="replace")
    assert ref_of_stub(stub(data, style=style, max_chars=max_chars)) is not None


async def cleared(shelf: Shelf, content: str) -> tuple[str, str]:
    """The ref that stands in the result's place, and what is read by it."""
    call = {"id": "call_0", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_0", "content": content},
        {"role": "user", "content": "go on"},
    ]
    fields = {"messages": messages, "clearing_token_threshold": 0, "keep_recent_tokens": 0}
    reply = msgspec.json.decode((await answer_clear(shelf.retrieval, "s1", msgspec.json.encode(fields))).body)
    (item,) = reply["ok"]["cleared"]
    assert reply["ok"]["offloaded"]
    assert f"ref: {item['ref']}\n" in reply["ok"]["messages"][1]["content"]
    return item["ref"], (await shelf.ok("read", ref=item["ref"], limit=-1))["content"]


@pytest.mark.parametrize("style", STYLES)
async def test_a_stub_is_cleared_to_the_ref_of_its_original(style: str) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, call="call_0")
    assert await cleared(shelf, stub(TEXT.encode(), style=style)) == (ref, TEXT)


async def test_the_stub_of_another_call_of_the_session_is_cleared_to_its_ref_too() -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, call="made_up")
    assert await cleared(shelf, stub(TEXT.encode()).replace("s1/call_0-", "s1/made_up-")) == (ref, TEXT)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("more", ["\nand a note of the agent's", "\n\nsecond:\n- part", "\n" + stub(b"x" * 9000)])
async def test_what_stands_behind_a_stub_is_stored_with_it(style: str, more: str) -> None:
    shelf = Shelf()
    await shelf.keep(TEXT, call="call_0")
    content = stub(TEXT.encode(), style=style) + more
    assert (await cleared(shelf, content))[1] == content


async def test_a_stub_without_an_original_is_stored_as_its_text() -> None:
    content = stub(TEXT.encode())
    assert (await cleared(Shelf(), content))[1] == content


async def test_a_stub_of_another_session_is_stored_as_its_text() -> None:
    shelf = Shelf()
    await shelf.keep(TEXT, session="s2", call="call_0")
    content = stub(TEXT.encode(), "s2")
    ref, read = await cleared(shelf, content)
    assert (ref.startswith("coat://s1/"), read) == (True, content)


async def test_a_stub_whose_original_has_expired_is_stored_as_its_text() -> None:
    shelf = Shelf(storage={"retention_days": 1})
    await shelf.keep(TEXT, call="call_0", milliseconds=1_000_000_000_000)
    content = stub(TEXT.encode())
    assert (await cleared(shelf, content))[1] == content
