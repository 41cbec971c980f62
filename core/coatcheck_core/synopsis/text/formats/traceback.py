"""Tracebacks: what an uncaught exception leaves, in Python, Java, Go, node, Rust, Ruby, PHP and C#."""

import re

import msgspec

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .probe import Format, Probe, mostly

_TAIL_BYTES = 24_000
_FRAMES_SHOWN = 1
_MOST_BELOW = 14
_LEAST_LINES = 3
_NAME = r"[A-Za-z_$][\w$]*(?:(?:\.|::|\\)[A-Za-z_$][\w$]*)*"
_START = re.compile(
    r"\s*(?:[|+\s-]*(?:Exception Group )?Traceback \(most recent call last\):"
    r"|Exception in thread \S|Unhandled exception|panic: |fatal error: |goroutine \d+ \["
    r"|thread '.{0,200}?' .{0,20}?panicked at "
    r"|(?:PHP )?Fatal error:\s+Uncaught |Uncaught \w|Caused by: |SIG(?:SEGV|ABRT|BUS): |==\d+==ERROR: AddressSanitizer)"
)
_CAUSE = "Caused by: "
_MARKS = (b"(most recent call last)", b")\n    at ", b"\n\ngoroutine ", b"' panicked at ")
_TABBED = b")\n\tat "
"""Two frames, or what begins one."""
_MARK_BYTES = max(map(len, _MARKS))
_LINE_BYTES = 400
_PYTHON = "Traceback (most recent call last):"
_PYTHON_FRAME = re.compile(r'\s*[|\s]*File "(?P<file>[^"]{1,300})", line (?P<line>\d+)(?:, in (?P<in>.{1,200}))?')
_FRAME = re.compile(
    r"\s+at (?:(?P<in>[^()\n]{1,200}?) ?\()?(?P<file>[^()\n]{1,300}?):(?P<line>\d+)(?::\d+)?\)?\s*$"
    r"|\s+at (?P<native>[\w.$<>/@-]{1,200}\((?:Native Method|Unknown Source|<anonymous>)\))"
    r"|\s+at (?P<net>[\w.<>`+\[\], ]{1,200}\([^)\n]{0,200}\))(?: in (?P<net_file>.{1,300}):line (?P<net_line>\d+))?"
    r"|\s+(?P<go>/?[\w./@+~-]{1,300}\.(?:go|s)):(?P<go_line>\d+)(?: \+0x[0-9a-f]+)?\s*$"
    r"|\s+\d+: (?:0x[0-9a-f]+ - )?(?P<rust>[\w:<>{}$#, &*]{1,200})\s*$"
    r"|\s+from (?P<ruby>[^\s:]{1,300}):(?P<ruby_line>\d+):in .(?P<ruby_in>.{1,100}?).$"
    r"|#\d+\s+(?:0x[0-9a-f]+ in )?(?P<c>[\w:~<>*&,. ]{1,200} \(.{0,300}|\S{1,300}\(\d+\): .{1,300}|\{main\})$"
)
_PYTHON_END = re.compile(rf"(?:[|\s]*)(?P<name>{_NAME})(?::\s?(?P<message>.*))?$")
_THROWN = re.compile(
    rf"(?:Exception in thread \"[^\"]{{0,200}}\" |Unhandled exception[.:]\s+|Caused by: "
    rf"|(?:PHP )?Fatal error:\s+Uncaught |Uncaught )?"
    rf"(?P<name>(?:{_NAME})?(?:Error|Exception|Throwable|Interrupt|Exit|Failure"
    rf"|Warning)(?:\s\[[A-Z_]+\])?)(?::\s?(?P<message>.*))?$"
)
_PANIC = re.compile(r"(?P<name>panic|fatal error): (?P<message>.*)$|thread '.{0,200}?' .{0,20}?panicked at (?P<at>.*)$")
_PHP_PLACE = re.compile(r" in (?P<place>/[^\s:]{1,300}\.php:\d+)$")
_RUBY = re.compile(r"(?P<file>[^\s:]{1,300}):(?P<line>\d+):in .{1,100}?: (?P<message>.*) \((?P<name>[A-Z][\w:]*)\)$")


def matches(probe: Probe) -> bool:
    """Begins as one, or is in one at its end; at least one frame, or the word that begins it, must be there."""
    head = [line for line in probe.bare[:4] if _START.match(line) or _RUBY.match(line)]
    if head and (_PYTHON in head[0] or _frames(probe.bare[:60])):
        return True
    if _THROWN.match(probe.bare[0].strip()) if probe.bare else False:
        return len(probe.bare) > 1 and _FRAME.match(probe.bare[1]) is not None
    return _at_the_end(probe.tail) or (len(probe.bare) >= _LEAST_LINES and _are_frames(probe))


def _are_frames(probe: Probe) -> bool:
    """Half of the lines, whatever raised them."""
    return any(map(probe.may_have, (_PYTHON_FRAME, _FRAME, _RUBY))) and mostly(probe.bare, _is_frame, 0.5)


def _frames(lines: list[str]) -> int:
    return sum(map(_is_frame, lines))


def _at_the_end(tail: list[str]) -> bool:
    """The last lines but a few are frames of one that begins in them or before."""
    last = next(
        (at for at in range(len(tail) - 1, max(len(tail) - _MOST_BELOW, 0) - 1, -1) if _is_frame(tail[at])), None
    )
    if last is None:
        return False
    near = tail[max(last - 40, 0) :]
    started = any(_START.match(line) or _THROWN.match(line.strip()) or _RUBY.match(line) for line in near)
    return started and _frames(near) >= 1


def _is_frame(line: str) -> bool:
    if line[:1] in (" ", "\t", "|", "#"):
        return _PYTHON_FRAME.match(line) is not None or _FRAME.match(line) is not None
    return ":in " in line and _RUBY.match(line) is not None


class _Last(msgspec.Struct):
    exception: str = ""
    frames: int = 0
    innermost: str = ""
    head: int = 0
    """The line that begins it."""
    cause_of: str = ""
    """The exception that was thrown in the end, where the last one is its cause."""


def details(seen: Seen) -> list[Detail]:
    """The last exception with its message, how many frames it has, and where it was raised."""
    lines = seen.between(seen.end - _TAIL_BYTES, seen.end).split("\n")
    last = _python(lines) or _others(lines) or _others(seen.head(_TAIL_BYTES).split("\n"))
    if last is None:
        return []
    return [
        *([Detail(name="exception", values=[clip(last.cause_of)])] if last.cause_of else []),
        *([Detail(name="last exception", values=[clip(last.exception)])] if last.exception else []),
        *([Detail(name="frames", count=last.frames, values=[])] if last.frames else []),
        *([Detail(name="raised at", values=[clip(last.innermost)])] if last.innermost else []),
    ]


def within(seen: Seen, *, is_output: bool) -> list[Detail]:
    """The last one in a text that is something else, and the offset in chars at which it begins.

    In what may be prose as well as a program's output only those of Python and Java are looked for.
    """
    place = _last_place(seen, _MARKS if is_output else _MARKS[:1])
    if place is None:
        return []
    at, is_python = place
    start = at if is_python else max(at - _TAIL_BYTES, 0)
    start = seen.data.rfind(b"\n", max(start - _LINE_BYTES, 0), start) + 1 or start
    lines = seen.between(start, at + _TAIL_BYTES).split("\n")
    last = _python(_first_of(lines)) if is_python else _others(lines)
    if last is None or not last.exception:
        return []
    offset, _ = seen.place(start + len("".join(f"{line}\n" for line in lines[: last.head]).encode()))
    raised = [f"raised at {clip(last.innermost)}"] if last.innermost else []
    thrown = [clip(last.cause_of)] if last.cause_of else []
    return [Detail(name="last traceback", values=[*thrown, clip(last.exception), *raised, f"offset {offset}"])]


def _last_place(seen: Seen, marks: tuple[bytes, ...]) -> tuple[int, bool] | None:
    """Where the last one's mark stands, and whether it is one of Python; looked for block by block from the end."""
    end = len(seen.data)
    while end > 0:
        seen.step()
        start = max(end - BLOCK_BYTES, 0)
        # A tab is found sooner than what begins with it.
        sought = (*marks, _TABBED) if seen.data.find(b"\t", start, end) >= 0 else marks
        at, mark = max((seen.data.rfind(mark, start, end + _MARK_BYTES), mark) for mark in sought)
        if at >= 0:
            return at, mark is _MARKS[0]
        end = start
    return None


def _first_of(lines: list[str]) -> list[str]:
    """Until the first line that is no part of what the first line begins."""
    end = next((at for at, line in enumerate(lines) if at and line[:1] not in (" ", "\t", "|", "")), len(lines))
    return lines[: end + 1]


def _python(lines: list[str]) -> _Last | None:
    """The frames stand with the innermost last, and the exception behind them."""
    places = [at for at, line in enumerate(lines) if _PYTHON_FRAME.match(line[:600])]
    if not places:
        return None
    last = places[-1]
    start = next((at for at in range(last, -1, -1) if "Traceback (most recent call last)" in lines[at][:200]), 0)
    frame = _PYTHON_FRAME.match(lines[last][:600])
    ends = (_PYTHON_END.match(line[:1000]) for line in lines[last + 1 :] if line[:1] not in (" ", "\t", ""))
    end = next((match for match in ends if match), None)
    if frame is None or end is None:
        return None
    where = f"{frame['file']}:{frame['line']}" + (f" in {frame['in']}" if frame["in"] else "")
    return _Last(_exception(end), sum(start <= at <= last for at in places), where, head=start)


def _others(lines: list[str]) -> _Last | None:
    """The exception stands before its frames, the innermost first; of causes the last is the reason."""
    if all(line[:1] == "#" and _FRAME.match(line[:600]) for line in lines[:3]):
        frames = [line[:600] for line in lines if _FRAME.match(line[:600])]
        return _Last("", len(frames), _where(frames))
    heads = [at for at, line in enumerate(lines) if _thrown(line[:1000]) is not None]
    if not heads:
        return None
    head = heads[-1]
    outer = next((_thrown(lines[at]) for at in reversed(heads) if not lines[at].startswith(_CAUSE)), None)
    cause_of = (outer or "") if lines[head].startswith(_CAUSE) else ""
    frames = [line[:600] for line in lines[head + 1 :] if _FRAME.match(line[:600])]
    head_match = _RUBY.match(lines[head][:1000])
    exception = _thrown(lines[head][:1000]) or ""
    if php := _PHP_PLACE.search(exception):
        return _Last(exception[: php.start()], len(frames), php["place"], head=head)
    innermost = f"{head_match['file']}:{head_match['line']}" if head_match else _where(frames)
    return _Last(exception, len(frames) + (head_match is not None), innermost, head=head, cause_of=cause_of)


def _thrown(line: str) -> str | None:
    bare = line.strip()
    if (match := _RUBY.match(bare)) or (match := _THROWN.match(bare)):
        return _exception(match)
    if match := _PANIC.match(bare):
        return f"panicked at {match['at']}" if match["at"] else f"{match['name']}: {match['message']}"
    return None


def _exception(match: re.Match[str]) -> str:
    return f"{match['name']}: {match['message'].strip()}" if match["message"] else match["name"]


def _where(frames: list[str]) -> str:
    """The first frame that is not the language's own way of raising it."""
    for line in frames:
        match = _FRAME.match(line)
        if match is None or "runtime/" in line or "panic.go" in line or "core::panicking" in line:
            continue
        found = match.groupdict()
        file = found["file"] or found["go"] or found["net_file"] or found["ruby"]
        number = found["line"] or found["go_line"] or found["net_line"] or found["ruby_line"]
        name = found["in"] or found["net"] or found["native"] or found["rust"] or found["c"] or ""
        return f"{file}:{number}" + (f" in {name}" if name else "") if file else name
    return ""


TRACEBACK = Format("traceback", matches, details)
