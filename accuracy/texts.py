"""A labelled text, and in which half of the corpus it is."""

import hashlib
from typing import Literal

import msgspec

Half = Literal["develop", "held"]

KINDS = ("json", "csv", "tsv", "yaml", "xml", "code", "text", "unknown")
LANGUAGES = frozenset(
    {
        *("python", "javascript", "typescript", "go", "rust", "java", "c", "cpp", "csharp", "ruby", "php", "shell"),
        *("sql", "kotlin", "swift", "scala", "perl", "lua", "r", "haskell"),
    }
)
GRADED = LANGUAGES | {
    *("ndjson", "html", "markdown", "diff", "log", "traceback", "table", "ini", "toml"),
    *("json-truncated", "xml-truncated"),
}
"""The formats that are marked. Any other is as good as none: whoever wants to tell a `grep` output apart may."""
NONE, ANY = "-", "*"


class Label(msgspec.Struct, frozen=True):
    """What a person calls a text. The first of `formats` counts as its format, the others are right as well.

    `-` stands for none of the graded ones, `*` for whatever is said.
    """

    kind: str
    formats: tuple[str, ...] = (NONE,)

    @classmethod
    def parse(cls, written: str) -> "Label":
        """From `code/python`, `text/ini|-`, `json`."""
        kind, _, formats = written.partition("/")
        if kind not in KINDS:
            raise ValueError(f"no such kind: {written}")
        parsed = tuple(formats.split("|")) if formats else (NONE,)
        if not set(parsed) <= GRADED | {NONE, ANY}:
            raise ValueError(f"no such format: {written}")
        return cls(kind, parsed)

    @property
    def graded(self) -> str | None:
        """The format it is marked on."""
        return self.formats[0] if self.formats[0] in GRADED else None

    def __str__(self) -> str:
        return f"{self.kind}/{'|'.join(self.formats)}"


def shown_format(finer: str | None) -> str:
    """A synopsis' format as a label has it."""
    return finer if finer in GRADED else NONE


class Source(msgspec.Struct, frozen=True):
    """A text as it was found. `name` is a path, a command line, or says what made it.

    `key` decides the half, for all cuts of the source together: its content, or its command where each run prints
    something else. `command` is the command's name where it is one's output.
    """

    name: str
    label: Label
    data: bytes
    key: bytes
    command: str | None = None
    mime_type: str | None = None


class Text(msgspec.Struct, frozen=True):
    """One text of the corpus, as its index keeps it; the bytes lie in a file named by `sha256`."""

    name: str
    cut: str
    label: Label
    half: Half
    sha256: str
    bytes: int
    command: str | None = None
    mime_type: str | None = None


def half_of(key: bytes) -> Half:
    """By a hash, so that nobody chose it, and a text stays where it is when others are added."""
    return "develop" if hashlib.sha256(b"half:" + key).digest()[0] % 2 else "held"
