"""The stub that an agent gets of a text or of bytes, to look for its answers in."""

import hashlib
from typing import Any

from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.synopsis import synopsize
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
