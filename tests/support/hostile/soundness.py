"""What holds of every result, whatever its bytes: its synopsis is small and stable, its stubs bounded and unforged."""

import re
import unicodedata

import msgspec

from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.stub.words import words
from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import MAX_SYNOPSIS_BYTES, Synopsis

REF = "coat://session/call-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
SECTIONS = frozenset(
    {
        *("", "Synopsis:", "Structure:", "Notable items:", "Sample:", "Explore:"),
        *("概要:", "结构:", "要点:", "样本:", "查看原文:"),
    }
)
FIELDS = ("tool_name", "kind", "original_", "preview_chars", "ref", "sha256", "reason")
STUBS = tuple(
    StubSettings(style=style, language=language, max_chars=cap)
    for style in ("typed", "lines")
    for language in ("en", "zh")
    for cap in (6000, 500)
)
_STARTS = ("- ", "  ", "Left out for length: ", "因长度限制省略：")
_NUMBERED = re.compile(r" *\d+  ")
_TURNING = frozenset(
    "\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)


def assert_sound(data: bytes, mime_type: str | None = None) -> Synopsis:
    """The synopsis of `data`, once it and every stub of it are as they must be."""
    synopsis = assert_small(data, mime_type)
    subject = subject_of(data, synopsis)
    for settings in STUBS:
        assert_stub_is_sound(subject, settings)
    return synopsis


def assert_stub_is_sound(subject: StubSubject, settings: StubSettings) -> None:
    stub = render_stub(subject, settings, RetrievalSettings())
    assert len(stub) <= settings.max_chars
    if settings.style == "typed":
        assert_typed_stub_is_unforged(stub)
    else:
        assert_lines_stub_is_unforged(stub, settings)


def assert_small(data: bytes, mime_type: str | None = None) -> Synopsis:
    """The synopsis alone, once it is within its limit and comes back from its JSON."""
    synopsis = synopsize(data, mime_type)
    encoded = msgspec.json.encode(synopsis)
    assert len(encoded) < MAX_SYNOPSIS_BYTES, f"a synopsis of {len(encoded)} bytes"
    assert msgspec.json.decode(encoded, type=Synopsis) == synopsis
    return synopsis


def subject_of(data: bytes, synopsis: Synopsis, tool_name: str = "tool", call_id: str = "call") -> StubSubject:
    try:
        chars: int | None = len(data.decode())
    except UnicodeDecodeError:
        chars = None
    return StubSubject(
        tool_name=tool_name,
        call_id=call_id,
        ref=REF,
        sha256="0a1b" * 16,
        reason="single_threshold",
        original_chars=chars,
        original_bytes=len(data),
        data=data,
        synopsis=synopsis,
    )


def assert_typed_stub_is_unforged(stub: str) -> None:
    """Each line is the header's, a section's title, or says by its start that it is neither."""
    lines = stub.split("\n")
    assert lines == stub.splitlines()
    assert lines[0] == "[Coatcheck: tool result offloaded]"
    for line, field in zip(lines[1:8], FIELDS, strict=True):
        assert line.startswith(field), line
    assert lines[5] == f"ref: {REF}"
    for line in lines[8:]:
        assert line in SECTIONS or line.startswith(_STARTS), line
    titles = [line for line in lines[8:] if line and line in SECTIONS]
    assert len(titles) == len(set(titles)), titles
    assert_plain(stub)


def assert_lines_stub_is_unforged(stub: str, settings: StubSettings) -> None:
    """Each line is one of the stub's own phrases, a note, or stands behind a number or an offset."""
    language = words(settings.language)
    own = [_shape(language.too_large), _shape(language.lines_read), _shape(language.bytes_read)]
    labels = [_shape(language.first_lines), _shape(language.head_bytes)]
    lines = stub.split("\n")
    assert lines == stub.splitlines()
    assert own[0].fullmatch(lines[0])
    assert lines[1] == f"ref: {REF}"
    for line in lines[2:]:
        told = line.startswith(("- ", "  ")) or _NUMBERED.match(line)
        assert told or line == "" or any(shape.fullmatch(line) for shape in (*own[1:], *labels)), line
    assert_plain(stub)


def assert_plain(stub: str) -> None:
    """Nothing in it acts on a terminal, turns the text around, or is invisible."""
    unsafe = [char for char in set(stub) if char != "\n" and is_unsafe(char)]
    assert not unsafe, [hex(ord(char)) for char in unsafe]


def is_unsafe(char: str) -> bool:
    return char in _TURNING or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")


def _shape(phrase: str) -> re.Pattern[str]:
    """A phrase with anything in its fields."""
    return re.compile(".*".join(map(re.escape, re.split(r"\{\w+[^}]*\}", phrase))))
