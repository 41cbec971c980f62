"""Records are counted as `csv.reader` counts them, wherever a block of the text ends."""

import csv
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.synopsis.blocks import blocks
from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.tables import head, source
from coatcheck_core.synopsis.tables.counting import MOST_UNEVEN, shape
from coatcheck_core.synopsis.tables.source import Source

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
@settings(max_examples=400, deadline=None)
def test_records_are_those_of_the_reader(text: str, columns: int, size: int) -> None:
    found = shape(blocks(text.encode(), size=size), b",", columns)
    records, uneven = by_the_reader(text, columns)
    if len(uneven) > MOST_UNEVEN:
        assert found is None
    else:
        assert found is not None
        assert (found.records, found.uneven) == (records, uneven)


@given(EVEN_ROWS, st.integers(4, 40))
@settings(max_examples=120, deadline=None)
def test_rows_with_every_field_quoted_are_even(rows: list[tuple[str, ...]], size: int) -> None:
    text = "".join(",".join('"' + field.replace('"', '""') + '"' for field in row) + "\n" for row in rows)
    found = shape(blocks(text.encode(), size=size), b",", 3)
    assert found is not None
    assert (found.records, found.uneven, found.unclosed, found.regular) == (len(rows), [], False, True)


@given(TEXTS | EVEN_ROWS.map(lambda rows: "".join(",".join(row) + "\n" for row in rows)), st.booleans(), st.data())
@settings(max_examples=200, deadline=None)
def test_a_first_look_refuses_what_the_whole_head_refuses(text: str, quotes: bool, data: st.DataObject) -> None:
    lengths = tuple(data.draw(st.lists(st.integers(1, len(text) + 1), max_size=2)))
    with patch.object(source, "HEAD_BYTES", data.draw(st.sampled_from((20, 60, 10_000)))):
        with patch.object(head, "_FIRST_BYTES", ()):
            whole = head.read_head(Source(Seen(text.encode())), ",", quotes=quotes)
        with patch.object(head, "_FIRST_BYTES", lengths):
            assert head.read_head(Source(Seen(text.encode())), ",", quotes=quotes) == whole
