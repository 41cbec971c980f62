"""Sessions without retrieval tools: their stubs send nobody on a chase."""

import pytest
from tests.support.deciding import address, arrived, rules

from coatcheck_core.decision import decide
from coatcheck_core.retrieval_tools import has_tools
from coatcheck_core.settings import load


@pytest.mark.parametrize(
    ("assignments", "session", "expected"),
    [
        ([], "s1", True),
        (["retrieval.enabled=false"], "s1", False),
        (["retrieval.sessions_without=[s1]"], "s1", False),
        (["retrieval.sessions_without=[s1]"], "s10", True),
        (["retrieval.sessions_without=[sub-*, x]"], "sub-agent 7/a", False),
        (["retrieval.sessions_without=[sub-*, x]"], "main", True),
        (["retrieval.sessions_without=['a[1]']"], "a[1]", False),
        (["retrieval.sessions_without=['*']"], "", False),
    ],
)
def test_a_session_has_tools_unless_the_settings_say_otherwise(
    assignments: list[str], session: str, expected: bool
) -> None:
    assert has_tools(load(assignments=assignments)[0].retrieval, session) is expected


@pytest.mark.parametrize("style", ["typed", "lines"])
def test_the_stub_of_a_session_without_tools_names_none_and_keeps_its_ref(style: str) -> None:
    by = rules("retrieval.sessions_without=[sub-*]", "result.threshold=5000", f"stub.style={style}")
    text = "The quick brown fox. " * 1000
    without = decide(arrived(text, at=address("sub-1")), by).event
    usual = decide(arrived(text, at=address("main")), by).event
    assert "tool_result_" in str(usual.content)
    assert "tool_result_" not in str(without.content)
    assert str(without.ref) in str(without.content)


@pytest.mark.parametrize(("tool", "inline"), [("read_file", True), ("grep", True), ("ls", False), ("cat", False)])
def test_a_read_of_an_original_as_a_file_is_never_offloaded_again(tool: str, inline: bool) -> None:
    text = "The quick brown fox. " * 1000
    source = "coat://s1/c-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
    event = decide(arrived(text, tool_name=tool, source_ref=source), rules()).event
    assert (event.disposition == "inline", event.reason == "source_read") == (inline, inline)
