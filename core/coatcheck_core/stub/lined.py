"""The style `lines`: that the result is too large, how to read it, and its first lines with their numbers.

For those who come from that convention. A line of the result always stands behind its number, so that none can pass
for one of the stub's own.
"""

from coatcheck_core.settings.model import RetrievalSettings, StubSettings

from .beside import gave_up_lines, part_lines
from .escaping import NAME_CHARS, one_line
from .rendering import size
from .sample import dump_lines
from .subject import StubSubject
from .words import Words, words

_REF_CHARS = 300
_LEAST_NAME_CHARS = 20
"""Of the tool's name and the call id, before the hint how to read on gives way to them."""
_NUMBER_CHARS = 6
_LEAST_LINE_CHARS = 20
_COUNT_DIGITS = 8
_DUMPED_PER_LINE = 16


def render_lines(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    """The stub's text, at most `stub.max_chars` long; `stub.lines` lines of the result, each cut at `stub.line_chars`.

    What the cap leaves out is the last of the lines, and then of what came beside them; the label says how many there
    are. What is no text is dumped.
    """
    language = words(stub.language)
    frame = _frame(subject, stub, retrieval, language)
    room = stub.max_chars - len(frame)
    notes = _fitting([f"\n- {line}" for line in _notes(subject, language)], room // 2, language)
    shown = _first_lines(subject, stub, language, room - len(notes)) if stub.lines else ""
    return (frame + shown + notes).removesuffix("\n")


def shortest_lines(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    """What stands in it whatever the result's text."""
    return _frame(subject, stub, retrieval, words(stub.language))


def _frame(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings, language: Words) -> str:
    """What it is, its reference, and how to read on, which gives way where the cap has no room for it."""
    count = size(subject, language)
    if subject.is_text and subject.original_lines is not None:
        count = language.size_lines.format(n=subject.original_chars, lines=subject.original_lines)
    below = f"\nref: {one_line(subject.ref, _REF_CHARS)}"
    if subject.reason == "store_failure":
        below += f"\n{language.not_stored}"
    left = stub.max_chars - len(below) - len(language.too_large.format(size=count, tool="", call=""))
    hint = _hint(subject, retrieval, language)
    if left - len(hint) < 2 * _LEAST_NAME_CHARS:
        hint = ""
    left -= len(hint)
    tool = one_line(subject.tool_name, max(1, min(NAME_CHARS, left // 2)))
    call = one_line(subject.call_id or "-", max(1, min(NAME_CHARS, left - len(tool))))
    return language.too_large.format(size=count, tool=tool, call=call) + below + hint


def _hint(subject: StubSubject, retrieval: RetrievalSettings, language: Words) -> str:
    if not subject.retrieval:
        return ""
    phrase = language.lines_read if subject.is_text else language.bytes_read
    return f"\n{phrase.format(tool=one_line(retrieval.read_tool))}"


def _notes(subject: StubSubject, language: Words) -> list[str]:
    """What no first line tells: that it failed, how it ended, what came beside it."""
    failed = [language.tool_error] if subject.is_error else []
    ending = [language.outcome.format(line=one_line(line)) for line in subject.synopsis.outcome]
    return [*gave_up_lines(subject, language), *failed, *ending, *part_lines(subject.parts, language)]


def _fitting(lines: list[str], room: int, language: Words) -> str:
    """As many as there is room for, and how many are left out."""
    whole = "".join(lines)
    if len(whole) <= room:
        return whole
    for kept in range(len(lines) - 1, -1, -1):
        cut = "".join([*lines[:kept], f"\n- {language.left_out.format(n=len(lines) - kept)}"])
        if len(cut) <= room:
            return cut
    return ""


def _first_lines(subject: StubSubject, stub: StubSettings, language: Words, room: int) -> str:
    """With the blank lines around them; as many as fit."""
    if not subject.is_text:
        return _dumped(subject, stub, language, room)
    total = _total_lines(subject)
    label = f"\n\n{language.first_lines.format(n=min(stub.lines, total), total=total, chars=stub.line_chars)}"
    room -= len(label) + 1
    shown: list[str] = []
    for number, line in enumerate(_lines(subject.start_as_utf8, stub.lines, stub.line_chars), 1):
        numbered = f"\n{number:>{_NUMBER_CHARS}}  "
        left = min(stub.line_chars, room - len(numbered))
        text = one_line(line, max(left, 1))
        if left < len(text) or (left < min(_LEAST_LINE_CHARS, stub.line_chars) and left < len(line)):
            break
        shown.append(numbered + text)
        room -= len(shown[-1])
    if not shown:
        return ""
    label = f"\n\n{language.first_lines.format(n=len(shown), total=total, chars=stub.line_chars)}"
    return f"{label}{''.join(shown)}\n"


def _lines(data: bytes, count: int, most_chars: int) -> list[str]:
    """The first lines, without their ends; of each so many chars, and one more to tell that there are more."""
    lines: list[str] = []
    at = 0
    while len(lines) < count and at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        lines.append(data[at : min(end, at + 4 * most_chars + 4)].decode(errors="ignore")[: most_chars + 1])
        at = end + 1
    return lines


def _total_lines(subject: StubSubject) -> int:
    """Where nobody has counted those of a text that is not in hand as a whole, those that are."""
    if subject.original_lines is not None:
        return subject.original_lines
    data = subject.start_as_utf8
    return data.count(b"\n") + (data[-1:] not in (b"", b"\n"))


def _dumped(subject: StubSubject, stub: StubSettings, language: Words, room: int) -> str:
    rows = dump_lines(subject.data[: stub.lines * _DUMPED_PER_LINE], 0)
    label_room = len(language.head_bytes) + _COUNT_DIGITS
    while rows and label_room + sum(len(row) + 1 for row in rows) > room:
        rows.pop()
    if not rows:
        return ""
    count = min(len(rows) * _DUMPED_PER_LINE, len(subject.data))
    return "\n\n" + "\n".join([language.head_bytes.format(n=count), *rows]) + "\n"
