"""Two results of one call with the same text and other media are two."""

import base64
from typing import Any

import pytest
from tests.support.deciding import arrived, rules

from coatcheck_core.apart import (
    has_objects,
    is_apart,
    is_told_of_another,
    objects_digest,
    other_id,
    set_apart,
    twin_id,
)
from coatcheck_core.arrival import Result
from coatcheck_core.decision import decide
from coatcheck_core.parts import name_parts
from coatcheck_schemas.events import Part, StubEvent

TEXT = {"type": "text", "text": "taken"}


def image(data: bytes, **fields: Any) -> dict[str, Any]:
    return {"type": "image", "data": base64.b64encode(b"\x89PNG\r\n\x1a\n" + data).decode()} | fields


def parts_of(result: Result) -> list[Part] | None:
    return name_parts(result.received, result.ref)


ONE = arrived([TEXT, image(b"1")])


@pytest.mark.parametrize(
    "other",
    [
        [TEXT, image(b"2")],
        [image(b"1"), TEXT],
        [TEXT],
        [TEXT, image(b"1"), image(b"1")],
        [TEXT, image(b"1", annotations={"priority": 1})],
    ],
)
def test_other_parts_are_told_apart_by_the_same_id(other: list[dict[str, Any]]) -> None:
    two = arrived(other)
    assert two.result_id == ONE.result_id
    assert is_apart(parts_of(two), parts_of(ONE))
    assert set_apart(two, parts_of(two)).result_id != set_apart(ONE, parts_of(ONE)).result_id


def test_structured_content_tells_apart() -> None:
    one, two = arrived("done", structured_content={"n": 1}), arrived("done", structured_content={"n": 2})
    assert one.result_id == two.result_id
    assert is_apart(parts_of(one), parts_of(two))


def test_the_same_content_is_the_same() -> None:
    again = arrived([TEXT, image(b"1")])
    assert not is_apart(parts_of(again), parts_of(ONE))
    assert set_apart(again, parts_of(again)).result_id == set_apart(ONE, parts_of(ONE)).result_id


def test_parts_without_a_hash_are_told_by_their_length() -> None:
    old = [Part(index=1, type="image", ref="x", bytes=9)]
    assert not is_apart(parts_of(ONE), old)
    assert is_apart(parts_of(ONE), [Part(index=1, type="image", ref="x", bytes=10)])


@pytest.mark.parametrize("content", ["text", [TEXT, TEXT]])
def test_text_alone_needs_no_other_id(content: Any) -> None:
    result = arrived(content)
    assert not has_objects(parts_of(result))
    assert other_id(result.address.call, result.received) is None


def test_who_waits_knows_both_ids() -> None:
    assert other_id(ONE.address.call, ONE.received) == set_apart(ONE, parts_of(ONE)).result_id


def event_of(content: Any, *assignments: str, max_event_bytes: int = 100_000, **fields: Any) -> StubEvent:
    return decide(arrived(content, **fields), rules(*assignments, max_event_bytes=max_event_bytes)).event


@pytest.mark.parametrize("assignment", ["result.threshold=20000", "result.threshold=0"])
@pytest.mark.parametrize(
    ("other", "is_another"),
    [
        ([TEXT, image(b"1")], False),
        ([TEXT, image(b"1", annotations={"priority": 1})], False),
        ([TEXT, image(b"2")], True),
        ([TEXT, image(b"1"), image(b"2")], True),
        ([image(b"1"), TEXT], True),
        ([TEXT], True),
        ("taken", True),
    ],
)
def test_an_event_tells_whose_it_is(other: Any, is_another: bool, assignment: str) -> None:
    assert is_told_of_another(parts_of(ONE), event_of(other, assignment)) == is_another


def test_an_event_with_structured_content_tells_whose_it_is() -> None:
    one, two = arrived([TEXT], structured_content={"n": 1}), arrived([TEXT], structured_content={"n": 2})
    assert not is_told_of_another(parts_of(one), event_of([TEXT], structured_content={"n": 1}))
    assert is_told_of_another(parts_of(two), event_of([TEXT], structured_content={"n": 1}))


def test_an_event_that_lists_the_first_parts_alone_is_ours_as_far_as_it_goes() -> None:
    pictures = [image(bytes([number]) * 9) for number in range(60)]
    event = event_of(pictures, max_event_bytes=20_000)
    assert event.parts is not None
    assert 0 < len(event.parts) < 60
    ours = parts_of(arrived(pictures))
    assert not is_told_of_another(ours, event)
    assert is_told_of_another(parts_of(arrived(pictures[::-1])), event)


def test_a_text_alone_is_never_told_of_another() -> None:
    assert not is_told_of_another(parts_of(arrived("taken")), event_of([TEXT, image(b"1")]))


def test_each_of_its_two_ids_leads_to_the_other() -> None:
    apart = set_apart(ONE, parts_of(ONE))
    assert twin_id(ONE, parts_of(ONE)) == apart.result_id
    assert twin_id(apart, parts_of(apart)) == ONE.result_id
    assert twin_id(arrived("taken"), parts_of(arrived("taken"))) is None


def test_objects_are_told_by_their_places_and_content() -> None:
    digests = {objects_digest(parts_of(arrived(one))) for one in ([TEXT, image(b"1")], [image(b"1"), TEXT], "taken")}
    assert len(digests) == 3
    assert objects_digest(parts_of(arrived("taken"))) == ""
    assert objects_digest(parts_of(ONE)) == objects_digest(parts_of(set_apart(ONE, parts_of(ONE))))
