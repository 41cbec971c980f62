"""Counting a text while it passes, against decoding it whole."""

from hypothesis import given
from hypothesis import strategies as st

from coatcheck_core.encodings import Decoder
from coatcheck_core.lines import count_lines

ENCODINGS = (
    "utf-8",
    "utf-16-le",
    "utf-16-be",
    "utf-32-le",
    "iso8859-1",
    "cp1252",
    "koi8-r",
    "gb18030",
    "cp932",
    "big5",
)
CHARS = st.one_of(
    st.sampled_from("ab\r\n\n ,é€я"), st.sampled_from("中文字いろ😀𝒳\ufeff"), st.characters(codec="utf-8")
)


@given(text=st.text(CHARS, max_size=60), encoding=st.sampled_from(ENCODINGS), data=st.data())
def test_counts_are_those_of_the_whole_however_it_is_fed(text: str, encoding: str, data: st.DataObject) -> None:
    encoded = text.encode(encoding, "ignore")
    whole = encoded.decode(encoding)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(encoded)), max_size=6)))
    decoder = Decoder(encoding)
    for start, end in zip([0, *cuts], [*cuts, len(encoded)], strict=True):
        assert decoder.feed(encoded[start:end])
        fed = encoded[: end - decoder.unfinished]
        assert decoder.chars == len(fed.decode(encoding))
    assert decoder.finish()
    assert (decoder.chars, decoder.lines, decoder.newlines) == (len(whole), count_lines(whole), whole.count("\n"))


@given(encoded=st.binary(max_size=40), encoding=st.sampled_from(ENCODINGS), cut=st.integers(0, 40))
def test_only_what_decodes_whole_is_text(encoded: bytes, encoding: str, cut: int) -> None:
    decoder = Decoder(encoding)
    decoder.feed(encoded[:cut])
    decoder.feed(encoded[cut:])
    try:
        encoded.decode(encoding)
    except UnicodeDecodeError:
        assert not decoder.finish()
    else:
        assert decoder.finish()
