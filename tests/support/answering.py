"""The stub that an agent gets of a text or of bytes, to look for its answers in."""

import hashlib
from typing import Any

from coatcheck_core.encodings import text_size
from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.synopsis import synopsize, synopsize_ends
from coatcheck_core.synopsis.effort import Step, unhurried

REF = "coat://s/call"


def stub_of(result: str | bytes, mime_type: str | None = None, *, step: Step = unhurried, **settings: Any) -> str:
    """`settings` are those of the stub: its language, style, and so on."""
    data = result.encode() if isinstance(result, str) else result
    try:
        chars: int | None = len(data.decode())
    except UnicodeDecodeError:
        chars = None
    subject = StubSubject(
        tool_name="tool",
        ref=REF,
        sha256=hashlib.sha256(data).hexdigest(),
        reason="binary" if chars is None else "single_threshold",
        original_chars=chars,
        original_bytes=len(data),
        data=data,
        synopsis=synopsize(data, mime_type, step=step),
    )
    return render_stub(subject, StubSettings(**settings), RetrievalSettings())


def large_stub_of(
    result: str | bytes,
    *,
    head: int = 20_000,
    tail: int = 5000,
    error: str | None = None,
    incomplete: bool = False,
    **settings: Any,
) -> str:
    """Of a result of which only both ends are in hand, as of one that came in pieces."""
    data = result.encode() if isinstance(result, str) else result
    return render_stub(
        large_subject_of(data, head, tail, error=error, incomplete=incomplete),
        StubSettings(**settings),
        RetrievalSettings(),
    )


def large_subject_of(
    data: bytes, head: int, tail: int, *, error: str | None = None, incomplete: bool = False
) -> StubSubject:
    size = text_size(data)
    chars, lines, encoding = size or (None, None, None)
    start, end = data[:head], data[len(data) - tail :]
    return StubSubject(
        tool_name="tool",
        ref=REF,
        sha256=hashlib.sha256(data).hexdigest(),
        reason="message_limit" if encoding == "utf-8" else "binary",
        original_chars=chars,
        original_lines=lines,
        original_bytes=len(data),
        encoding=encoding,
        data=start,
        end=end,
        synopsis=synopsize_ends(start, end, len(data), chars=chars, lines=lines, encoding=encoding),
        incomplete=incomplete,
        error=error,
    )
