"""Half a surrogate pair in JSON: U+FFFD, and nothing else is changed."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coatcheck_schemas.surrogates import decode_forgiving, replace_lone_surrogates

TEXT = msgspec.json.Decoder(str)
CHARS = st.one_of(st.characters(codec="utf-16", exclude_categories=()), st.sampled_from('\ud83d\ude00\udfff\\"u8'))


@given(st.text(CHARS))
def test_a_json_text_says_the_same_but_for_halves_of_pairs(text: str) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    assert decode_forgiving(TEXT, json.dumps(text).encode()) == units.decode("utf-16-le", "replace")


@pytest.mark.parametrize(
    ("body", "mended", "count"),
    [
        (rb'"\ud83d b"', '"� b"'.encode(), 1),
        (rb'"\ud83d\ud83d\ude00\ude00"', rb'"%b\ud83d\ude00%b"' % ("�".encode(), "�".encode()), 2),
        (rb'"\\ud83d \\\\ud83d \\\ud83d"', rb'"\\ud83d \\\\ud83d \\%b"' % "�".encode(), 1),
        (b'"\xed\xa0\xbd"', '"�"'.encode(), 1),
        (rb'"\ud83d' + b'\0"', rb'"\ud83d' + b'\0"', 0),
    ],
)
def test_only_halves_are_replaced(body: bytes, mended: bytes, count: int) -> None:
    assert replace_lone_surrogates(body) == (mended, count)


@pytest.mark.parametrize("body", [b'"\\ud8', b'"', b"1", b'"a\\ud83d'])
def test_what_is_wrong_besides_is_told_as_the_decoder_tells_it(body: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_forgiving(TEXT, body)
