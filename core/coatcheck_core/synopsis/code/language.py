"""What is known of a language: how its lines begin, what it imports, what it defines.

Patterns are text here and are compiled for bytes when first wanted, so that starting up costs nothing.
"""

import re
from functools import cache
from re import Pattern
from typing import Literal

import msgspec

Comments = Literal[
    "c", "hash", "dash", "haskell", "semicolon", "percent", "quote", "rem", "html", "python", "perl", "php"
]


_ATOM = re.compile(r"\\.|.", re.DOTALL)
_LETTERS = r"\w\x80-\xff"
_BLANKS = re.compile(r"(\[ \\t\][*+])(?![+?])")


class Dialect(msgspec.Struct, frozen=True):
    """A language that is written like another one, told by `pattern` at `least` times among the probed lines.

    The pattern is searched in the text without comments, `^` and `$` at each line.
    """

    name: str
    pattern: str
    least: int = 1


class Language(msgspec.Struct, frozen=True):
    """One language as a table.

    `words` begin its lines, and `hints` stand anywhere: they tell which languages are worth a closer look. `signs` are
    what a line that is not a comment begins with, after its indent, with what that is worth: the first that matches
    counts; a negative one is for what the language does not have. `first` is tried on the first filled line, and is
    proof. Where there is `evidence`, some probed line must match that, from its start on: the signs are words of
    everyday speech as well.

    `symbols` (top-level definitions), `members` (what is shown where those leave room) and `imports` follow a newline;
    an import may go on over several lines, as long as it does not take in the next one. Where one `lists_imports`
    between brackets, each line there is one. `starts` is a set of the bytes that symbols and imports begin with, where
    that passes over other lines sooner than the patterns do.
    """

    name: str
    comments: Comments
    words: str
    signs: tuple[tuple[int, str], ...]
    symbols: str = ""
    members: str = ""
    imports: str = ""
    lists_imports: bool = False
    starts: str = ""
    first: str = ""
    evidence: str = ""
    hints: str = ""
    dialects: tuple[Dialect, ...] = ()


def with_letters(pattern: str) -> str:
    """A word has letters of any script: in UTF-8 bytes over 127, which `\\w` of a pattern of bytes leaves out.

    And blanks, once passed over, are never gone back on: a line of them would be tried from each.
    """
    inside = False
    pieces: list[str] = []
    for atom in _ATOM.findall(pattern):
        if atom in ("[", "]"):
            inside = atom == "["
        pieces.append(atom if atom != "\\w" else _LETTERS if inside else f"[{_LETTERS}]")
    return _BLANKS.sub(r"\1+", "".join(pieces))


@cache
def sign_pattern(language: Language) -> Pattern[bytes]:
    """All signs as one pattern: the number of the group that matched is that of the sign."""
    signs = "|".join(f"({with_letters(sign)})" for _, sign in language.signs)
    return re.compile(f"(?m)^[ \\t]*+(?:{signs})".encode())


@cache
def line_pattern(pattern: str) -> Pattern[bytes] | None:
    """For what follows a newline, which it takes in; None where the language has no such thing."""
    return re.compile(f"\\n(?:{with_letters(pattern)})".encode()) if pattern else None


@cache
def outline_pattern(language: Language) -> Pattern[bytes] | None:
    """What either imports or defines; the group takes part in the former, which is what matches both ways."""
    imports = language.imports and rf"(?:{language.imports})(?<=([\s\S]))"
    either = "|".join(pattern for pattern in (imports, language.symbols) if pattern)
    return line_pattern(f"(?=[{language.starts}])(?:{either})" if language.starts and either else either)


@cache
def evidence_pattern(language: Language) -> Pattern[bytes] | None:
    """None where a language needs no evidence."""
    return re.compile(f"(?m)^(?:{with_letters(language.evidence)})".encode()) if language.evidence else None


@cache
def probe_pattern(pattern: str) -> Pattern[bytes]:
    return re.compile(f"(?m){pattern}".encode())
