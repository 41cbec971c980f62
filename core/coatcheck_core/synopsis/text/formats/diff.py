"""Diffs: unified, as git, diff and svn write them, and context diffs; also behind the message of a commit."""

import re
from collections.abc import Iterator

import msgspec

from coatcheck_core.synopsis.blocks import Window, own
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .counting import text
from .probe import Format, Probe

MAX_FILES = 12

_HEAD_BYTES = 65_536
_BEFORE_HUNKS = (b"diff ", b"commit ", b"From ", b"Index: ", b"--- ", b"Only in ", b"*** ")

_GIT = re.compile(r"diff --(?:git|cc|combined) \S")
_HUNK = re.compile(r"@@{1,8} -\d+(?:,\d+)? (?:-\d+(?:,\d+)? )*\+\d+(?:,\d+)? @@")
_CONTEXT = re.compile(r"\*\*\* \d+(?:,\d+)? \*\*\*\*")
_PLAIN = re.compile(r"\d+(?:,\d+)?[acd]\d+(?:,\d+)?$")
_BODY = ("+", "-", " ", "\\", "@@", "<", ">", "!")
_HEADER = re.compile(
    rb"\n(?:diff --(?:git|cc|combined) (?P<git>[^\n]+)"
    rb"|--- (?P<old>[^\n]*)\n\+\+\+ (?P<new>[^\n]+)\n(?=@@ -))"
)
_GIT_NEW = re.compile(rb'.*? "?b/(?P<path>.*?)"?\s*\Z', re.DOTALL)


def matches(probe: Probe) -> bool:
    """A file's head or a hunk's among the first lines, and lines as a hunk has them; no prose that quotes a diff."""
    lines = probe.bare
    if not probe.begins("diff -", "Index: ", "@@", "*** ", "< ", "> "):
        return False
    at = next((at for at, line in enumerate(lines) if _is_start(lines, at)), None)
    if at is None:
        return False
    if at == 0 or (at <= 40 and lines[0].startswith(("commit ", "From ", "Only in ", "Index: "))):
        return True
    return at <= 3 or _like_a_body(lines) >= 0.8


def _is_start(lines: list[str], at: int) -> bool:
    line = lines[at]
    if line.startswith(("diff --git ", "diff --cc ", "diff --combined ")) and _GIT.match(line):
        return True
    if line.startswith(("diff -", "Index: ")):
        return any(_HUNK.match(later) or _PLAIN.match(later) or _CONTEXT.match(later) for later in lines[at : at + 6])
    if line.startswith("@@"):
        return _HUNK.match(line) is not None
    if line.startswith("*** "):
        return at + 2 < len(lines) and lines[at + 1].startswith("--- ") and lines[at + 2].startswith("*****")
    return _PLAIN.match(line) is not None and at + 1 < len(lines) and lines[at + 1].startswith(("< ", "> "))


def _like_a_body(lines: list[str]) -> float:
    return sum(line.startswith(_BODY) for line in lines) / len(lines)


class _File(msgspec.Struct):
    name: str
    added: int = 0
    removed: int = 0


def details(seen: Seen) -> list[Detail]:
    """Files, and the lines added and removed in each, by what stands between one file's head and the next's."""
    head = seen.data[:_HEAD_BYTES]
    if b"\n@@" not in head and not head.startswith(b"@@"):
        return _plain(seen)
    files = added = removed = 0
    shown: list[_File] = []
    for name, plus, minus in _sections(seen, is_git=head.startswith(b"diff --") or b"\ndiff --git " in head):
        files += name is not None
        added, removed = added + plus, removed + minus
        if name is not None and len(shown) < MAX_FILES:
            shown.append(_File(name, plus, minus))
        elif name is None and shown and files == len(shown):
            shown[-1].added += plus
            shown[-1].removed += minus
    values = [f"{file.name} +{file.added} -{file.removed}" for file in shown]
    named = [Detail(name="files", count=files, values=values)] if files else []
    return [*named, Detail(name="changed lines", values=[f"+{added}", f"-{removed}"])]


def _plain(seen: Seen) -> list[Detail]:
    """Of a diff without context lines, `> added` and `< removed`; a context diff tells no lines of either."""
    added = removed = 0
    for window in seen.windows():
        added += window.text.count(b"\n> ", window.start - 1, window.end + 1)
        removed += window.text.count(b"\n< ", window.start - 1, window.end + 1)
    return [Detail(name="changed lines", values=[f"+{added}", f"-{removed}"])] if added or removed else []


def _sections(seen: Seen, *, is_git: bool) -> Iterator[tuple[str | None, int, int]]:
    """The name of each file with the lines added and removed up to the next; None for what goes on in a new block."""
    in_hunks = not seen.data.startswith(_BEFORE_HUNKS)
    for window in seen.windows():
        name: str | None = None
        begin = window.start - 1
        for match in _heads(window, is_git=is_git):
            plus, minus, in_hunks = _changed(window.text, begin, match.start(), in_hunks)
            yield name, plus, minus
            name, begin, in_hunks = _name(match), match.start() if match["git"] else match.end() - 1, not match["git"]
        plus, minus, in_hunks = _changed(window.text, begin, window.end, in_hunks)
        yield name, plus, minus


def _heads(window: Window, *, is_git: bool) -> Iterator[re.Match[bytes]]:
    for match in _HEADER.finditer(window.text, window.start - 1):
        if not own(window, match.start()):
            break
        if (match["git"] is not None) == is_git:
            yield match


def _changed(text: bytes, begin: int, end: int, in_hunks: bool) -> tuple[int, int, bool]:
    """How many lines begin with `+` and `-` behind the first hunk's head, and whether that was met."""
    if not in_hunks:
        first = text.find(b"\n@@", begin, end + 2)
        if first < 0:
            return 0, 0, False
        begin = first
    return text.count(b"\n+", begin, end), text.count(b"\n-", begin, end), True


def _name(match: re.Match[bytes]) -> str:
    if match["git"] is not None:
        new = _GIT_NEW.match(match["git"])
        return text(new["path"] if new else match["git"])
    name = match["old"] if match["new"].startswith(b"/dev/null") else match["new"]
    return text(name.partition(b"\t")[0].removeprefix(b"b/").removeprefix(b"a/"))


DIFF = Format("diff", matches, details)
