"""The budget of one result: equality, overrides, and what goes before every rule."""

import pytest

from coatcheck_core.budget import Limits, limits_of, must_offload
from coatcheck_core.settings import load


def limits(tool: str, *assignments: str) -> Limits:
    return limits_of(load(assignments=assignments)[0], tool)


def test_without_settings_the_threshold_is_20000() -> None:
    assert limits("t") == Limits(threshold=20_000, offload=True)


def test_a_tool_s_own_threshold_goes_before_the_common_one() -> None:
    assert limits("t", "result.threshold=10", "tools.t.result.threshold=0").threshold == 0
    assert limits("u", "result.threshold=10", "tools.t.result.threshold=0").threshold == 10


def test_a_tool_may_be_offloaded_where_others_are_not() -> None:
    settings = ("result.offload=false", "tools.t.result.offload=true")
    assert limits("t", *settings).offload
    assert not limits("u", *settings).offload


def test_never_goes_before_the_tool_s_own_offload() -> None:
    assert not limits("t", "tools.t.never=true", "tools.t.result.offload=true").offload


def test_what_is_absent_for_a_tool_is_as_for_all() -> None:
    assert limits("t", "result.threshold=7", "tools.t.never=false") == Limits(threshold=7, offload=True)


def test_a_tool_s_name_is_matched_whole_and_with_its_case() -> None:
    assert limits("Kubectl", "tools.kubectl.never=true").offload
    assert limits("kubectl get", "tools.kubectl.never=true").offload
    assert not limits("mcp.k8s.get", "tools.mcp.k8s.get.never=true").offload


@pytest.mark.parametrize(
    ("is_text", "fits", "reason"),
    [
        (False, True, "binary"),
        (False, False, "binary"),
        (True, False, "message_limit"),
        (True, True, None),
    ],
)
def test_what_cannot_go_inline_is_offloaded_before_any_rule(is_text: bool, fits: bool, reason: str | None) -> None:
    assert must_offload(is_text=is_text, fits_inline=fits) == reason


@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize(
    ("is_text", "is_over", "reason"),
    [(True, True, "single_threshold"), (True, False, "message_limit"), (False, True, "binary")],
)
def test_what_was_given_up_is_offloaded_and_says_whether_it_is_over_its_threshold(
    is_text: bool, is_over: bool, reason: str, fits: bool
) -> None:
    assert must_offload(is_text=is_text, fits_inline=fits, is_incomplete=True, is_over=is_over) == reason
