"""Whether records that agree on their number of fields are a table: prose, code and logs have commas and tabs too."""

import re
from collections.abc import Callable

from .columns import column, first_names_columns, shape_of

Matches = Callable[[str], bool]

_CODE_STARTS = ("{", "[", "<", "#!", "//", "/*", "--", "%", "@")
_OPERATORS = ("<", ">", "=", "!", "~", "&")
_STAMP = re.compile(r"\[?(?:\d{4}[-/]\d{2}[-/]\d{2}[T ]\d|\d{1,2}:\d{2}:\d{2}|[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2})")
_LABELLED = re.compile(r"\s*+[\w.-][\w .-]{0,39}+(?::\s|=)\S?")
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_JUDGED_COLUMNS = 200
"""As many tell what ten thousand would."""
_NAME_CHARS = 100
_NAME_WORDS = 6
_TAB_NAME_CHARS = 500
_WIDE = 3
"""As many fields in each of as many records, none named, are a table all the same."""
_LEAST_WITHOUT_HEADER = 2
_LEAST_WITH_BARS = 3


def names_columns(records: list[list[str]], texts: list[str], delimiter: str, *, starts_cut: bool) -> bool | None:
    """Whether the first record is a header; None where the records are no table."""
    if starts_cut:
        return False if _is_data(records[1:], texts, delimiter) else None
    first = records[0]
    judged = [fields[:_JUDGED_COLUMNS] for fields in records]
    names = None if len(records) < 2 else first_names_columns(judged)
    if _cannot_begin(first[0], texts[0]) or _is_one_sided(records, delimiter):
        return None
    if names is False:
        return False if _is_data(records, texts, delimiter) else None
    if _is_loose(judged, texts, delimiter, is_typed=names is True):
        return None
    if not _are_names(judged[0], delimiter):
        is_wide = names is None and delimiter != "|" and len(first) > _WIDE and len(records) > _WIDE
        return False if is_wide and not any(_LABELLED.match(name) for name in judged[0]) else None
    if delimiter == "|" and not (names and len(records) >= _LEAST_WITH_BARS):
        return None
    return True


def _is_data(records: list[list[str]], texts: list[str], delimiter: str) -> bool:
    """Records without a header. Two columns between tabs are what `du` and `wc` print."""
    records = [fields[:_JUDGED_COLUMNS] for fields in records]
    if len(records) < _LEAST_WITHOUT_HEADER or _is_loose(records, texts, delimiter, is_typed=False):
        return False
    if delimiter == "\t" and len(records[0]) < 3:
        return False
    shapes = [shape_of(column(records, at)) for at in range(len(records[0]))]
    if delimiter == "," and len(shapes) == 2:
        return all(shapes) and not _are_thousands(records)
    return any(shapes) or len(shapes) > _WIDE


def _cannot_begin(first: str, text: str) -> bool:
    bare = first.strip()
    return first.startswith((" ", *_CODE_STARTS)) or _STAMP.match(bare) is not None or text.startswith(("|", "+-"))


def _is_one_sided(records: list[list[str]], delimiter: str) -> bool:
    """A delimiter that only ends lines, as in code, or only begins them, as an indentation does."""
    width = len(records[0])
    ends = all(not fields[-1].strip() for fields in records)
    begins = all(not fields[0].strip() for fields in records)
    return (ends and (width < 3 or delimiter == ";")) or (begins and (width < 3 or delimiter == "\t"))


def _are_names(first: list[str], delimiter: str) -> bool:
    """No sentences, but between tabs; none is empty but the first, an index, or the last, where lines end in one."""
    empty = sum(not name.strip() for name in first[1:-1])
    if empty * 4 > len(first) or (len(first) == 2 and not all(name.strip() for name in first)):
        return False
    if any(name.startswith(_OPERATORS) for name in first):
        return False
    if delimiter == "\t":
        return all(len(name) < _TAB_NAME_CHARS for name in first)
    labelled = sum(_LABELLED.match(name) is not None for name in first)
    return labelled * 2 <= len(first) and not any(
        len(name) > _NAME_CHARS or len(name.split()) > _NAME_WORDS or name.rstrip().endswith((".", "!", ";", "{"))
        for name in first
    )


def _is_loose(records: list[list[str]], texts: list[str], delimiter: str, *, is_typed: bool) -> bool:
    """Prose has a blank after each comma, and code brackets that open in one field and close in the next."""
    if delimiter == "\t":
        return False
    if delimiter == "|":
        return any(f" {delimiter}" in text or f"{delimiter} " in text for text in texts)
    fields = [field for record in records for field in record]
    if not any('"' in text for text in texts) and _most(fields, _has_open_bracket, 0.1):
        return True
    after = [field for record in records for field in record[1:] if field.strip()]
    if not _most(after, lambda field: field.startswith(" "), 0.3):
        return False
    terse = not _most(fields, lambda field: len(field.split()) > 3, 0.2)
    return delimiter != "," or len(records) < 2 or not terse or not (is_typed or len(records[0]) > 3)


def _most(fields: list[str], matches: Matches, share: float) -> bool:
    return sum(matches(field) for field in fields) > share * len(fields)


def _has_open_bracket(field: str) -> bool:
    return any(field.count(opening) != field.count(closing) for opening, closing in _BRACKETS)


def _are_thousands(records: list[list[str]]) -> bool:
    """`1,234`: one number a line, not two."""
    return all(
        len(fields) == 2 and len(fields[1]) == 3 and fields[1].isdigit() and 0 < len(fields[0]) < 4
        for fields in records
    )
