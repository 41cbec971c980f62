"""What went wrong with stubs elsewhere, as tests: field cases 15, 30 and 35."""

import json
import re

import pytest
from tests.support.deciding import address, arrived, rules

from coatcheck_core.decision import decide
from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.events import StubEvent

STYLES = ["typed", "lines"]


def offloaded(text: str, *assignments: str, **fields: object) -> tuple[StubEvent, str]:
    event = decide(arrived(text, at=address("s1", "", "call_1"), **fields), rules(*assignments)).event
    assert event.disposition == "offloaded"
    return event, str(event.content)


# 15: a preview of the head alone loses the exit status and the error, which stand at the end


def failed_build() -> str:
    compiled = "".join(f"[{number:4}] compiling module_{number}.c: ok\n" for number in range(900))
    ending = "src/store.c:118:9: error: too few arguments to function 'put'\nmake: *** [all] Error 1\nexit code 2\n"
    return compiled[: 30_000 - len(ending)].rsplit("\n", 1)[0] + "\n" + ending


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("max_chars", [1000, 6000])
def test_the_end_of_a_failed_build_is_in_its_stub(style: str, max_chars: int) -> None:
    text = failed_build()
    assert text.count("error") == 1
    _, stub = offloaded(text, f"stub.style={style}", f"stub.max_chars={max_chars}", tool_name="bash")
    assert "exit code 2" in stub
    assert "compiling module_0.c" in stub


def test_the_error_near_the_end_of_a_failed_build_is_in_its_stub() -> None:
    _, stub = offloaded(failed_build(), tool_name="bash")
    assert "src/store.c:118:9: error: too few arguments to function 'put'" in stub


# 30: the middle is gone and nothing says so, and the model never opens what was put away


def design() -> str:
    nodes = [
        {
            "id": f"{number // 20}:{number}",
            "name": f"Button / primary {number}",
            "type": "FRAME" if number % 3 else "TEXT",
            "fills": [{"type": "SOLID", "color": {"r": number % 255, "g": 20, "b": 30}}],
        }
        for number in range(390)
    ]
    document = {"name": "Checkout", "version": "42", "palette": {"accent": "#ff6600"}, "nodes": nodes}
    return json.dumps(document, indent=1 if len(json.dumps(document)) < 40_000 else None)


def test_a_design_s_stub_says_that_it_is_incomplete_and_how_much_is_left_out() -> None:
    text = design()
    assert 50_000 < len(text) < 70_000
    _, stub = offloaded(text)
    assert f"- incomplete: of {len(text)} characters only what stands here is shown\n" in stub
    assert f"\noriginal_chars: {len(text)}\n" in stub


def test_a_design_s_stub_names_what_is_inside_by_paths_and_counts() -> None:
    event, stub = offloaded(design())
    assert (event.kind, event.format) == ("json", None)
    assert "nodes: array[390]" in stub
    for name in ("id", "name", "type", "fills"):
        assert re.search(rf"\b{name}: ", stub)
    assert 'version = "42"' in stub


def test_a_design_s_stub_gives_one_call_that_goes_on() -> None:
    event, stub = offloaded(design())
    (call,) = [line for line in stub.splitlines() if line.startswith("- tool_result_read ")]
    assert f"with ref={event.ref}, offset and limit" in call
    assert "offset=0" in call


def test_the_first_lines_of_a_design_say_the_same() -> None:
    text = design()
    event, stub = offloaded(text, "stub.style=lines")
    assert stub.startswith(
        f"Tool result too large: {len(text)} characters in 1 lines from tool, call call_1. Incomplete: "
    )
    assert f"\nref: {event.ref}\n" in stub
    assert "tool_result_read with this ref, offset and limit in unit=lines, as offset=0, limit=200." in stub


# 35: entities are expanded, or fetched


def entities(levels: int, times: int) -> str:
    doubled = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * times if level else "ha"}">' for level in range(levels))
    return f'<?xml version="1.0"?><!DOCTYPE bomb [{doubled}]><bomb>&e{levels - 1};</bomb>'


EXTERNAL = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><r><a>&x;</a></r>'
PARAMETER = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/evil.dtd">%p;]><r><a/></r>'


@pytest.mark.parametrize("document", [entities(5, 10), entities(9, 10), EXTERNAL, PARAMETER])
@pytest.mark.parametrize("style", STYLES)
def test_no_entity_is_expanded_or_fetched(document: str, style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def touched(*_: object, **__: object) -> None:
        raise AssertionError("something was opened")

    monkeypatch.setattr("builtins.open", touched)
    monkeypatch.setattr("socket.socket.connect", touched)
    event, stub = offloaded(document + "\n" * 30_000, f"stub.style={style}")
    assert event.kind in ("xml", "text")
    assert "hahaha" not in stub
    assert len(stub) <= 6000


def test_an_attribute_of_a_megabyte_is_clipped() -> None:
    synopsis = synopsize(f'<r a="{"x" * 1_000_000}"><item/><item/></r>'.encode())
    assert synopsis.kind == "xml"
    _, stub = offloaded(f'<r a="{"x" * 900_000}"><item/><item/></r>')
    assert "item: 2" in stub
    assert len(stub) <= 6000
