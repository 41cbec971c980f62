"""References, for every session, call and wrapping."""

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_schemas.errors import InvalidRef
from coatcheck_schemas.refs import Ref, parse_ref, result_id, sha256_hex
from coatcheck_schemas.segments import encode_segment

ids = st.text(max_size=60)
wrapping = st.text(st.sampled_from(" \t\n\"'`<>.。，「」《》\u3000"), max_size=4)


@given(ids, ids, st.binary(max_size=20), st.none() | st.integers(0, 999_999), wrapping, wrapping)
@settings(max_examples=100)
def test_every_ref_is_read_back_through_its_wrapping(
    session: str, call: str, content: bytes, part: int | None, before: str, after: str
) -> None:
    ref = Ref(encode_segment(session), result_id(encode_segment(call), sha256_hex(content)), part)
    assert parse_ref(f"{before}{ref}{after}") == ref


@given(st.text(max_size=150) | st.text(st.sampled_from("coat:/s1-0af=."), max_size=150))
@settings(max_examples=120)
def test_any_other_text_is_a_ref_or_an_invalid_ref(text: str) -> None:
    with contextlib.suppress(InvalidRef):
        ref = parse_ref(text)
        assert parse_ref(str(ref)) == ref
