"""Which delimiter a table has, by its first records: decimal commas and commas in a text agree by chance, too."""

import msgspec

from coatcheck_core.synopsis.mime import Declared
from coatcheck_schemas.synopsis import Kind

from .columns import column, type_of
from .head import Head, read_head
from .judging import names_columns
from .source import Source

_KINDS: tuple[tuple[Kind, str], ...] = (("tsv", "\t"), ("csv", ","), ("csv", ";"), ("csv", "|"))
_JUDGED_COLUMNS = 100


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A delimiter on which the first records agree; `quotes` says whether those enclose fields."""

    kind: Kind
    delimiter: str
    quotes: bool
    head: Head
    has_header: bool


def ranked(source: Source, hint: Declared | None) -> list[Candidate]:
    """The best first; equals in the order of the kinds."""
    found = [_candidate(source, kind, delimiter, declared=hint == kind) for kind, delimiter in _KINDS]
    candidates = [candidate for candidate in found if candidate is not None]
    if len(candidates) < 2:
        return candidates
    if not all(candidate.head.starts_cut for candidate in candidates):
        # A first record that disagrees was cut only if no other delimiter explains it.
        candidates = [candidate for candidate in candidates if not candidate.head.starts_cut]
    return sorted(candidates, key=_worth, reverse=True)


def _candidate(source: Source, kind: Kind, delimiter: str, *, declared: bool) -> Candidate | None:
    candidate = candidate_of(source, kind, delimiter, quotes=True, declared=declared)
    if candidate is None and source.has_quotes:
        return candidate_of(source, kind, delimiter, quotes=False, declared=declared)
    return candidate


def candidate_of(source: Source, kind: Kind, delimiter: str, *, quotes: bool, declared: bool) -> Candidate | None:
    """Without a declared type the first records must also look like a table's, for prose has commas too."""
    head = read_head(source, delimiter, quotes=quotes)
    if head is None:
        return None
    has_header = names_columns(head.records, head.texts, delimiter, starts_cut=head.starts_cut)
    if has_header is None:
        if not declared or head.starts_cut:
            return None
        has_header = True
    return Candidate(kind=kind, delimiter=delimiter, quotes=quotes, head=head, has_header=has_header)


def _worth(candidate: Candidate) -> tuple[bool, float, float, int]:
    """A header, values of one type in most columns, few that begin with a blank, many columns."""
    records = candidate.head.records
    below = records[candidate.has_header :]
    width = min(candidate.head.columns, _JUDGED_COLUMNS)
    typed = sum(type_of(column(below, at)) in ("number", "boolean", "date") for at in range(width)) / width
    fields = [field for record in records for field in record[1:width]]
    blank = sum(field.startswith(" ") for field in fields) / max(len(fields), 1)
    return candidate.has_header, typed, -blank, candidate.head.columns
