"""CSV and TSV, only where the rows agree on the number of columns."""

import msgspec

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.mime import Declared
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Synopsis, TableFacts

from .candidates import Candidate, candidate_of, ranked
from .columns import column, type_of
from .counting import Shape, shape
from .ends import Ends, last_record, read_ends
from .head import Head
from .source import Source

MAX_NAMES = 40
ROW_CHARS = 180

_TYPED_ROWS = 50


class _Table(msgspec.Struct, frozen=True, kw_only=True):
    """`is_doubtful`: some quotes do not pair around fields, and so may be letters all of them."""

    facts: TableFacts
    added: list[str]
    is_doubtful: bool

    @property
    def is_even(self) -> bool:
        return not (self.added or self.facts.starts_cut or self.facts.ends_cut)


def read_delimited(seen: Seen, hint: Declared | None) -> Synopsis | None:
    """TSV, or CSV with commas, semicolons or bars, where the rows agree on the number of columns.

    Of several delimiters that do, the one that explains the first records best.
    """
    source = Source(seen)
    for candidate in ranked(source, hint):
        table = _read(source, candidate, declared=hint == candidate.kind)
        if table is not None:
            return Synopsis(kind=candidate.kind, facts=table.facts, outcome=table.added)
    return None


def _read(source: Source, candidate: Candidate, *, declared: bool) -> _Table | None:
    """Where quotes do not pair, once more with them as the letters that they are in most TSV."""
    table = _count(source, candidate, declared=declared)
    if not (candidate.quotes and source.has_quotes and (table is None or table.is_doubtful)):
        return table
    as_letters = candidate_of(source, candidate.kind, candidate.delimiter, quotes=False, declared=declared)
    letters = None if as_letters is None else _count(source, as_letters, declared=declared)
    if letters is not None and (table is None or (letters.is_even and letters.facts.rows > table.facts.rows)):
        return letters
    return table


def _count(source: Source, candidate: Candidate, *, declared: bool) -> _Table | None:
    """None where the records below the first do not agree with them."""
    head, delimiter, has_header = candidate.head, candidate.delimiter, candidate.has_header
    found = shape(source.blocks(head.start), delimiter.encode(), head.columns, quotes=candidate.quotes)
    ends = None if found is None else read_ends(source, found, starts_cut=head.starts_cut)
    if found is None or ends is None or found.records - has_header - len(ends.added) < (0 if declared else 1):
        return None
    facts = _facts(source, head, found, ends, delimiter, has_header)
    return _Table(facts=facts, added=ends.added, is_doubtful=found.unclosed or not found.regular)


def _facts(source: Source, head: Head, found: Shape, ends: Ends, delimiter: str, has_header: bool) -> TableFacts:
    rows = found.records - has_header - len(ends.added)
    texts = head.texts[has_header:]
    names = head.records[0][:MAX_NAMES] if has_header else []
    below = head.records[has_header or head.starts_cut :][:_TYPED_ROWS]
    last = last_record(source, found, len(ends.added) + ends.is_cut) if rows > 1 else None
    return TableFacts(
        rows=rows,
        columns=found.columns,
        names=[clip(name.strip()) for name in names],
        delimiter=delimiter,
        first_row=clip(texts[0], ROW_CHARS) if texts and rows else None,
        headless=not has_header,
        types=[type_of(column(below, at)) for at in range(min(found.columns, MAX_NAMES))] if below else [],
        typed_rows=len(below),
        last_row=None if last is None else clip(last, ROW_CHARS),
        starts_cut=head.starts_cut,
        ends_cut=ends.is_cut,
    )
