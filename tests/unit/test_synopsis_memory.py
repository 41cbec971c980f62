"""Whatever its shape, the synopsis of a long result takes at most the size of the result once more."""

from pathlib import Path

import pytest
from tests.support.hostile import HOSTILE
from tests.support.hostile.child import Child

MEGA = 1_000_000
SIZE_BYTES = BESIDE_BYTES = 20 * MEGA


@pytest.mark.parametrize(
    "name",
    [
        "json: ones",
        "json: records",
        "json: one string",
        "table: rows, quoted",
        "table: a quoted field",
        "table: quotes",
        "xml: items",
        "yaml: items of mappings",
        "text: one long line",
        "text: blank lines",
        "terminal: colours a line",
        "code: functions of Python",
    ],
)
def test_a_long_result_takes_at_most_its_own_size_once_more(name: str, tmp_path: Path) -> None:
    file = tmp_path / "result"
    file.write_bytes(HOSTILE[name](SIZE_BYTES))
    allowed = file.stat().st_size + BESIDE_BYTES
    with Child() as child:  # a process' peak never falls again
        assert child.peak(file)["peak"] < allowed
