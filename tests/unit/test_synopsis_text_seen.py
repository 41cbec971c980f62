"""The text as a person sees it, and where in the original a place of it is."""

import pytest

from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.terminal import PIECE_BYTES, visible


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("plain\n", "plain\n"),
        ("\ufeff\u200e\u2066text", "text"),
        ("\x1b[1;31mred\x1b[0m and \x1b]8;;http://x\x07link\x1b]8;;\x1b\\", "red and link"),
        ("N\x08NA\x08AM\x08ME\x08E and _\x08u", "NAME and u"),
        ("é\x08e 世\x08界", "e 界"),
        ("abc\x08\x08\x08xyz\n\x08ok", "xyz\nok"),
        ("\x1b]0;never closed\nnext line", "\x1b]0;never closed\nnext line"),
        ("a \u200b b \u202e c", "a \u200b b \u202e c"),
        ('{"a": "\x9d\x9c"}', '{"a": "\x9d\x9c"}'),
    ],
)
def test_codes_and_marks_are_looked_through(written: str, seen: str) -> None:
    assert visible(written.encode()).decode() == seen


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("fetch\n 10%\r 55%\r100%\ndone\n", "fetch\n100%\ndone\n"),
        (" 10%\r 55%\r100%", "100%"),
        (" 10%\r 55%\r100%\r\n", "100%\r\n"),
        ("one\r\ntwo\r\n", "one\r\ntwo\r\n"),
        ("id,note\r1,a\r2,b\r", "id,note\n1,a\n2,b\n"),
        ('id,note\n1,"a\rb"\n', 'id,note\n1,"a\rb"\n'),
        ('{\r"a": 1,\r"b": 2}\n', '{\r"a": 1,\r"b": 2}\n'),
        ("[1/9] a\r[2/9] a\r[3/9] a\n", "[3/9] a\n"),
    ],
)
def test_a_carriage_return_ends_a_line_or_writes_over_it(written: str, seen: str) -> None:
    assert visible(written.encode()).decode() == seen


@pytest.mark.parametrize("unit", ["\x1b[1mx\x1b[0m ", "_\x08x", "y\x1b]0;title\x07", "\x1b[3"])
def test_a_code_at_the_border_of_a_piece_is_seen_as_anywhere(unit: str) -> None:
    once = visible(unit.encode())
    assert visible(unit.encode() * (2 * PIECE_BYTES // len(unit))) == once * (2 * PIECE_BYTES // len(unit))


def test_a_progress_bar_without_line_ends_shows_its_last_state() -> None:
    states = "".join(f"\r{percent / 1000:7.3f}% [{'#' * 30}]" for percent in range(100_001))
    assert len(states) > 2 * PIECE_BYTES
    assert visible(states.encode()).decode().lstrip("\r") == f"100.000% [{'#' * 30}]"


@pytest.mark.parametrize(
    ("written", "shown", "place"),
    [
        ("one\ntwo three\n", "three", (8, 1)),
        ("\ufeffone\ntwo three\n", "three", (9, 1)),
        ("\x1b[1mone\x1b[0m\ntwo \x1b[31mthree", "three", (21, 1)),
        ("世界 é x", "x", (5, 0)),
        ("a,b\r1,2\r3,4", "3", (8, 0)),
    ],
)
def test_a_place_is_that_of_the_original(written: str, shown: str, place: tuple[int, int]) -> None:
    seen = Seen(written.encode())
    assert seen.place(seen.data.index(shown.encode())) == place
    assert written[place[0] :].startswith(shown)


@pytest.mark.parametrize("text", ["", " \n\t", "x", "  x \n\n", "\n" * 300_000 + "x" + " " * 300_000, " " * 600_000])
def test_start_and_end_leave_white_space_out(text: str) -> None:
    seen = Seen(text.encode())
    assert seen.data[seen.start : seen.end] == text.strip().encode()


def test_what_is_between_two_bytes_cuts_no_character() -> None:
    seen = Seen("世界é!".encode())
    assert seen.between(1, 7) == "界"
    assert seen.between(-5, 99) == "世界é!"
    assert seen.between(6, 2) == ""
