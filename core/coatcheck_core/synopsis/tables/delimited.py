"""CSV and TSV, only where the rows agree on the number of columns."""

import msgspec

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.mime import Declared
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Kind, Synopsis, TableFacts

from .columns import column, type_of
from .counting import Shape, shape
from .ends import Ends, last_record, read_ends
from .head import Head, read_head
from .judging import names_columns
from .source import Source

MAX_NAMES = 40
ROW_CHARS = 180

_TYPED_ROWS = 50

_KINDS: tuple[tuple[Kind, str], ...] = (("tsv", "\t"), ("csv", ","), ("csv", ";"), ("csv", "|"))


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

    Where quotes do not pair, the text is tried once more with them as the letters that they are in most TSV.
    """
    source = Source(seen)
    for kind, delimiter in _KINDS:
        table = _read(source, delimiter, quotes=True, declared=hint == kind)
        if (table is None or table.is_doubtful) and source.has_quotes:
            letters = _read(source, delimiter, quotes=False, declared=hint == kind)
            if letters is not None and (table is None or (letters.is_even and letters.facts.rows > table.facts.rows)):
                table = letters
        if table is not None:
            return Synopsis(kind=kind, facts=table.facts, outcome=table.added)
    return None


def _read(source: Source, delimiter: str, *, quotes: bool, declared: bool) -> _Table | None:
    """Without a declared type the first records must also look like a table's, for prose has commas too."""
    head = read_head(source, delimiter, quotes=quotes)
    if head is None:
        return None
    has_header = names_columns(head.records, head.texts, delimiter, starts_cut=head.starts_cut)
    if has_header is None:
        if not declared or head.starts_cut:
            return None
        has_header = True
    found = shape(source.blocks(head.start), delimiter.encode(), head.columns, quotes=quotes)
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
