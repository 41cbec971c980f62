"""What an agent asks of bytes, and of what could not be analysed: the stub answers, or names the read."""

from tests.support.answering import stub_of

from coatcheck_core.synopsis.effort import OutOfTime

IMAGE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 40 + b"IEND\xaeB`\x82"


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


def test_what_is_known_where_the_analysis_was_ended() -> None:
    def step() -> None:
        raise OutOfTime

    stub = stub_of("line\n" * 6000, step=step)
    assert "it took too long" in stub
    assert "first" in stub
    assert "offset=0 its start" in stub
