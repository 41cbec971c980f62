"""No stub is as short as the one taken to be the shortest: what never gives way is told without making one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.deciding import address, arrived, rules

from coatcheck_core.decision import Case

TEXTS = st.one_of(st.text(max_size=1500), st.integers(0, 1500).map(lambda size: "line of text\n" * (size // 13)))


@pytest.mark.parametrize("unit", ["chars", "tokens"])
@pytest.mark.parametrize("language", ["en", "zh"])
@settings(max_examples=60)
@given(content=TEXTS, tool=st.text(min_size=1, max_size=60), call=st.text(max_size=30), retrieval=st.booleans())
def test_a_result_that_is_told_to_stay_has_no_shorter_stub(
    unit: str, language: str, content: str, tool: str, call: str, retrieval: bool
) -> None:
    by = rules(f"budget.unit={unit}", f"stub.language={language}")
    try:
        result = arrived(content, at=address("s", "t", call), tool_name=tool, retrieval=retrieval)
    except UnicodeEncodeError:
        return
    case = Case(result, by)
    entry = case.entry()
    if entry.stub_length is None:
        assert case.stub_length("turn_budget") >= case.length
    else:
        assert entry.stub_length == case.stub_length("turn_budget")


@pytest.mark.parametrize("max_chars", [500, 700, 6000])
def test_most_small_results_are_told_without_a_stub(max_chars: int) -> None:
    by = rules(f"stub.max_chars={max_chars}")
    assert Case(arrived("x" * 400, at=address("s", "t", "c")), by).entry().stub_length is None
    assert Case(arrived("x" * 5000, at=address("s", "t", "c")), by).entry().stub_length is not None
