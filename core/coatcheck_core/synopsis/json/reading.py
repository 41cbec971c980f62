"""Kind json: JSON, NDJSON, several documents one after another, and what of a broken document can be read."""

import msgspec

from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.text.outcome import outcome_of
from coatcheck_schemas.synopsis import Broken, Example, JsonFacts, Synopsis

from .breaking import broken_documents, broken_record, broken_value, is_worth_telling
from .chars import chars_between
from .comments import MOST_BYTES as MOST_COMMENTED_BYTES
from .comments import begins_with_comment, is_lenient, without_comments
from .documents import Documents, read_documents
from .faults import Fault
from .leaping import may_repeat
from .mending import mended
from .merging import Merged
from .nodes import Container, Node, Span, container_of
from .parsing import CONTAINER, RAW, Stopped, parse
from .records import Records, read_records
from .showing import MAX_EXAMPLES, Shown
from .walking import Walker

_OPENING = (b"{", b"[")
_GOES_ON = (b",", b":", b"]", b"}")
"""With one of these behind it, a value is a piece of another, whose start is cut off."""
_WHOLE_BYTES = 128 * 1024
_MOST_CHECKED = 5000
_MOST_LOOKED_LINES = 100
_MOST_LAST_EXAMPLES = 2
_SEPARATOR = b"\x1e"
_TRAILING_BYTES = 64 * 1024
_MOST_TRAILING = 4
_LEAST_LONG_TRAILING = 2000
"""More behind a value than so many times its length, in bytes, and this is a text that only begins with it."""
_PLAIN_SCALARS = {"number", "boolean", "null"}


class Json(msgspec.Struct, frozen=True):
    """What a text is: JSON; or JSON that is cut off (`broken`), or JSON up to a place (`wrong`); or neither."""

    synopsis: Synopsis | None = None
    broken: Broken | None = None
    wrong: Broken | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it is JSON and nothing else."""
        return self.synopsis is not None and not _is_partial(self.synopsis)


def read_json(seen: Seen, *, scalars: bool = False) -> Json:
    """Of a text that begins with `{` or `[`, or, with `scalars`, with any value.

    Python's NaN and half surrogate pairs are taken, and said to be there. Comments and last commas are taken in what is
    short enough for a settings file. A call into the parser takes a block at most, but for a record of NDJSON, which it
    sees as a whole, and for what has half surrogate pairs.
    """
    data = seen.data
    start = 0 if data.startswith(_OPENING) else seen.start
    if start > 0 and data.startswith(_SEPARATOR, start - 1):
        return _as_sequence(_read(seen, data.replace(_SEPARATOR, b" "), start))
    if data.startswith(_OPENING, start):
        return _read(seen, data, start)
    if begins_with_comment(data, start):
        return _without_comments(seen, data) or Json()
    return _scalar(seen, data, start) if scalars else Json()


def _read(seen: Seen, data: bytes, start: int) -> Json:
    reader = _Reader(seen, data, start)
    found = reader.read()
    if found.is_whole:
        return found
    if (plain := mended(data, seen.step)) is not None:
        reader = _Reader(seen, plain, start, is_mended=True)
        found = reader.read()
    if reader.fault is not None and is_lenient(data, reader.fault.at):
        return _without_comments(seen, data) or found
    return found


def _is_partial(synopsis: Synopsis) -> bool:
    facts = synopsis.facts
    left_out = isinstance(facts, JsonFacts) and facts.trailing_chars_after_first_json_value + facts.bad_records
    return synopsis.broken is not None or bool(left_out)


def _as_sequence(found: Json) -> Json:
    if found.synopsis is None:
        return found
    return Json(msgspec.structs.replace(found.synopsis, format="json-seq"))


def _without_comments(seen: Seen, data: bytes) -> Json | None:
    if len(data) > MOST_COMMENTED_BYTES or (plain := without_comments(data, seen.step)) is None:
        return None
    start = len(plain) - len(plain.lstrip())
    if not plain.startswith(_OPENING, start):
        return None
    found = _Reader(seen, plain, start).read()
    if found.synopsis is None or _is_partial(found.synopsis) or found.synopsis.format is not None:
        return None
    return Json(msgspec.structs.replace(found.synopsis, format="jsonc"))


def _scalar(seen: Seen, data: bytes, start: int) -> Json:
    text = memoryview(data)[start:]
    is_mended = False
    try:
        parse(RAW, text)
    except Stopped:
        if (plain := mended(data, seen.step)) is None:
            return Json()
        try:
            parse(RAW, memoryview(plain)[start:])
        except Stopped:
            return Json()
        data, is_mended = plain, True
    facts = Shown(data, is_mended=is_mended).facts(Span(start, len(data)))
    return Json(Synopsis(kind="json", facts=msgspec.structs.replace(facts, not_strict=is_mended)))


class _Reader:
    """Reads one text, whose first value begins at `start`."""

    def __init__(self, seen: Seen, data: bytes, start: int, *, is_mended: bool = False) -> None:
        self._seen, self._data, self._start, self._is_mended = seen, data, start, is_mended
        self._shown = Shown(data, is_mended=is_mended)
        self.fault: Fault | None = None

    def read(self) -> Json:
        if (records := read_records(self._data, self._start, self._seen.step)) is not None:
            return Json(self._records(records))
        node, end, fault = self._first_value()
        if fault is not None:
            self.fault = fault
            return self._broken(node, fault)
        if isinstance(node, Span):
            end = self._start + len(self._data[self._start : end].rstrip())
        behind = Walker(self._data, self._seen.step).blanks_end(end)
        if self._data.startswith(_GOES_ON, behind):
            return Json()
        stands_alone = behind == len(self._data) or self._stands_alone(node)
        if stands_alone and self._data.startswith(_OPENING, behind):
            documents = read_documents(self._data, self._start, self._seen.step)
            if documents.merged.count > 1:
                is_text = self._is_text_behind(documents.end)
                return Json() if is_text else Json(self._documents(documents))
        if not stands_alone and b"\n" not in self._data[end:behind]:
            return Json()
        if self._is_text_behind(end):
            return Json()
        return Json(self._synopsis(self._shown.facts(node), None, end))

    def _is_text_behind(self, end: int) -> bool:
        """Whether what stands from `end` on makes this a text that only begins with JSON: much of it, or more JSON."""
        behind = Walker(self._data, self._seen.step).blanks_end(end)
        if behind == len(self._data):
            return False
        if self._seen.end - behind > max(_MOST_TRAILING * (end - self._start), _LEAST_LONG_TRAILING):
            return True
        lines = self._data[end : end + _TRAILING_BYTES].split(b"\n")[1:_MOST_LOOKED_LINES]
        return any(_is_record(line) for line in lines)

    def _first_value(self) -> tuple[Node, int, Fault | None]:
        """A short text at once, others in parts."""
        if len(self._data) - self._start <= _WHOLE_BYTES:
            try:
                value = parse(CONTAINER, memoryview(self._data)[self._start :])
            except Stopped:
                pass
            else:
                if isinstance(value, list) or len(value) > _MOST_CHECKED or not may_repeat(self._data, value):
                    return container_of(value), len(self._data), None
        walker = Walker(self._data, self._seen.step)
        node, end = walker.value(self._start, probed=0)
        return node, end, walker.fault

    def _broken(self, node: Node, fault: Fault) -> Json:
        if not is_worth_telling(node, fault):
            return Json()
        broken = broken_value(self._seen, node, fault, self._shown)
        return Json(broken=broken) if fault.is_cut else Json(wrong=broken)

    def _stands_alone(self, node: Node) -> bool:
        """Whether this is data even with words right behind it: `[1] Smith, 1999` and `{} apples` are not."""
        container = self._shown.opened(node)
        if container.type == "object":
            return container.length > 0
        return not container.types.keys() <= _PLAIN_SCALARS

    def _records(self, records: Records) -> Synopsis:
        end = len(self._data) if records.tail_start is None else records.tail_start
        merged = self._merged(records.merged)
        last = self._last_examples(records, end)
        facts = msgspec.structs.replace(
            merged,
            bad_records=records.bad,
            bad_lines=records.bad_lines,
            examples=merged.examples[: MAX_EXAMPLES - len(last)] + last,
        )
        return self._synopsis(facts, "ndjson", end, broken_record(self._seen, self._data, records))

    def _last_examples(self, records: Records, end: int) -> list[Example]:
        """A log's last record says until when it goes."""
        line = self._data[max(end - _TRAILING_BYTES, 0) : end].rstrip().rpartition(b"\n")[2]
        try:
            last = container_of(parse(CONTAINER, line))
        except Stopped:
            return []
        return self._shown.examples(last, f"[{records.merged.count - 1}]")[:_MOST_LAST_EXAMPLES]

    def _documents(self, documents: Documents) -> Synopsis:
        broken = broken_documents(self._seen, documents, self._shown)
        return self._synopsis(self._merged(documents.merged), "json-concatenated", documents.end, broken)

    def _merged(self, merged: Merged) -> JsonFacts:
        fields = merged.container()
        return JsonFacts(
            type="array",
            length=merged.count,
            item_types=list(merged.types),
            members=self._shown.members(fields),
            member_count=fields.length,
            examples=self._first_examples(merged.first),
        )

    def _first_examples(self, first: Container | None) -> list[Example]:
        return [] if first is None else self._shown.examples(first, "[0]")

    def _synopsis(self, facts: JsonFacts, finer: str | None, end: int, broken: Broken | None = None) -> Synopsis:
        """With what stands behind the values, from `end` on."""
        begin = Walker(self._data, self._seen.step).blanks_end(end)
        last = max(begin, self._seen.end) if begin < len(self._data) else begin
        facts = msgspec.structs.replace(
            facts,
            trailing_chars_after_first_json_value=chars_between(self._data, begin, last, self._seen.step),
            not_strict=self._is_mended,
        )
        outcome = outcome_of(self._data[max(begin, last - _TRAILING_BYTES) : last].decode(errors="ignore"))
        return Synopsis(kind="json", format=finer, facts=facts, outcome=outcome, broken=broken)


def _is_record(line: bytes) -> bool:
    """Whether a line is an object with something in it."""
    if not line.startswith(b'{"'):
        return False
    try:
        parse(RAW, line)
    except Stopped:
        return False
    return True
