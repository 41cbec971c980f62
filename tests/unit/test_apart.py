"""Two results of one call with the same text and other media are two."""

import base64
from typing import Any

import pytest
from tests.support.deciding import arrived

from coatcheck_core.apart import has_objects, is_apart, other_id, set_apart
from coatcheck_core.arrival import Result
from coatcheck_core.parts import name_parts
from coatcheck_schemas.events import Part

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
