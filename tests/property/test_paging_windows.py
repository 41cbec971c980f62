"""A page cut out of a window of a text is the page cut out of the whole."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from coatcheck_core.lines import count_lines
from coatcheck_core.paging import (
    BytesWindow,
    Page,
    Window,
    absolute,
    base64_room,
    giant_line_chars,
    line_start,
    page_bytes,
    page_chars,
    page_lines,
    reach,
)
from coatcheck_schemas.errors import RequestError

PIECES = st.sampled_from(["\n", "\r\n", "a", "word ", "漢", "\U0001f600", "\x00", '"', "x" * 150])
TEXTS = st.one_of(
    st.lists(PIECES, max_size=40).map("".join),
    st.lists(st.tuples(st.sampled_from(["x", "\n", "ab\n"]), st.integers(1, 30_000)), max_size=3).map(
        lambda runs: "".join(piece * times for piece, times in runs)
    ),
)
OFFSETS = st.one_of(st.integers(-30, 30), st.integers(-60_000, 60_000))
LIMITS = st.one_of(st.just(-1), st.integers(1, 12), st.integers(1, 10**6))
BUDGETS = st.one_of(st.integers(0, 120), st.just(10**6))
MORE = st.integers(0, 50)


def attempt(make: Callable[[], Page]) -> Page | str:
    try:
        return make()
    except RequestError as error:
        return error.message


def window_of(text: str, start: int, stop: int) -> Window:
    start, stop = max(0, min(start, len(text))), max(0, min(stop, len(text)))
    return Window(
        text=text[start:stop],
        chars_before=start,
        newlines_before=text.count("\n", 0, start),
        total_chars=len(text),
        total_lines=count_lines(text),
    )


@given(text=TEXTS, offset=OFFSETS, limit=LIMITS, budget=BUDGETS, before=MORE, after=MORE)
def test_a_page_of_chars(text: str, offset: int, limit: int, budget: int, before: int, after: int) -> None:
    start, stop = reach(len(text), offset, limit, budget)
    window = window_of(text, start - before, stop + after)
    assert attempt(lambda: page_chars(window, offset, limit, budget)) == attempt(
        lambda: page_chars(text, offset, limit, budget)
    )


@given(text=TEXTS, offset=OFFSETS, limit=LIMITS, budget=BUDGETS, before=MORE, after=MORE, numbered=st.booleans())
def test_a_page_of_lines(
    text: str, offset: int, limit: int, budget: int, before: int, after: int, numbered: bool
) -> None:
    first = absolute(offset, count_lines(text))
    begin = line_start(text, first)
    giant = giant_line_chars(limit, budget)
    is_giant = line_start(text, 1, begin) - begin > giant
    stop = begin + (giant if is_giant else max(budget, 0)) + after
    if limit != -1:
        stop = min(stop, line_start(text, limit, begin) + after)
    window = window_of(text, begin - 1 - before, stop)
    assert attempt(lambda: page_lines(window, offset, limit, budget, numbered=numbered)) == attempt(
        lambda: page_lines(text, offset, limit, budget, numbered=numbered)
    )


@given(data=st.binary(max_size=300), offset=OFFSETS, limit=LIMITS, budget=BUDGETS, before=MORE, after=MORE)
def test_a_page_of_bytes(data: bytes, offset: int, limit: int, budget: int, before: int, after: int) -> None:
    start, stop = reach(len(data), offset, limit, base64_room(budget))
    start, stop = max(0, start - before), stop + after
    window = BytesWindow(data=data[start:stop], bytes_before=min(start, len(data)), total_bytes=len(data))
    assert attempt(lambda: page_bytes(window, offset, limit, budget)) == attempt(
        lambda: page_bytes(data, offset, limit, budget)
    )
