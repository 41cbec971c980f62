"""Which messages are decided alone."""

import pytest

from coatcheck_core.suspicion import is_suspect


@pytest.mark.parametrize(
    ("deliveries", "own_failures", "suspect"),
    [
        (1, 0, False),
        (2, 0, False),
        (3, 0, True),
        (4, 1, True),
        (3, 1, False),
        (9, 8, False),
        (11, 8, True),
        (50, 50, False),
    ],
)
def test_suspect_once_three_deliveries_are_not_its_own_failures(
    deliveries: int, own_failures: int, suspect: bool
) -> None:
    assert is_suspect(deliveries, own_failures) is suspect
