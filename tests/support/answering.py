"""The stub that an agent gets of a text, to look for its answers in."""

from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.synopsis import synopsize


def stub_of(text: str) -> str:
    data = text.encode()
    subject = StubSubject(
        tool_name="sqlite3",
        ref="coat://s/call",
        sha256="0" * 64,
        reason="single_threshold",
        original_chars=len(text),
        original_bytes=len(data),
        data=data,
        synopsis=synopsize(data),
    )
    return render_stub(subject, StubSettings(), RetrievalSettings())
