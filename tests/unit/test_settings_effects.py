"""What settings change."""

from typing import Any

import pytest
from tests.support.deciding import arrived, arrived_bytes, rules

from coatcheck_core.arrival import read_back
from coatcheck_core.decision import decide
from coatcheck_core.settings import load

LONG = "The quick brown fox jumps over the lazy dog. " * 200


def outcome(*assignments: str, chars: int = 9000) -> Any:
    event = decide(arrived(LONG[:chars]), rules(*assignments)).event
    return event.disposition, event.content, event.preview_chars


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], ["result.threshold=7000"]),
        (["result.threshold=7000"], ["result.threshold=7000", "result.offload=false"]),
        ([], ["tools.tool.result.threshold=7000"]),
        (
            ["result.offload=false", "result.threshold=0"],
            ["result.offload=false", "tools.tool.result.offload=true", "result.threshold=0"],
        ),
        (["result.threshold=7000"], ["result.threshold=7000", "tools.tool.never=true"]),
        (["result.threshold=7000"], ["result.threshold=7000", "budget.unit=tokens"]),
        (["result.threshold=7000"], ["result.threshold=7000", "stub.language=zh"]),
        (["result.threshold=7000"], ["result.threshold=7000", "stub.max_chars=500"]),
        (["result.threshold=7000"], ["result.threshold=7000", "retrieval.read_tool=other"]),
        (["result.threshold=7000"], ["result.threshold=7000", "retrieval.search_tool=other"]),
        (["result.threshold=7000"], ["result.threshold=7000", "retrieval.list_tool=other"]),
        (["result.threshold=7000"], ["result.threshold=7000", "retrieval.enabled=false"]),
        (["result.threshold=7000"], ["result.threshold=7000", "retrieval.sessions_without=[s*]"]),
        (["stub.preview_chars=1000"], ["stub.preview_chars=2000"]),
        (["result.threshold=7000"], ["result.threshold=7000", "stub.style=lines"]),
        (["result.threshold=7000"], ["result.threshold=7000", "tools.tool.stub.style=lines"]),
        (["result.threshold=7000"], ["result.threshold=7000", "stub.style=tests.support.stub_styles:brief"]),
        (
            ["result.threshold=7000", "stub.style=lines"],
            ["result.threshold=7000", "stub.style=lines", "stub.line_chars=50"],
        ),
        (["result.threshold=7000", "stub.style=lines"], ["result.threshold=7000", "stub.style=lines", "stub.lines=0"]),
    ],
)
def test_a_setting_takes_effect(before: list[str], after: list[str]) -> None:
    assert outcome(*before) != outcome(*after)


def test_preview_chars_changes_the_sample_of_what_has_no_synopsis() -> None:
    short, long = (
        decide(arrived_bytes(b"\xff" * 9000), rules(f"stub.preview_chars={chars}")).event.content
        for chars in (500, 3000)
    )
    assert len(str(short)) < len(str(long))


def test_retrieval_tools_take_effect_on_read_backs_too() -> None:
    result = arrived("x", tool_name="other", source_ref="coat://s1/c-0a1b2c3d4e5f60718293a4b5c6d7e8f9")
    assert read_back(result, load()[0].retrieval) is None
    assert read_back(result, load(assignments=["retrieval.list_tool=other"])[0].retrieval) is not None
