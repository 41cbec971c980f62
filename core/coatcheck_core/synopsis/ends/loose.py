"""What has no strict grammar, by its two ends: tables, YAML, code and text."""

import re

import msgspec

from coatcheck_core.synopsis.code.reading import read_code
from coatcheck_core.synopsis.effort import Step
from coatcheck_core.synopsis.mime import Declared
from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.tables.delimited import read_delimited
from coatcheck_core.synopsis.text.describing import describe_text
from coatcheck_core.synopsis.text.formats import decides, text_format
from coatcheck_core.synopsis.text.outcome import read_outcome
from coatcheck_core.synopsis.yaml.reading import MAX_PARSED_BYTES, read_yaml
from coatcheck_schemas.synopsis import Broken, CodeFacts, Synopsis, TableFacts, TextFacts, YamlFacts

from .halves import Halves

_TOP_LEVEL = re.compile(rb"\n[^\s#]")
_WINDOW_BYTES = 16 * 1024


class Counted(msgspec.Struct, frozen=True):
    """What is known of the whole text."""

    chars: int
    lines: int


def read_loose_ends(halves: Halves, hint: Declared | None, counted: Counted) -> Synopsis:
    """In the order in which a whole text is looked at. Never None: what is nothing else is text."""
    if (table := _table(halves, hint)) is not None:
        return table
    finer = text_format(halves.joined)
    if decides(finer):
        return describe_text_ends(halves, finer, counted)
    if (yaml := _yaml(halves)) is not None:
        return yaml
    if (code := _code(halves, counted)) is not None:
        return code
    return describe_text_ends(halves, finer, counted)


def describe_text_ends(halves: Halves, finer: str | None, counted: Counted, broken: Broken | None = None) -> Synopsis:
    """Words, headings and details are those of both ends; how long it is, of the whole."""
    found = describe_text(halves.joined, finer, broken)
    if not isinstance(found.facts, TextFacts):
        return found
    facts = msgspec.structs.replace(found.facts, chars=counted.chars, lines=counted.lines)
    return msgspec.structs.replace(found, facts=facts)


def _table(halves: Halves, hint: Declared | None) -> Synopsis | None:
    """Both ends as one table; a quoted field with newlines may have been cut at either side."""
    for rows in halves.rows:
        table = read_delimited(rows.text, hint)
        if table is not None and isinstance(table.facts, TableFacts):
            return table if rows.has_end else _without_end(table, table.facts)
    return None


def _without_end(table: Synopsis, facts: TableFacts) -> Synopsis:
    """Of which the last record is longer than all that is in hand of the end."""
    facts = msgspec.structs.replace(facts, last_row=None, ends_cut=False)
    return msgspec.structs.replace(table, facts=facts, outcome=[])


def _yaml(halves: Halves) -> Synopsis | None:
    """The start alone, in whole entries of the top level."""
    text = _whole_entries(halves.head_lines.data[:MAX_PARSED_BYTES], halves.step)
    found = read_yaml(Seen(text, halves.step, is_plain=True))
    if found is None or not isinstance(found.facts, YamlFacts):
        return None
    parsed = found.facts.parsed_chars
    if parsed is None:
        parsed = len(text.decode(errors="ignore"))
    facts = msgspec.structs.replace(found.facts, parsed_chars=parsed)
    return msgspec.structs.replace(found, facts=facts, broken=None, outcome=[])


def _whole_entries(text: bytes, step: Step) -> bytes:
    """Up to the last line that begins at the margin, if there is one in the second half."""
    for end in range(len(text), len(text) // 2, -_WINDOW_BYTES):
        step()
        starts = _TOP_LEVEL.findall(text, max(end - _WINDOW_BYTES, 0), end)
        if starts:
            return text[: text.rfind(starts[-1], 0, end) + 1]
    return text[: text.rfind(b"\n") + 1] or text


def _code(halves: Halves, counted: Counted) -> Synopsis | None:
    """What the start defines; lines are counted from there."""
    found = read_code(halves.head_lines)
    if found is None or not isinstance(found.facts, CodeFacts):
        return None
    facts = msgspec.structs.replace(found.facts, lines=counted.lines)
    return msgspec.structs.replace(found, facts=facts, outcome=read_outcome(halves.joined, "code"))
