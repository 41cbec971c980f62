"""References: strict in what is written, forgiving in how a model copies them."""

import hashlib

import pytest

from coatcheck_schemas.errors import InvalidRef
from coatcheck_schemas.refs import Ref, check_result_id, failed_id, parse_ref, result_id, sha256_hex
from coatcheck_schemas.segments import encode_segment

DIGEST = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
RESULT_ID = f"call_1-{DIGEST}"
REF = f"coat://s1/{RESULT_ID}"


def test_a_result_id_is_the_call_and_half_of_the_hash() -> None:
    sha256 = sha256_hex(b"abc")
    assert sha256 == hashlib.sha256(b"abc").hexdigest()
    assert result_id("call_1", sha256) == f"call_1-{sha256[:32]}"


def test_another_content_of_the_same_call_has_another_result_id() -> None:
    assert result_id("list_dir=3A0", sha256_hex(b"one")) != result_id("list_dir=3A0", sha256_hex(b"two"))


def test_the_result_id_of_a_huge_call_id_is_short() -> None:
    segment = encode_segment("call_1__thought__" + "A" * 1400)
    assert len(str(Ref("s1", result_id(segment, sha256_hex(b""))))) <= 200


def test_a_failed_stub_has_an_id_that_no_result_has() -> None:
    assert failed_id("call_1") == "call_1-failed"
    with pytest.raises(InvalidRef):
        check_result_id("call_1-failed")


@pytest.mark.parametrize(
    "ref",
    [
        Ref("s1", RESULT_ID),
        Ref("=", f"=-{DIGEST}"),
        Ref("a=2Eb", f"list_dir=3A0-{DIGEST}", 3),
        Ref(None, RESULT_ID),
        Ref(None, RESULT_ID, 0),
    ],
)
def test_a_ref_reads_back_as_it_was_written(ref: Ref) -> None:
    assert parse_ref(str(ref)) == ref


@pytest.mark.parametrize(
    "written",
    [
        f" {REF} ",
        f'"{REF}"',
        f"'{REF}'.",
        f"`{REF}`",
        f"“{REF}”.",
        f"<{REF}>",
        f"({REF}),",
        f"**{REF}**:",
        f"\u3000{REF}。",
        f"「{REF}」，",
        f"《{REF}》；",
        f"（{REF}）、",
        f"『{REF}』：",
        f"{REF}.",
        f"\n{REF}\r\n",
        f'"{REF}." ',
    ],
)
def test_quotes_blanks_and_a_full_stop_around_a_ref_are_forgiven(written: str) -> None:
    assert parse_ref(written) == Ref("s1", RESULT_ID)


@pytest.mark.parametrize("written", [RESULT_ID, f"`{RESULT_ID}`.", f"{RESULT_ID}\n"])
def test_a_bare_result_id_belongs_to_whoever_asks(written: str) -> None:
    assert parse_ref(written) == Ref(None, RESULT_ID)


def test_a_part_is_a_number_after_the_ref() -> None:
    assert parse_ref(f"{REF}/12").part == 12
    assert parse_ref(f"{RESULT_ID}/0") == Ref(None, RESULT_ID, 0)


@pytest.mark.parametrize(
    "written",
    [
        "",
        " ",
        "coat://",
        "coat://s1",
        "coat://s1/",
        "coat://s1/x",
        "coat:///" + RESULT_ID,
        f"coat://*/{RESULT_ID}",
        f"coat://a.b/{RESULT_ID}",
        f"coat://=41/{RESULT_ID}",
        f"coat://s1/../{RESULT_ID}",
        f"coat://s1/{RESULT_ID}/",
        f"coat://s1/{RESULT_ID}/01",
        f"coat://s1/{RESULT_ID}/-1",
        f"coat://s1/{RESULT_ID}/1/2",
        f"coat://s1/{RESULT_ID}/9999999",
        f"coat://s1/{RESULT_ID}/metadata.json",
        f"s1/{RESULT_ID}",
        f"http://s1/{RESULT_ID}",
        f"COAT://s1/{RESULT_ID}",
        RESULT_ID.upper(),
        RESULT_ID[:-1],
        f"-{DIGEST}",
        f"a.b-{DIGEST}",
        f"{'x' * 81}-{DIGEST}",
        f"x\n-{DIGEST}",
        f"{REF}\x00",
        "coat://s1/call_1-failed",
        "x" * 100_000,
        "/" * 100_000,
    ],
)
def test_a_malformed_ref_is_refused_and_not_quoted_at_length(written: str) -> None:
    with pytest.raises(InvalidRef) as caught:
        parse_ref(written)
    assert len(str(caught.value)) < 1500
