"""The sample at the end of a stub: how a text opens and closes, a table's first row, or the head and tail of the rest.

Each line of it is indented, so that none can pass for a field or a section.
"""

from coatcheck_schemas.synopsis import CodeFacts, TableFacts, TextFacts, UnknownFacts

from .encoded_runs import without_encoded_runs
from .escaping import escape, escaped_head, escaped_tail, one_line, one_line_end
from .subject import StubSubject
from .words import Words

INDENT = "  "

_DUMPED_PER_LINE = 16
_DUMP_LINE_CHARS = len(INDENT) + 8 + 2 + 3 * _DUMPED_PER_LINE + 1 + _DUMPED_PER_LINE + 2
_MOST_DUMPED_LINES = 4
"""At either end: what bytes are, their first say; a model reads nothing more out of a longer dump."""
_LEAST_CHARS = 40
_NAMELESS_CHARS = 250
"""Of code in which nothing has a name that could be told, as where it is minified: so much of either end."""


def sample_lines(subject: StubSubject, words: Words, preview_chars: int, room: int) -> list[str]:
    """Lines of `room` chars in all, their ends counted; empty where there is nothing to show, or no room for it."""
    facts = subject.synopsis.facts
    if isinstance(facts, TextFacts):
        ends = [(words.opening, facts.opening), (words.closing, facts.closing)]
        return _excerpts(ends, room, words.closing, is_end_told=bool(subject.synopsis.outcome))
    if isinstance(facts, TableFacts):
        rows = ((words.first_row, facts.first_row), (words.last_row, facts.last_row))
        return _excerpts(
            [(phrase.replace("{row}", "{excerpt}"), row or "") for phrase, row in rows], room, words.closing
        )
    if isinstance(facts, CodeFacts):
        is_nameless = subject.is_text and not (facts.symbols or facts.members or facts.imports)
        return _excerpts(_ends(subject, words), room, words.closing) if is_nameless else []
    if isinstance(facts, UnknownFacts) or facts is None:
        is_text = subject.is_text and not subject.has_nuls
        sample = _text_sample if is_text else _dump
        return sample(subject, words, preview_chars // 2, room)
    return []


def _ends(subject: StubSubject, words: Words) -> list[tuple[str, str]]:
    is_short = subject.is_whole and (subject.original_chars or 0) <= _NAMELESS_CHARS
    head, tail = (" ".join(text.split()) for text in (subject.head(_NAMELESS_CHARS), subject.tail(_NAMELESS_CHARS)))
    return [(words.opening, head)] if is_short else [(words.opening, f"{head}…"), (words.closing, f"…{tail}")]


def _excerpts(excerpts: list[tuple[str, str]], room: int, closing: str, *, is_end_told: bool = False) -> list[str]:
    """The start and the end of something; with room for one alone the end, or the start where the end is told above."""
    filled = [(phrase, without_encoded_runs(excerpt)) for phrase, excerpt in excerpts if excerpt]
    if len(filled) > 1 and any(_lacks_room(phrase, excerpt, room // 2) for phrase, excerpt in filled):
        filled = filled[:1] if is_end_told else filled[-1:]
    lines = []
    for position, (phrase, excerpt) in enumerate(filled):
        share = room // (len(filled) - position)
        left = share - len(f"- {phrase.format(excerpt='')}\n")
        if _lacks_room(phrase, excerpt, share):
            continue
        shown = one_line_end(excerpt, left) if phrase == closing else one_line(excerpt, left)
        lines.append(f"- {phrase.format(excerpt=shown)}")
        room -= len(lines[-1]) + 1
    return lines


def _lacks_room(phrase: str, excerpt: str, room: int) -> bool:
    left = room - len(f"- {phrase.format(excerpt='')}\n")
    return left < _LEAST_CHARS and len(escape(excerpt)) > left


def _text_sample(subject: StubSubject, words: Words, half: int, room: int) -> list[str]:
    """So many chars at either end as they are shown: what stands around them is not counted, but has to have room."""
    chars = subject.original_chars or 0
    is_short = subject.is_whole and 0 < chars <= 2 * half
    whole = _indented(subject.head(chars)) if is_short else []
    labelled = _labelled(words.whole.format(n=chars), whole)
    if whole and _cost(whole) - _around(whole) <= 2 * half and _cost(labelled) <= room:
        return labelled
    most = (room - len(words.head_chars) - len(words.tail_chars) - 30) // 2
    if most < min(half, _LEAST_CHARS) or not half or not chars:
        return []
    begins, ends = subject.head(half), subject.tail(half)
    head = _head(begins, min(most, half + _around(begins.split("\n"))))
    tail = _tail(ends, min(most, half + _around(ends.split("\n"))))
    return [
        *_labelled(words.head_chars.format(n=head[0]), head[1]),
        *_labelled(words.tail_chars.format(n=tail[0]), tail[1]),
    ]


def _head(text: str, limit: int) -> tuple[int, list[str]]:
    """How many chars of the start fit `limit` when shown, and their lines."""
    lines: list[str] = []
    taken = 0
    for line in text[:limit].split("\n"):
        left = limit - len(INDENT) - 1
        shown = escape(line)
        if len(shown) > left:
            shown, count = escaped_head(line, left)
            return taken + count, [*lines, INDENT + shown] if shown else lines
        lines.append(INDENT + shown)
        limit -= len(lines[-1]) + 1
        taken += len(line) + 1
    return min(taken, len(text)), lines


def _tail(text: str, limit: int) -> tuple[int, list[str]]:
    lines: list[str] = []
    taken = 0
    for line in reversed(text[-limit:].split("\n")):
        left = limit - len(INDENT) - 1
        shown = escape(line)
        if len(shown) > left:
            shown, count = escaped_tail(line, left)
            return taken + count, [INDENT + shown, *reversed(lines)] if shown else lines[::-1]
        lines.append(INDENT + shown)
        limit -= len(lines[-1]) + 1
        taken += len(line) + 1
    return min(taken, len(text)), lines[::-1]


def _indented(text: str) -> list[str]:
    return [INDENT + escape(line) for line in text.removesuffix("\n").split("\n")]


def _labelled(label: str, lines: list[str]) -> list[str]:
    return [f"- {label}", *lines] if lines else []


def _around(lines: list[str]) -> int:
    """What the indents and the ends of so many lines take."""
    return len(lines) * (len(INDENT) + 1)


def _cost(lines: list[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _dump(subject: StubSubject, words: Words, half: int, room: int) -> list[str]:
    """Offset, bytes in hex, and what of them is ASCII; head and tail, a line of each where there is any room."""
    most = (room - len(words.head_bytes) - len(words.tail_bytes) - 30) // 2
    rows = min(max(half // _DUMP_LINE_CHARS, 1), most // _DUMP_LINE_CHARS, _MOST_DUMPED_LINES) if half else 0
    count = rows * _DUMPED_PER_LINE
    if count <= 0 or not subject.data:
        return []
    size, last = subject.original_bytes, subject.last_bytes
    head = subject.data[:count]
    tail_start = max(size - min(count, len(last)), len(head))
    lines = [f"- {words.head_bytes.format(n=len(head))}", *dump_lines(head, 0)]
    if tail_start < size:
        tail = last[len(last) - (size - tail_start) :]
        lines += [f"- {words.tail_bytes.format(n=len(tail))}", *dump_lines(tail, tail_start)]
    return lines


def dump_lines(data: bytes, start: int) -> list[str]:
    lines = []
    for at in range(0, len(data), _DUMPED_PER_LINE):
        row = data[at : at + _DUMPED_PER_LINE]
        ascii_part = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
        lines.append(f"{INDENT}{start + at:08x}  {row.hex(' '):<{3 * _DUMPED_PER_LINE}}|{ascii_part}|")
    return lines
