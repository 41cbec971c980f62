"""Pages by chars, lines and bytes, on the cases where they could go wrong."""

from base64 import b64decode

import pytest

from coatcheck_core.lines import count_lines
from coatcheck_core.paging import fitting, json_size, line_start, page_bytes, page_chars, page_lines
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import Next

ROOM = 1_000_000


def test_a_page_of_chars_says_where_to_go_on() -> None:
    page = page_chars("abcdef", 1, 3, ROOM)
    assert (page.content, page.offset, page.limit, page.has_more) == ("bcd", 1, 3, True)
    assert page.next == Next(unit="chars", offset=4)


def test_the_last_page_has_no_next() -> None:
    page = page_chars("abcdef", 4, 3, ROOM)
    assert (page.content, page.limit, page.has_more, page.next) == ("ef", 3, False, None)


def test_chars_are_code_points() -> None:
    assert page_chars("a\U0001f600é漢", 1, 2, ROOM).content == "\U0001f600é"


@pytest.mark.parametrize("offset", [6, 7, 10**12])
def test_past_the_end_is_empty_and_final(offset: int) -> None:
    for page in (
        page_chars("abcdef", offset, 3, ROOM),
        page_lines("a\nb\nc\nd\ne\nf", offset, 3, ROOM),
        page_bytes(b"abcdef", offset, 3, ROOM),
    ):
        assert (page.content, page.has_more, page.next) == ("", False, None)


def test_an_empty_original_is_one_empty_page() -> None:
    for page in (page_chars("", 0, 5, ROOM), page_lines("", 0, 5, ROOM), page_bytes(b"", 0, -1, ROOM)):
        assert (page.content, page.offset, page.has_more, page.next) == ("", 0, False, None)


def test_a_negative_offset_counts_from_the_end() -> None:
    assert page_chars("abcdef", -2, 10, ROOM).content == "ef"
    assert page_bytes(b"abcdef", -2, 10, ROOM).offset == 4
    assert page_lines("a\nb\nc", -2, 10, ROOM).content == "b\nc"


def test_a_negative_offset_before_the_beginning_is_the_beginning() -> None:
    page = page_lines("a\nb\n", -99, 1, ROOM)
    assert (page.content, page.offset) == ("a\n", 0)


def test_minus_one_reads_to_the_end() -> None:
    page = page_lines("a\nb\nc\n", 1, -1, ROOM)
    assert (page.content, page.limit, page.has_more) == ("b\nc\n", -1, False)


def test_only_a_newline_ends_a_line() -> None:
    text = "a\rb\u2028c\x0bd\x85e\r\nf\n"
    assert count_lines(text) == 2
    assert page_lines(text, 0, 1, ROOM).content == "a\rb\u2028c\x0bd\x85e\r\n"


def test_a_last_line_without_its_end_counts() -> None:
    assert [count_lines(text) for text in ("", "\n", "a", "a\n", "a\nb", "\n\n")] == [0, 1, 1, 1, 2, 2]


def test_line_start_crosses_blocks() -> None:
    text = "x" * 70_000 + "\n" + "y" * 200_000 + "\n" + "z\n" * 100_000
    assert line_start(text, 1) == 70_001
    assert line_start(text, 2) == 270_002
    assert line_start(text, 50_002) == 270_002 + 100_000
    assert line_start(text, 10**9) == len(text)
    assert line_start(text, 1, 70_001) == 270_002


def test_numbers_count_from_one_and_keep_the_lines_ends() -> None:
    page = page_lines("a\n\nc", 1, 5, ROOM, numbered=True)
    assert page.content == "     2\t\n     3\tc"


def test_a_number_over_six_digits_keeps_its_tab() -> None:
    page = page_lines("\n" * 999_999 + "last\nx", 999_999, 1, ROOM, numbered=True)
    assert page.content == "1000000\tlast\n"
    assert page.next == Next(unit="lines", offset=1_000_000)


def test_numbered_pages_are_cut_at_a_line() -> None:
    page = page_lines("word\n" * 100, 0, 50, 200, numbered=True)
    assert json_size(page.content) <= 200
    assert page.content.endswith("\tword\n")
    assert page.limit == page.content.count("\n")
    assert page.next == Next(unit="lines", offset=page.limit)


def test_a_page_of_lines_ends_before_a_giant_one_which_goes_on_in_chars() -> None:
    text = "short\n" + "".join(f"{digit}" * 20_000 + "\n" for digit in range(5))
    page = page_lines(text, 0, 200, ROOM)
    assert (page.content, page.next) == ("short\n", Next(unit="lines", offset=1))
    page = page_lines(text, 1, 200, ROOM)
    assert (page.content, page.next) == ("0" * 20_000, Next(unit="chars", offset=20_006))


def test_lines_come_as_many_as_are_asked_for_while_one_message_carries_them() -> None:
    text = "".join("x" * 8_000 + "\n" for _ in range(50))
    page = page_lines(text, 0, 5, ROOM)
    assert (page.limit, len(page.content)) == (5, 5 * 8_001)
    cut = page_lines(text, 0, 50, 20_000)
    assert (cut.limit, len(cut.content), cut.next) == (2, 2 * 8_001, Next(unit="lines", offset=2))


def test_a_line_longer_than_a_page_goes_on_in_chars() -> None:
    text = "short\n" + "x" * 180_000 + "\ntail\n"
    first = page_lines(text, 0, 200, ROOM)
    assert first.content == "short\n"
    assert first.next == Next(unit="lines", offset=1)
    second = page_lines(text, 1, 200, ROOM)
    assert second.content == "x" * 20_000
    assert (second.offset, second.limit) == (1, 1)
    assert second.next == Next(unit="chars", offset=6 + 20_000)


def test_to_the_end_a_giant_line_comes_as_far_as_one_message_carries() -> None:
    assert len(page_lines("x" * 90_000, 0, 500, ROOM).content) == 20_000
    assert len(page_lines("x" * 90_000, 0, -1, ROOM).content) == 90_000


def test_a_page_cut_by_the_message_says_what_it_returned() -> None:
    page = page_chars("\x00" * 1000, 0, 1000, 600)
    assert (len(page.content), page.limit) == (100, 100)
    assert page.next == Next(unit="chars", offset=100)


def test_bytes_come_as_base64_within_the_message() -> None:
    data = bytes(range(256)) * 10
    page = page_bytes(data, 5, -1, 403)
    assert len(page.content) <= 403
    assert b64decode(page.content) == data[5 : 5 + page.limit]
    assert page.next == Next(unit="bytes", offset=5 + page.limit)


@pytest.mark.parametrize("budget", [-5, 0, 1])
def test_no_room_at_all_is_too_large(budget: int) -> None:
    with pytest.raises(RequestError) as chars:
        page_chars("\x00", 0, 1, budget)
    with pytest.raises(RequestError) as lines:
        page_lines("\x00\n", 0, 1, budget, numbered=True)
    with pytest.raises(RequestError) as octets:
        page_bytes(b"\x00", 0, 1, budget)
    assert {chars.value.code, lines.value.code, octets.value.code} == {Code.TOO_LARGE}


def test_control_characters_are_counted_as_they_are_escaped() -> None:
    text = "\x01" * 200_000
    assert json_size(text) == 1_200_000
    assert fitting(text, 1_000_000) == 166_666
