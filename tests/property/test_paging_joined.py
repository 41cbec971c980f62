"""Pages of any size, joined, are the original; none takes more than its budget."""

from base64 import b64decode

from hypothesis import example, given, settings
from hypothesis import strategies as st

from coatcheck_core.lines import count_lines
from coatcheck_core.paging import (
    Page,
    fitting,
    json_size,
    line_start,
    page_bytes,
    page_chars,
    page_lines,
)

LIMITS = st.one_of(st.just(-1), st.integers(1, 12), st.integers(1, 10**6))
BUDGETS = st.one_of(st.integers(30, 120), st.just(10**6))
PIECES = st.sampled_from(
    ["\n", "\r\n", "\r", "a", "word ", "é", "漢", "\U0001f600", "\x00", "\\", '"', "\u2028", "\x85", "\t", "x" * 150]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=80).map("".join))
GIANTS = st.lists(st.tuples(st.sampled_from(["x", "漢", "\n", "\x1f"]), st.integers(1, 30_000)), max_size=6).map(
    lambda runs: "".join(char * times for char, times in runs)
)


def next_page(text: str, unit: str, offset: int, limit: int, budget: int) -> Page:
    return (page_lines if unit == "lines" else page_chars)(text, offset, limit, budget)


def joined(text: str, unit: str, limits: list[int], budget: int) -> str:
    pieces: list[str] = []
    offset = 0
    for turn in range(len(text) + 2):
        page = next_page(text, unit, offset, limits[turn % len(limits)], budget)
        assert json_size(page.content) <= budget
        assert page.has_more == (page.next is not None)
        pieces.append(page.content)
        if page.next is None:
            return "".join(pieces)
        assert page.content
        unit, offset = page.next.unit, page.next.offset
    raise AssertionError("the pages do not end")


@given(
    text=TEXTS,
    unit=st.sampled_from(["chars", "lines"]),
    limits=st.lists(LIMITS, min_size=1, max_size=4),
    budget=BUDGETS,
)
@example(text="\n\n", unit="lines", limits=[1], budget=30)
@example(text="a\r\nb\rc", unit="lines", limits=[1, 2], budget=30)
@settings(max_examples=300, deadline=None)
def test_pages_of_any_size_joined_are_the_original(text: str, unit: str, limits: list[int], budget: int) -> None:
    assert joined(text, unit, limits, budget) == text


@given(text=GIANTS, limits=st.lists(st.one_of(st.just(-1), st.integers(100, 5000)), min_size=1, max_size=3))
@settings(max_examples=40, deadline=None)
def test_giant_lines_joined_are_the_original(text: str, limits: list[int]) -> None:
    assert joined(text, "lines", limits, 40_000) == text


@given(data=st.binary(max_size=300), limits=st.lists(LIMITS, min_size=1, max_size=3), budget=st.integers(4, 100))
@settings(max_examples=150, deadline=None)
def test_pages_of_bytes_joined_are_the_original(data: bytes, limits: list[int], budget: int) -> None:
    pieces = b""
    offset: int | None = 0
    for turn in range(len(data) + 2):
        if offset is None:
            break
        page = page_bytes(data, offset, limits[turn % len(limits)], budget)
        assert len(page.content) <= budget
        pieces += b64decode(page.content)
        offset = page.next.offset if page.next else None
    assert pieces == data


@given(text=TEXTS, offset=st.integers(-100, 100), limit=st.integers(1, 20))
@settings(max_examples=200, deadline=None)
def test_a_page_of_lines_is_what_splitting_gives(text: str, offset: int, limit: int) -> None:
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    lines = lines if lines[-1] else lines[:-1]
    start = offset if offset >= 0 else max(0, len(lines) + offset)
    assert count_lines(text) == len(lines)
    assert page_lines(text, offset, limit, 10**6).content == "".join(lines[start : start + limit])


@given(text=TEXTS, limit=st.integers(1, 20), budget=st.integers(30, 300))
@settings(max_examples=150, deadline=None)
def test_numbers_taken_off_leave_the_lines(text: str, limit: int, budget: int) -> None:
    page = page_lines(text, 0, limit, budget, numbered=True)
    assert json_size(page.content) <= budget
    rows = page.content.split("\n")
    shown = [row.split("\t", 1) for row in rows if row]
    assert [int(number) for number, _ in shown] == list(range(1, len(shown) + 1))
    plain = "\n".join(row.split("\t", 1)[1] if row else row for row in rows)
    assert text.startswith(plain)
    if page.next is None:
        assert plain == text
    else:
        assert len(plain) == (page.next.offset if page.next.unit == "chars" else line_start(text, page.next.offset))


@given(text=TEXTS, budget=st.integers(0, 200))
@settings(max_examples=200, deadline=None)
def test_what_fits_is_the_most_that_fits(text: str, budget: int) -> None:
    chars = fitting(text, budget)
    assert json_size(text[:chars]) <= budget
    assert chars == len(text) or json_size(text[: chars + 1]) > budget
