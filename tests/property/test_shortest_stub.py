"""No stub is as short as the one taken to be the shortest: what never gives way is told without making one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.deciding import address, arrived, rules

from coatcheck_core.decision import Case

TEXTS = st.one_of(st.text(max_size=1500), st.integers(0, 1500).map(lambda size: "line of text\n" * (size // 13)))


@pytest.mark.parametrize("unit", ["chars", "tokens"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("style", ["typed", "lines", "tests.support.stub_styles:brief"])
@settings(max_examples=30)
@given(content=TEXTS, tool=st.text(min_size=1, max_size=60), call=st.text(max_size=30), retrieval=st.booleans())
def test_a_result_that_is_told_to_stay_has_no_shorter_stub(
    unit: str, language: str, style: str, content: str, tool: str, call: str, retrieval: bool
) -> None:
    by = rules(f"budget.unit={unit}", f"stub.language={language}", f"stub.style={style}")
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


@pytest.mark.parametrize(
    ("max_chars", "style", "small"), [(500, "typed", 250), (6000, "typed", 400), (6000, "lines", 150)]
)
def test_most_small_results_are_told_without_a_stub(max_chars: int, style: str, small: int) -> None:
    by = rules(f"stub.max_chars={max_chars}", f"stub.style={style}")
    assert Case(arrived("x" * small, at=address("s", "t", "c")), by).entry().stub_length is None
    assert Case(arrived("x" * 5000, at=address("s", "t", "c")), by).entry().stub_length is not None
