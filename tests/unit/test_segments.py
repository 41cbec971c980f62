"""Ids as segments: the table of escapes, shortening, and the refusal of whatever is not canonical."""

import hashlib

import pytest

from coatcheck_schemas.errors import InvalidId, InvalidSegment
from coatcheck_schemas.segments import (
    EMPTY,
    MAX_ID_BYTES,
    MAX_SEGMENT_CHARS,
    check_segment,
    decode_segment,
    encode_segment,
    is_shortened,
)

HASH = "0123456789abcdef"

ESCAPED = {
    "": "=",
    "call_1": "call_1",
    "toolu_01A-b": "toolu_01A-b",
    "a.b": "a=2Eb",
    "a b": "a=20b",
    "list_dir:0": "list_dir=3A0",
    "thread:42/a b": "thread=3A42=2Fa=20b",
    "*": "=2A",
    ">": "=3E",
    "=": "=3D",
    "==": "=3D=3D",
    "a\nb\x00": "a=0Ab=00",
    "é": "=C3=A9",
    "搜": "=E6=90=9C",
    "🧥": "=F0=9F=A7=A5",
    "../../x": "=2E=2E=2F=2E=2E=2Fx",
    "$JS": "=24JS",
}

NOT_CANONICAL = [
    "",
    "*",
    ">",
    "a*",
    "a b",
    " ",
    "a.b",
    "a/b",
    "..",
    "a\n",
    "\n",
    "é",
    "a=2eb",
    "=4",
    "=GG",
    "=41",
    "=2D",
    "=5F",
    "=FF",
    "=C3",
    "=C3=28",
    "=ED=A0=80",
    "=C0=AE",
    "==",
    "===",
    "a=",
    "=a",
    f"=={HASH}",
    f"short=={HASH}",
]


@pytest.mark.parametrize(("identifier", "segment"), ESCAPED.items())
def test_an_id_is_escaped_byte_by_byte(identifier: str, segment: str) -> None:
    assert encode_segment(identifier) == segment


@pytest.mark.parametrize(("identifier", "segment"), ESCAPED.items())
def test_an_unshortened_segment_says_its_id_back(identifier: str, segment: str) -> None:
    assert decode_segment(segment) == identifier
    assert not is_shortened(segment)


@pytest.mark.parametrize("segment", NOT_CANONICAL)
def test_what_is_not_canonical_is_refused(segment: str) -> None:
    with pytest.raises(InvalidSegment):
        check_segment(segment)


def test_eighty_chars_are_kept_and_eighty_one_are_shortened() -> None:
    assert encode_segment("x" * MAX_SEGMENT_CHARS) == "x" * MAX_SEGMENT_CHARS
    long = "x" * (MAX_SEGMENT_CHARS + 1)
    assert encode_segment(long) == f"{'x' * 60}=={hashlib.sha256(long.encode()).hexdigest()[:16]}"


def test_escapes_count_in_the_eighty_chars() -> None:
    assert encode_segment("x" * 77 + ".") == "x" * 77 + "=2E"
    assert is_shortened(encode_segment("x" * 78 + "."))


@pytest.mark.parametrize(("plain", "kept"), [(57, 60), (58, 58), (59, 59), (60, 60)])
def test_a_shortened_segment_never_ends_in_half_an_escape(plain: int, kept: int) -> None:
    head, separator, digest = encode_segment("x" * plain + "." * 30).rpartition("==")
    assert separator == "=="
    assert len(digest) == 16
    assert head == ("x" * plain + "=2E")[:kept] if plain < 58 else head == "x" * kept


def test_a_shortened_segment_stands_for_itself() -> None:
    segment = encode_segment("y" * 500)
    assert is_shortened(segment)
    assert decode_segment(segment) == segment


def test_a_shortened_segment_may_end_inside_a_code_point() -> None:
    segment = encode_segment("搜" * 100)
    assert segment.startswith("=E6=90=9C" * 6 + "=E6=90==")
    assert check_segment(segment) == segment


def test_an_unshortened_segment_of_eighty_one_chars_is_refused() -> None:
    with pytest.raises(InvalidSegment):
        check_segment("x" * 81)


@pytest.mark.parametrize(
    "segment",
    [
        f"{'x' * 57}=={HASH}",
        f"{'x' * 61}=={HASH}",
        f"{'=2E' * 20}x=={HASH}",
        f"{'=2E' * 40}=={HASH}",
        f"{'=2E' * 60}=={HASH}",
        f"{'x' * 57}=41=={HASH}",
        f"{'x' * 57}=FF=={HASH}",
        f"{'x' * 57}=2e=={HASH}",
        f"{'x' * 58}=2=={HASH}",
        f"{'x' * 60}=={HASH.upper()}",
        f"{'x' * 60}=={HASH[:15]}",
        f"{'x' * 60}=={HASH}0",
        f"{'x' * 60}==={HASH}",
        f"{'x' * 60}=={HASH}\n",
        f"{'x' * 29}=={'x' * 29}=={HASH}",
    ],
)
def test_a_forged_shortened_form_is_refused(segment: str) -> None:
    with pytest.raises(InvalidSegment):
        check_segment(segment)


@pytest.mark.parametrize("identifier", [f"{'x' * 60}=={HASH}", f"x=={HASH}", "=2E", "=", "x=="])
def test_an_id_that_looks_like_a_segment_is_escaped_like_any_other(identifier: str) -> None:
    segment = encode_segment(identifier)
    assert segment != identifier
    assert is_shortened(segment) or decode_segment(segment) == identifier


def test_the_empty_id_is_the_equals_sign() -> None:
    assert encode_segment("") == EMPTY == "="
    assert decode_segment(EMPTY) == ""


def test_an_id_may_have_4096_bytes_and_not_one_more() -> None:
    assert len(encode_segment("é" * (MAX_ID_BYTES // 2))) <= MAX_SEGMENT_CHARS
    with pytest.raises(InvalidId, match="4096 UTF-8 bytes; this one has 4097"):
        encode_segment("x" * (MAX_ID_BYTES + 1))


def test_an_id_with_a_lone_surrogate_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidId, match="lone surrogate at 2"):
        encode_segment("ab\ud800")
