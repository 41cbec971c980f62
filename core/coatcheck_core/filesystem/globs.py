"""Patterns of paths, matched in linear time by RE2."""

import re
from collections.abc import Callable

from coatcheck_core.searching.expressions import compiled
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import MAX_PATTERN_CHARS

from .braces import class_end, expanded
from .paths import ROOT

ANY_DEPTH = "**"
_RANGE_OR_CHAR = re.compile(r"(.)-(.)|(.)", re.DOTALL)

Match = Callable[[str], bool]
"""Whether a normalized path matches."""


def path_glob(pattern: str, folder: str) -> Match:
    """What matches paths below a folder as they are from there, or where the pattern begins with `/` from the root.

    Raises RequestError `invalid_argument`, which says what is wrong with the pattern.
    """
    return _matching([_below(folder, one) for one in _checked(pattern)], pattern)


def name_glob(pattern: str, folder: str) -> Match:
    """As `path_glob`, but a pattern without `/` is of a file's name in whichever folder."""
    named = [one if "/" in one else f"{ANY_DEPTH}/{one}" for one in _checked(pattern)]
    return _matching([_below(folder, one) for one in named], pattern)


def _below(folder: str, pattern: str) -> str:
    """The expression of the paths that it matches."""
    if pattern.startswith("/"):
        folder = ROOT
    head = folder if folder == ROOT else f"{folder}/"
    return f"{re.escape(head)}{_of_names(pattern)}"


def _checked(pattern: str) -> list[str]:
    """The patterns that it stands for."""
    if not pattern.strip("/"):
        raise _refused("pattern is empty: '**' is all files, '*' those of one folder")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise _refused(f"pattern may have {MAX_PATTERN_CHARS} chars, and this one has {len(pattern)}")
    patterns = expanded(pattern)
    if any(".." in one.split("/") for one in patterns):
        raise _refused("pattern has a '..': say it from the root '/', beyond which there is nothing")
    return patterns


def _of_names(pattern: str) -> str:
    """The expression of a whole path; names that are `.` or empty say nothing, and `**` twice is `**`."""
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    pieces: list[str] = []
    for number, name in enumerate(names):
        is_last = number == len(names) - 1
        if name != ANY_DEPTH:
            pieces.append(_of_name(name) + ("" if is_last else "/"))
        elif is_last:
            pieces.append("(?s:.+)")
        elif names[number - 1] != ANY_DEPTH or number == 0:
            pieces.append("(?:[^/]+/)*")
    return "".join(pieces)


def _of_name(name: str) -> str:
    pieces: list[str] = []
    at = 0
    while at < len(name):
        char = name[at]
        at += 1
        if char == "*":
            if pieces[-1:] != ["[^/]*"]:
                pieces.append("[^/]*")
        elif char == "?":
            pieces.append("[^/]")
        elif char == "[" and (end := class_end(name, at - 1)) > 0:
            pieces.append(_class(name[at:end]))
            at = end + 1
        else:
            pieces.append(re.escape(char))
    return "".join(pieces)


def _class(inside: str) -> str:
    """A class of chars, never with `/` in it."""
    is_negated = inside[0] in "!^"
    ranges = [
        piece
        for low, high, char in _RANGE_OR_CHAR.findall(inside[1:] if is_negated else inside)
        for piece in _without_slash(low or char, high or char)
    ]
    if is_negated:
        return f"[^/{''.join(ranges)}]"
    return f"[{''.join(ranges)}]" if ranges else "[^\\x00-\\x{10FFFF}]"


def _without_slash(low: str, high: str) -> list[str]:
    if low > high:
        raise _refused(f"the range {low}-{high} of the pattern runs backwards")
    if not low <= "/" <= high:
        return [_span(low, high)]
    return [_span(one, other) for one, other in ((low, "."), ("0", high)) if one <= other]


def _span(low: str, high: str) -> str:
    return f"\\x{{{ord(low):X}}}-\\x{{{ord(high):X}}}"


def _matching(expressions: list[str], pattern: str) -> Match:
    try:
        matcher = compiled(f"\\A(?:{'|'.join(expressions)})\\z", "(?s)", capturing=False)
    except ValueError as error:
        raise _refused(f"the pattern {pattern[:100]!r} cannot be used: {error}") from None
    return lambda path: matcher.match(path.encode()) is not None


def _refused(message: str) -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, message)
