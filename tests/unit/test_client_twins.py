"""Which stub is whose, where two results of one call differ in their media alone."""

import base64

import msgspec

from coatcheck.client.encoding import encode_result
from coatcheck.client.twins import Twin
from coatcheck_schemas.events import Disposition, Part, StubEvent


def event(*hashes: str | None, disposition: Disposition = "inline") -> StubEvent:
    parts = [Part(index=index, type="image", sha256=one) for index, one in enumerate(hashes)]
    return StubEvent(
        session_id="s",
        turn_id="t",
        call_id="c",
        tool_name=None,
        disposition=disposition,
        content="",
        parts=parts,
        created_at="",
    )


def twin(data: bytes, turn: str = "t1") -> Twin | None:
    image = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(data).decode()}
    return encode_result("s", [image], "shot", {"call": "c", "turn": turn}).twin


def test_a_text_has_no_twin() -> None:
    assert encode_result("s", "x", "cat", {"call": "c"}).twin is None
    assert encode_result("s", [{"type": "text", "text": "x"}], "cat", {"call": "c"}).twin is None


def test_the_same_pictures_have_the_same_other_id_and_others_another() -> None:
    one, same, other = twin(b"1"), twin(b"1", turn="t2"), twin(b"2")
    assert one == same
    assert one is not None
    assert other is not None
    assert one.other_id != other.other_id


def test_an_event_is_ours_as_far_as_it_names_our_parts() -> None:
    ours = Twin("other", ("a", "b"))
    assert ours.is_told_by(event("a", "b"))
    assert ours.is_told_by(event("a"))
    assert ours.is_told_by(event())
    assert ours.is_told_by(event(None, "a"))
    assert not ours.is_told_by(event("b", "a"))
    assert not ours.is_told_by(event("a", "b", "c"))


def test_an_event_of_a_text_alone_is_another_result_s_unless_it_failed() -> None:
    ours = Twin("other", ("a",))
    assert not ours.is_told_by(msgspec.structs.replace(event(), parts=None))
    assert ours.is_told_by(msgspec.structs.replace(event(disposition="failed"), parts=None))
