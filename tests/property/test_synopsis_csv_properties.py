"""Records are counted as `csv.reader` counts them, wherever a block of the text ends."""

import csv

from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.synopsis.blocks import blocks
from coatcheck_core.synopsis.tables.counting import MOST_UNEVEN, shape

PIECES = ["a", "b", "é", " ", ",", ",", '"', '"', '""', "\n", "\n", "\r\n", '"\n"', "x,y\n", '"p","q"\n']
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
EVEN_ROWS = st.lists(st.tuples(*[st.text(st.sampled_from('ab,"\n é'), max_size=6)] * 3), min_size=1, max_size=20)


def by_the_reader(text: str, columns: int) -> tuple[int, list[tuple[int, int]]]:
    """Records that are not blank, and the uneven ones, as `csv.reader` has them."""
    lines = text.replace("\r\n", "\n").splitlines(keepends=True)
    reader = csv.reader(lines)
    records = consumed = 0
    uneven = []
    for fields in reader:
        own = "".join(lines[consumed : reader.line_num])
        consumed = reader.line_num
        if not own.strip():
            continue
        if len(fields) != columns:
            uneven.append((records, len(fields)))
        records += 1
    return records, uneven


@given(TEXTS, st.integers(2, 4), st.integers(4, 16))
@settings(max_examples=1500, deadline=None)
def test_records_are_those_of_the_reader(text: str, columns: int, size: int) -> None:
    found = shape(blocks(text.encode(), size=size), b",", columns)
    records, uneven = by_the_reader(text, columns)
    if len(uneven) > MOST_UNEVEN:
        assert found is None
    else:
        assert found is not None
        assert (found.records, found.uneven) == (records, uneven)


@given(EVEN_ROWS, st.integers(4, 40))
@settings(max_examples=300, deadline=None)
def test_rows_with_every_field_quoted_are_even(rows: list[tuple[str, ...]], size: int) -> None:
    text = "".join(",".join('"' + field.replace('"', '""') + '"' for field in row) + "\n" for row in rows)
    found = shape(blocks(text.encode(), size=size), b",", 3)
    assert found is not None
    assert (found.records, found.uneven, found.unclosed, found.regular) == (len(rows), [], False, True)
