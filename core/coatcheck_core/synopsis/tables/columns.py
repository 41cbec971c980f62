"""What is in the columns, by the first records: their types, and whether the first record names them."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

Type = Literal["number", "boolean", "date", "text", "empty"]

_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "number",
        re.compile(
            r"(?=\D{0,2}\d)[-+]?(?:\d{1,3}(?:,\d{3})++|\d{1,40})?(?:[.,]\d{1,40})?(?:[eE][-+]?\d{1,4})?\s?[%€$£]?"
        ),
    ),
    ("boolean", re.compile(r"true|false|yes|no|t|f|y|n", re.IGNORECASE)),
    (
        "date",
        re.compile(
            r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s?(?:Z|[-+]\d{2}:?\d{2})?)?"
            r"|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?:\s\d{1,2}:\d{2}(?::\d{2})?)?|\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
        ),
    ),
    ("path", re.compile(r"(?:\.{0,2}|~|[A-Za-z]:)[/\\].{0,400}")),
    ("url", re.compile(r"[a-z][a-z0-9+.-]{1,20}:(?://|[^\s:]{0,200}[./])\S{0,400}")),
    ("hex", re.compile(r"(?:0x)?(?=[a-f-]{0,40}\d)[0-9a-f]{7,64}(?:-[0-9a-f]{4,12}){0,4}", re.IGNORECASE)),
    (
        "address",
        re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?|[^\s@]{1,64}@[^\s@]{1,200}\.[a-z]{2,20}", re.IGNORECASE),
    ),
    ("version", re.compile(r"v?\d{1,9}(?:\.\d{1,9}){1,4}[-+.\w]{0,60}")),
    ("numbered", re.compile(r"[-+#$€£]?\d.{0,60}")),
)
"""What a value looks like, the strictest first. A column's name looks like none of them."""
_SHOWN: dict[str, Type] = {"number": "number", "boolean": "boolean", "date": "date"}
_MISSING = frozenset({"", "-", "na", "n/a", "nan", "null", "none", "nil", "\\n", "?", "."})


def shape_of(values: Iterable[str]) -> str | None:
    """The strictest that all of them have which are not missing; None where none fits, or all are missing."""
    present = [value.strip() for value in values if not is_missing(value)]
    if not present:
        return None
    return next((name for name, pattern in _SHAPES if all(pattern.fullmatch(value) for value in present)), None)


def is_missing(value: str) -> bool:
    return value.strip().lower() in _MISSING


def column(records: list[list[str]], at: int) -> list[str]:
    return [record[at] for record in records if at < len(record)]


def type_of(values: list[str]) -> Type:
    """As a stub shows it."""
    if not any(value.strip() for value in values):
        return "empty"
    return _SHOWN.get(shape_of(values) or "", "text")


def first_names_columns(records: list[list[str]]) -> bool | None:
    """Whether the first record's fields look unlike those below them; None where all of it is just text."""
    names, below = records[0], records[1:]
    unlike = like = 0
    for at, name in enumerate(names):
        values = column(below, at)
        if is_missing(name):
            continue
        if name in values:  # no column's name is one of its values
            like += 1
            continue
        if (shape := shape_of(values)) is None:
            continue
        if shape_of([name, *values]) == shape:
            like += 1
        else:
            unlike += 1
    if _count_up(names):
        return True
    return unlike >= like if unlike or like else None


def _count_up(names: list[str]) -> bool:
    """Years or other numbers one after the other, which name columns as well as words do."""
    numbers = [int(name) for name in names[1:] if name.isascii() and name.isdigit() and len(name) < 10]
    return len(numbers) >= max(2, len(names) - 3) and all(b - a == 1 for a, b in pairwise(numbers))
