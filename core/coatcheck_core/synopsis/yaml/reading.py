"""YAML: libyaml reads all of a text up to 1 MB, of a longer one its start; nothing is composed, no alias expanded."""

import re

import msgspec

from coatcheck_core.synopsis.cut_mark import cut_mark
from coatcheck_core.synopsis.effort import Step
from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.text.outcome import read_outcome
from coatcheck_schemas.synopsis import Broken, Synopsis, YamlFacts

from .borders import entries
from .checking import SLICE_BYTES, NotYaml, check, count_events
from .documents import Document, begins_collection, document_names, split_documents
from .probing import evidence_of, looks_like_yaml
from .shape import Shape, shape_of

MAX_PARSED_BYTES = 1024 * 1024

_PROBED_BYTES = 40_000
_MOST_ATTEMPTS = 9
_LINES_AT_THE_END = 4
_KEYS_BELOW_A_CUT = 4
_MARKED = "ends in a truncation mark"
_DOCUMENT_START = re.compile(rb"^---(?=[ \t\r\n])", re.MULTILINE)


class _Read(msgspec.Struct, frozen=True, kw_only=True):
    """What could be read: `text` to its end, and why it ends there."""

    text: bytes
    documents: list[Document]
    shape: Shape
    stopped_by: NotYaml | None


def read_yaml(seen: Seen) -> Synopsis | None:
    """Facts where each document is a mapping or a sequence, and the text does not look like something else."""
    end = _end(seen)
    is_marked = end < len(seen.data)
    head = seen.between(0, min(end, _PROBED_BYTES))
    evidence = evidence_of(head)
    is_likely = looks_like_yaml(head, evidence)
    if not is_likely and (evidence.keys < _KEYS_BELOW_A_CUT or not _begins_inside(head)):
        return None
    text = seen.data[: min(end, MAX_PARSED_BYTES)]
    is_part = len(text) < end
    if is_part:
        text = text[: text.rfind(b"\n") + 1]
    text = text.replace(b"\r\n", b"\n")
    found, skipped = (_read(text, seen.step) if is_likely else None), 0
    if found is None:
        text, skipped = _without_start(text)
        evidence = evidence_of(text[:_PROBED_BYTES].decode(errors="ignore"))
        is_sure = evidence.is_sure or (is_likely and evidence.is_tidy)
        found = _read(text, seen.step) if skipped and is_sure else None
    if found is None or found.shape.is_flat_with_duplicates:
        return None
    if found.stopped_by is not None and not (evidence.is_sure or is_marked):
        return None
    return _synopsis(seen, found, skipped, is_part=is_part, is_marked=is_marked)


def _end(seen: Seen) -> int:
    """Where a tool says that it has cut the text; three full stops alone are how a document ends."""
    mark = cut_mark(seen)
    return len(seen.data) if mark is None or seen.data[mark : seen.end].strip() == b"..." else mark


def _synopsis(seen: Seen, found: _Read, skipped: int, *, is_part: bool, is_marked: bool) -> Synopsis:
    shape = found.shape
    parsed = None
    if shape.read_bytes is not None:
        parsed = len(found.text[: found.documents[0].start + shape.read_bytes].decode(errors="ignore"))
    elif is_part:
        parsed = len(found.text.decode())
    documents = len(found.documents)
    if is_part:
        marks = sum(len(_DOCUMENT_START.findall(block)) for block in seen.blocks())
        documents = max(documents, marks + (found.documents[0].start == 0))
    facts = YamlFacts(
        type=shape.type,
        length=shape.length,
        keys=shape.fields,
        key_count=shape.key_count,
        documents=documents,
        parsed_chars=parsed,
        document_names=document_names(found.text, found.documents),
        skipped_lines=skipped,
    )
    broken = None
    if (found.stopped_by is not None or is_marked) and not is_part:
        reason = _MARKED if is_marked or found.stopped_by is None else found.stopped_by.reason
        broken = _broken(seen, skipped + found.text.count(b"\n") + (found.text[-1:] != b"\n"), reason)
    return Synopsis(kind="yaml", facts=facts, broken=broken, outcome=[] if broken is None else read_outcome(seen))


def _broken(seen: Seen, line: int, reason: str) -> Broken:
    """`line` is the first that could not be read."""
    return Broken(
        of="yaml", offset=len(seen.original[: _line_start(seen.original, line)].decode()), line=line, reason=reason
    )


def _read(text: bytes, step: Step) -> _Read | None:
    """As far as it can be read; None where that is not to the last lines."""
    stopped_by: NotYaml | None = None
    for attempt in range(_MOST_ATTEMPTS):
        documents = split_documents(text)
        if not documents or not all(begins_collection(text, document) for document in documents):
            return None
        try:
            shape = _documents(text, documents, step)
        except NotYaml as error:
            lines = text.rstrip().count(b"\n")
            if error.line < lines - _LINES_AT_THE_END:
                return None
            # A bracket that is never closed is told of at the end alone: ever more lines are left out.
            text = text[: _line_start(text, max(0, min(error.context, lines + 1 - 2 ** max(attempt - 1, 0))))]
            stopped_by = stopped_by or error
            continue
        return None if shape is None else _Read(text=text, documents=documents, shape=shape, stopped_by=stopped_by)
    return None


def _documents(text: bytes, documents: list[Document], step: Step) -> Shape | None:
    """The first one's shape, once all have been read; raises NotYaml with the line in all of the text."""
    first = documents[0]
    body = text[first.start : first.end]
    top = entries(body, 0, len(body))
    try:
        start = first.start
        borders_hold = check(body, top, step)
        start = first.end
        for document in documents[1:]:
            if document.end - start > SLICE_BYTES or document is documents[-1]:
                step()
                count_events(text[start : document.end])
                start = document.end
    except NotYaml as error:
        above = text.count(b"\n", 0, start)
        raise NotYaml(above + error.line, above + error.context, error.reason) from None
    return shape_of(body, top, step, borders_hold=borders_hold)


def _line_start(text: bytes, line: int) -> int:
    at = 0
    for _ in range(line):
        at = text.find(b"\n", at) + 1
    return at


def _begins_inside(head: str) -> bool:
    """Whether the first lines, of which the very first may be half a line, are indented."""
    second = next((line for line in head.split("\n", 20)[1:20] if line.strip()), "")
    return second.startswith("  ")


def _without_start(text: bytes) -> tuple[bytes, int]:
    """The text from the first line that is indented least, as that of a whole document; and how many lines it lacks.

    A tool that cuts the start of a document leaves lines of any depth above it.
    """
    lines = text.split(b"\n")
    depths = [len(line) - len(line.lstrip(b" ")) if line.strip() else None for line in lines]
    least = min((depth for depth in depths[1:] if depth is not None), default=0)
    start = next((at for at, depth in enumerate(depths) if at and depth == least), 0)
    if not start or start * 4 > 3 * len(lines):
        return text, 0
    return b"\n".join(line[least:] for line in lines[start:]), start
