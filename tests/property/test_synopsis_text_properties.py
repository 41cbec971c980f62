"""What a text's format tells, against the obvious way of counting it; whatever the size of blocks."""

import difflib
import re
from collections import Counter
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.synopsis.blocks import Window, own, windows
from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.terminal import visible
from coatcheck_core.synopsis.text.describing import describe_text
from coatcheck_core.synopsis.text.excerpts import closing, opening
from coatcheck_core.synopsis.text.formats import log
from coatcheck_core.synopsis.text.formats.choosing import FORMATS
from coatcheck_core.synopsis.text.formats.counting import filled_lines
from coatcheck_core.synopsis.text.formats.diff import details as diff_details
from coatcheck_core.synopsis.text.formats.listings import grep_details, path_details
from coatcheck_core.synopsis.text.formats.log import details as log_details
from coatcheck_core.synopsis.text.formats.settings import details as ini_details
from coatcheck_core.synopsis.text.headers import read_headers
from coatcheck_schemas.synopsis import Detail, TextFacts

SIZES = st.integers(8, 200)

LINES = st.lists(st.sampled_from(["a", "bb c", "-- x", "++ y", "", "é 世", "@@", "- ", "+"]), max_size=12)
WORDS = (
    *(
        "\n",
        "\n\n",
        "# A",
        "=====",
        "---",
        "```",
        "一、",
        "第一章 x",
        "1. Two",
        "AAAA",
        "[a]",
        "k = 1",
        "| a | b |",
        " ",
    ),
    *("\r", "\x1b[1m", "\x08", "2024-01-01 10:00:00 ", "ERROR ", "INFO", "a.c:1:2: error: x", "/x/y.py", "世界"),
    *("  at f (x:1)", "diff --git a/x b/x", "\n+", "\n-", "\n@@ -1 +1 @@"),
)
PIECES = st.lists(st.sampled_from(WORDS), max_size=40).map("".join)


class Small(Seen):
    """Read in blocks of a few bytes."""

    def __init__(self, text: str, size: int) -> None:
        super().__init__(text.encode())
        self._size = size

    def windows(self, size: int = 0) -> Iterator[Window]:
        return super().windows(min(size or self._size, self._size))

    def blocks(self, size: int = 0) -> Iterator[bytes]:
        return super().blocks(size or self._size)


def named(details: list[Detail]) -> dict[str, Detail]:
    return {detail.name: detail for detail in details}


@given(st.text(alphabet="a\n é世", max_size=300), SIZES)
def test_each_line_begins_in_one_window(text: str, size: int) -> None:
    data = text.encode()
    starts = []
    at = 0
    for window in windows(data, size=size):
        found = [at for at in range(len(window.text)) if window.text[at] == 0x0A and own(window, at)]
        starts += [at + newline + 1 - window.start for newline in found]
        at += window.end - window.start
    assert starts == [place for place in range(len(data)) if place == 0 or data[place - 1] == 0x0A]


@given(PIECES, SIZES)
@settings(max_examples=120, deadline=None)
def test_no_fact_depends_on_the_size_of_blocks(text: str, size: int) -> None:
    whole, small = Seen(text.encode()), Small(text, size)
    assert read_headers(small) == read_headers(whole)
    for format_ in FORMATS:
        if format_.details is not None:
            assert format_.details(small) == format_.details(whole), format_.name


@given(PIECES)
@settings(max_examples=100, deadline=None)
def test_any_text_is_described_in_any_format(text: str) -> None:
    for format_ in FORMATS:
        facts = describe_text(Seen(text.encode()), format_.name).facts
        assert isinstance(facts, TextFacts)
        assert all(detail.count is None or detail.count >= 0 for detail in facts.details)


@given(st.text(alphabet=" \t\r\nax世", max_size=200), SIZES)
def test_filled_lines_are_those_with_more_than_blanks(text: str, size: int) -> None:
    small = Small(text, size)
    assert filled_lines(small) == sum(bool(line.strip()) for line in small.data.decode().split("\n"))


@given(st.lists(st.tuples(LINES, LINES), min_size=1, max_size=5), SIZES, st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_diff_counts_as_its_maker_does(pairs: list[tuple[list[str], list[str]]], size: int, git: bool) -> None:
    text, counts = "", {}
    for number, (old, new) in enumerate(pairs):
        lines = list(difflib.unified_diff(old, new, f"a/f{number}.py", f"b/f{number}.py", lineterm=""))
        if not lines:
            continue
        head = f"diff --git a/f{number}.py b/f{number}.py\nindex 1..2 100644\n" if git else ""
        text += head + "\n".join(lines) + "\n"
        counts[number] = (sum(line[:1] == "+" for line in lines[2:]), sum(line[:1] == "-" for line in lines[2:]))
    if not counts:
        return
    details = named(diff_details(Small(text, size) if git else Seen(text.encode())))
    assert details["files"].values == [
        f"f{number}.py +{added} -{removed}" for number, (added, removed) in counts.items()
    ]
    assert details["files"].count == len(counts)
    totals = [sum(count[side] for count in counts.values()) for side in (0, 1)]
    assert details["changed lines"].values == [f"+{totals[0]}", f"-{totals[1]}"]


@given(
    st.lists(
        st.tuples(st.sampled_from(["INFO", "ERROR", "WARN"]), st.sampled_from(["", "\n  more of it"])), min_size=4
    ),
    SIZES,
)
@settings(max_examples=100, deadline=None)
def test_a_log_counts_its_lines_by_level(lines: list[tuple[str, str]], size: int) -> None:
    text = "".join(f"2024-01-01 10:00:00 {level} words{more}\n" for level, more in lines)
    told = named(log_details(Small(text, size)))["lines by level"].values
    assert Counter({name: int(count) for name, count in map(str.split, told)}) == Counter(level for level, _ in lines)


STAMPS = ["2024-01-01T10:00:00Z ", "Jan  1 10:00:00 ", "10:00:00 [", "FATAL at 10:00:00 ", "TRACEA ", ""]


@given(st.lists(st.sampled_from(STAMPS), max_size=3), st.lists(st.sampled_from(["INFO", "ERROR"]), min_size=4), SIZES)
@settings(max_examples=100, deadline=None)
def test_a_line_has_the_first_level_in_it_wherever_that_stands(strays: list[str], levels: list[str], size: int) -> None:
    text = "".join(f"{STAMPS[0]}{level} words, no WARNING\n" for level in levels)
    text += "".join(f"{stamp}INFO words\n" for stamp in strays)
    with patch.object(log, "_HEAD_BYTES", 80):
        told = named(log_details(Small(text, size)))["lines by level"].values
    firsts = [re.search(r"\b(?:INFO|ERROR|FATAL)\b", line) for line in text.splitlines()]
    assert Counter({name: int(count) for name, count in map(str.split, told)}) == Counter(
        first[0] for first in firsts if first
    )


@given(st.lists(st.tuples(st.sampled_from(["a.py", "b/c.py", "d e.txt"]), st.integers(1, 99)), min_size=1), SIZES)
@settings(max_examples=100, deadline=None)
def test_grep_counts_lines_by_file(found: list[tuple[str, int]], size: int) -> None:
    text = "".join(f"{file}:{line}:some text: 1\n" for file, line in found)
    details = named(grep_details(Small(text, size)))
    files = Counter(file for file, _ in found)
    assert details["matching lines"].count == len(found)
    assert details["files, by matching lines"].count == len(files)
    assert sorted(details["files, by matching lines"].values) == sorted(f"{file} {n}" for file, n in files.items())


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=3), min_size=1, max_size=30), SIZES)
@settings(max_examples=100, deadline=None)
def test_ini_counts_sections_and_keys(sections: list[list[str]], size: int) -> None:
    text = "".join(f"[s{at}]\n" + "".join(f"{key} = 1\n" for key in keys) for at, keys in enumerate(sections))
    details = named(ini_details(Small(text, size)))
    assert details["sections"].count == len(sections)
    assert details["keys"].count == sum(map(len, sections))


@given(st.lists(st.sampled_from(["./a/b.py", "./c.txt", "./a/d/e.py", "./f/g"]), min_size=1), SIZES)
@settings(max_examples=100, deadline=None)
def test_paths_are_counted_by_ending(paths: list[str], size: int) -> None:
    details = named(path_details(Small("\n".join(paths), size)))
    endings = Counter(path.rpartition(".")[2] for path in paths if path != "./f/g")
    assert details["paths"].count == len(paths)
    if endings:
        assert sorted(details["endings"].values) == sorted(f".{ending} {n}" for ending, n in endings.items())


@given(st.text(alphabet="ab \n\t世é", max_size=3000))
@settings(max_examples=100, deadline=None)
def test_excerpts_are_the_folded_ends(text: str) -> None:
    seen = Seen(text.encode())
    folded = " ".join(text.split())
    begin, end = opening(seen), closing(seen)
    assert begin == folded or (begin.endswith("…") and folded.startswith(begin[:-1]) and len(begin) == 500)
    assert folded.endswith(end.removeprefix("…").strip())
    assert len(end) <= 500


@given(
    st.lists(
        st.sampled_from(["a", "é", "世", "\n", "\x1b[31m", "\x1b]0;t\x07", "_\x08", "\x1b", "\r", "%"]), max_size=60
    ).map("".join)
)
def test_what_is_seen_is_text_without_the_codes(text: str) -> None:
    seen = visible(text.encode()).decode()
    assert seen == visible(seen.encode()).decode() or "\x1b" in seen
    assert seen.count("\n") == text.count("\n") or "\n" not in text


@pytest.mark.parametrize("count", [0, 1, 5])
def test_what_a_table_repeats_is_counted_exactly(count: int) -> None:
    rows = [f"pod-{at:<6} {'Failed' if at < count else 'Running':<10} {at}d" for at in range(20)]
    facts = describe_text(Seen("\n".join(["NAME       STATUS     AGE", *rows]).encode()), "table").facts
    assert isinstance(facts, TextFacts)
    status = named(facts.details).get("STATUS")
    assert (status.values if status else None) == ([f"Running {20 - count}", f"Failed {count}"] if count else None)
