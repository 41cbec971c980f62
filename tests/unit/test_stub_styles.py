"""A style of one's own: what it may do, and that nothing it does costs a result."""

import pytest
from tests.support.deciding import arrived, rules
from tests.unit.test_stub_text import subject

from coatcheck_core.decision import decide
from coatcheck_core.rules import Rules
from coatcheck_core.settings import load
from coatcheck_core.settings.model import RetrievalSettings, Settings, StubSettings
from coatcheck_core.stub import Styles, render_stub, styles_of

OWN = "tests.support.stub_styles"
FAULTS = {
    "failing": "KeyError: 'no such fact'",
    "endless": "ValueError: it gave 6001 chars, more than stub.max_chars = 6000",
    "blank": "ValueError: it gave no text",
    "bytes_for_text": "TypeError: it gave a bytes, not a str",
    "growing": "ValueError: it gave 36000 chars, escaped, more than stub.max_chars = 6000",
}


def own_style(name: str, told: list[str] | None = None) -> tuple[Styles, StubSettings]:
    style = f"{OWN}:{name}"
    return Styles([style], None if told is None else told.append), StubSettings(style=style)


def test_a_function_of_one_s_own_makes_the_stub() -> None:
    given = subject("words " * 5000)
    styles, stub = own_style("brief")
    expected = f"kubectl gave 30000 chars: tool_result_read {given.ref}"
    assert styles(given, stub, RetrievalSettings()) == expected
    assert render_stub(given, stub, RetrievalSettings()) == expected


def test_what_it_quotes_is_escaped_but_for_its_own_lines_and_tabs() -> None:
    styles, stub = own_style("quoting")
    shown = styles(subject("a\x1b[2Jb\u202ec\x85d"), stub, RetrievalSettings())
    assert shown == "first:\n\ta\\u001b[2Jb\\u202ec\\u0085d"


@pytest.mark.parametrize("name", FAULTS)
def test_where_it_fails_the_stub_is_the_typed_one_and_that_is_told_once(name: str) -> None:
    told: list[str] = []
    styles, stub = own_style(name, told)
    given = subject("words " * 5000)
    for _ in range(3):
        assert styles(given, stub, RetrievalSettings()) == render_stub(given, StubSettings(), RetrievalSettings())
    assert told == [f"stub.style '{OWN}:{name}' failed, and its stubs are typed ones; told once: {FAULTS[name]}"]


def test_each_function_that_fails_is_told_of() -> None:
    told: list[str] = []
    names = [f"{OWN}:failing", f"{OWN}:blank"]
    styles = Styles(names, told.append)
    for name in names * 2:
        styles(subject("words"), StubSettings(style=name), RetrievalSettings())
    assert len(told) == 2


@pytest.mark.parametrize(
    ("style", "why"),
    [
        ("no.such.module:f", "the module 'no.such.module' cannot be imported"),
        (f"{OWN}:none", f"'{OWN}' has no function 'none'"),
        (f"{OWN}:NOT_A_FUNCTION", f"'{OWN}' has no function 'NOT_A_FUNCTION'"),
    ],
)
@pytest.mark.parametrize("setting", ["stub.style", "tools.kubectl.stub.style"])
def test_one_that_cannot_be_loaded_is_refused_with_the_setting(setting: str, style: str, why: str) -> None:
    settings, _ = load(assignments=[f"{setting}={style}"])
    with pytest.raises(ValueError, match=r"^stub\.style ") as caught:
        styles_of(settings, print)
    assert why in str(caught.value)


def test_a_tool_s_own_style_goes_before_the_one_for_all() -> None:
    by = rules("result.threshold=10", "tools.tool.stub.style=lines", f"stub.style={OWN}:brief")
    by = with_styles(by)
    text = "words " * 5000
    assert "Tool result too large" in str(decide(arrived(text), by).event.content)
    other = str(decide(arrived(text, tool_name="other"), by).event.content)
    assert other.startswith("other gave 30000 chars: tool_result_read coat://s1/")


def test_a_result_under_a_style_that_fails_is_offloaded_all_the_same() -> None:
    by = with_styles(rules("result.threshold=10", f"stub.style={OWN}:failing"))
    event = decide(arrived("words " * 5000), by).event
    assert (event.disposition, event.kind) == ("offloaded", "text")
    assert str(event.content).startswith("[Coatcheck: tool result offloaded]")


def with_styles(by: Rules) -> Rules:
    settings: Settings = by.settings
    return Rules(
        settings=settings,
        keys=by.keys,
        count=by.count,
        uri=by.uri,
        max_event_bytes=by.max_event_bytes,
        render=styles_of(settings, lambda told: None),
    )
