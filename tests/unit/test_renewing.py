"""When a token's successor is looked for."""

import math

import pytest

from coatcheck_core.credentials.renewing import look_after


@pytest.mark.parametrize(
    ("left", "after"),
    [(100, 80), (0.1, 0.5), (100_000, 3600), (0, math.inf), (-5, math.inf)],
)
def test_a_file_is_looked_at_while_there_is_time(left: float, after: float) -> None:
    assert look_after(1_700_000_000, 1_700_000_000 - left) == pytest.approx(after)


def test_for_what_does_not_expire_no_file_is_looked_at() -> None:
    assert look_after(0, 1_700_000_000) == math.inf
