"""What an agent asks of bytes that are no text, and of what could not be analysed: the stub answers, or names the read."""

import hashlib

import pytest

from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.synopsis import synopsize
from coatcheck_core.synopsis.effort import OutOfTime

IMAGE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 40 + b"IEND\xaeB`\x82"


def stub_of(data: bytes, mime_type: str | None = None, *, out_of_time: bool = False) -> str:
    def step() -> None:
        if out_of_time:
            raise OutOfTime

    try:
        chars: int | None = len(data.decode())
    except UnicodeDecodeError:
        chars = None
    subject = StubSubject(
        tool_name="screenshot",
        ref="coat://s/call",
        sha256=hashlib.sha256(data).hexdigest(),
        reason="binary" if chars is None else "single_threshold",
        original_chars=chars,
        original_bytes=len(data),
        data=data,
        synopsis=synopsize(data, mime_type, step=step),
    )
    return render_stub(subject, StubSettings(), RetrievalSettings())


def test_what_is_it_and_how_large() -> None:
    stub = stub_of(IMAGE)
    assert "- format: png" in stub
    assert f"original_bytes: {len(IMAGE)}" in stub


def test_how_does_it_begin_and_end() -> None:
    stub = stub_of(IMAGE)
    assert "|.PNG" in stub
    assert "IEND" in stub


def test_how_do_i_get_at_its_bytes() -> None:
    assert (
        "tool_result_read with ref=coat://s/call, unit=bytes, offset and limit returns a part, in base64."
        in stub_of(IMAGE)
    )


def test_why_is_declared_json_no_json_and_what_is_it_instead() -> None:
    stub = stub_of(b"<html><body>502 Bad Gateway</body></html>\n" * 600, "application/json")
    assert "kind: unknown" in stub
    assert "its declared type does not match" in stub
    assert "502 Bad Gateway" in stub


def test_where_does_declared_json_stop_being_json() -> None:
    stub = stub_of(b'{"items": [' + b'{"id": 1}, ' * 3000 + b'{"id": ', "application/json")
    assert "looks like json, but is incomplete: readable up to character 33018 (line 0)" in stub


@pytest.mark.parametrize("text", ["line\n" * 6000])
def test_what_is_known_where_the_analysis_was_ended(text: str) -> None:
    stub = stub_of(text.encode(), out_of_time=True)
    assert "it took too long" in stub
    assert "first" in stub
    assert "offset=0 its start" in stub
