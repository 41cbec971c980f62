"""What is counted as right, and what follows."""

import pytest
from accuracy.figures import Verdict, figures
from accuracy.texts import Label, Text


def verdict(label: str, kind: str, finer: str | None = None, stub_chars: int = 1000) -> Verdict:
    text = Text(name="x", cut="whole", label=Label.parse(label), half="held", sha256="0", bytes=9)
    return Verdict(text, kind, finer, stub_chars)


@pytest.mark.parametrize(
    ("label", "kind", "finer", "is_right"),
    [
        ("text/log", "text", "log", True),
        ("text/log", "text", None, False),
        ("text/log|-", "text", "paths", True),
        ("text/-", "text", "paths", True),
        ("text/-", "text", "log", False),
        ("text/*", "text", "log", True),
        ("code/c", "text", "c", False),
        ("xml/*", "xml", "svg", True),
    ],
)
def test_a_format_is_right_where_the_label_has_it(label: str, kind: str, finer: str | None, is_right: bool) -> None:
    assert verdict(label, kind, finer).is_format_right is is_right


def test_recall_and_precision_are_of_each_kind() -> None:
    result = figures(
        [verdict("json", "json"), verdict("json", "text"), verdict("text", "text"), verdict("text", "text")]
    )
    assert (result.recall, result.overall) == ({"json": 0.5, "text": 1.0}, 0.75)
    assert result.precision == {"json": 1.0, "text": pytest.approx(2 / 3)}
    assert result.matrix["json"] == {"json": 1, "text": 1}


def test_formats_are_counted_apart_where_there_is_one_and_where_there_is_none() -> None:
    result = figures([verdict("text/log", "text"), verdict("text/-", "text"), verdict("text/*", "text", "log")])
    assert (result.graded, result.plain) == (0.0, 1.0)
    assert result.confusions == [("text/log", "text/-", 1)]


def test_all_right_is_above_every_bar() -> None:
    assert figures([verdict("json", "json"), verdict("text/log", "text", "log")]).below_the_bars() == []


def test_each_figure_below_its_bar_is_named() -> None:
    worst = figures([verdict("text/log", "code", "c", 7000), verdict("text/-", "text", "log", 7000)])
    assert worst.below_the_bars() == [
        "text: recall 50.0% < 95%",
        "overall 50.00% < 98%",
        "format 0.0% < 90%",
        "format where there is none 0.0% < 90%",
        "median stub 7000 >= 1500 chars",
        "longest stub 7000 > 6000 chars",
    ]
