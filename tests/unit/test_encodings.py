"""In which encoding bytes are text, and how they are counted while they pass."""

import codecs
import random

import pytest

from coatcheck_core.encodings import Decoder, as_utf8, canonical, text_encoding
from coatcheck_core.encodings.names import _MULTI, _SINGLE

GERMAN = "Grüße aus Köln: 5 € kosten die Brötchen.\n" * 5
RUSSIAN = "Съешь же ещё этих мягких французских булок.\n" * 5
CHINESE = "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。\n" * 5
JAPANESE = "いろはにほへと、ちりぬるを。\n" * 5
KOREAN = "키스의 고유조건은 입술끼리 만나야 한다.\n" * 5


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_tells_the_encoding_whatever_is_declared(mark: bytes, encoding: str) -> None:
    assert text_encoding(mark + GERMAN.encode(encoding), "text/plain; charset=iso-8859-1") == encoding


@pytest.mark.parametrize(
    ("text", "charset", "encoding"),
    [
        (GERMAN.replace("€", "DM"), "iso-8859-1", "iso8859-1"),
        (GERMAN.replace("€", "DM"), "Latin1", "iso8859-1"),
        (GERMAN, '"windows-1252"', "cp1252"),
        (GERMAN, "iso-8859-15", "iso8859-15"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (RUSSIAN, "windows-1251", "cp1251"),
        (RUSSIAN, "ibm866", "cp866"),
        (RUSSIAN, "macintosh", "mac-roman"),
        (CHINESE, "gb2312", "gb18030"),
        (CHINESE, "GBK", "gb18030"),
        (JAPANESE, "Shift_JIS", "cp932"),
        (JAPANESE, "euc-jp", "euc_jp"),
        (KOREAN, "euc-kr", "cp949"),
        (JAPANESE, "utf-16", "utf-16-le"),
        (GERMAN, "utf-16be", "utf-16-be"),
        (GERMAN, "UTF-32LE", "utf-32-le"),
    ],
)
def test_a_declared_charset_is_believed_of_what_is_text_in_it(text: str, charset: str, encoding: str) -> None:
    data = text.encode("mac-cyrillic" if charset == "macintosh" else encoding)
    assert text_encoding(data, f"text/plain; charset={charset}") == encoding


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", "koi8-r", "gb18030", "utf-16"])
def test_what_is_utf_8_is_that_whatever_is_declared(charset: str) -> None:
    assert text_encoding(GERMAN.encode(), f"text/plain; charset={charset}") == "utf-8"


def test_utf_16_that_is_declared_to_be_so_without_an_order_is_read_in_the_order_in_which_it_is_ascii() -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        assert text_encoding("plain words\n".encode(encoding), "text/plain; charset=utf-16") == encoding


def test_utf_16_without_a_mark_and_a_declaration_is_believed_where_it_is_unmistakable() -> None:
    for encoding in ("utf-16-le", "utf-16-be", "utf-32-le"):
        assert text_encoding("Windows PowerShell\r\nCopyright".encode(encoding), None) == encoding
    assert text_encoding(CHINESE.encode("utf-16-le"), None) is None


def test_names_that_end_in_nuls_are_no_utf_16() -> None:
    assert text_encoding(b"\0".join(b"abcdefghijklmnopqrstuvwxyz"[at : at + 1] for at in range(26)), None) == "utf-8"


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", "cp437", "utf-16", "utf-16-le"])
def test_what_is_binary_by_its_control_characters_stays_so_whatever_is_declared(charset: str) -> None:
    data = random.Random(7).randbytes(5000)
    assert text_encoding(data, f"text/plain; charset={charset}") is None


def test_a_byte_order_mark_before_what_is_no_text_says_nothing() -> None:
    assert text_encoding(codecs.BOM_UTF16_LE + random.Random(7).randbytes(5000), None) is None


@pytest.mark.parametrize(
    "pattern",
    [
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xff\xfe\x01",
        b"\xff\xfe\xfd",
        b"\xff\xfe\x00\x01",
        b"\xff\xfe\x00\x00",
        b"\xff\xfe\xfa\xfb",
    ],
)
def test_bytes_that_happen_to_begin_with_a_mark_are_no_text(pattern: bytes) -> None:
    assert text_encoding(pattern * 600, None) is None


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize(
    "text", [CHINESE, GERMAN, JAPANESE, "😀" * 50, "a", "\ue0b0 ~/src \ue0b0 git status and so on " * 9]
)
def test_a_marked_text_of_any_script_is_one(encoding: str, text: str) -> None:
    assert text_encoding(f"\ufeff{text}".encode(encoding), None) == encoding


def test_single_byte_encodings_are_never_guessed() -> None:
    assert text_encoding(GERMAN.encode("cp1252"), "text/plain") is None
    assert text_encoding(GERMAN.encode("cp1252"), "text/plain; charset=x-unheard-of") is None


@pytest.mark.parametrize(
    "prolog",
    [
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>Grüße</a>',
        "<?xml version='1.0' encoding='latin1' standalone='yes'?><a>Grüße</a>",
        '\n<!DOCTYPE html><html><head><meta charset="iso-8859-1"><title>Grüße</title>',
        '<html><meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1"><title>Grüße</title>',
    ],
)
def test_xml_and_html_declare_their_charset_themselves(prolog: str) -> None:
    assert text_encoding(prolog.encode("latin-1"), None) == "iso8859-1"
    assert text_encoding(prolog.encode(), None) == "utf-8"


def test_the_mime_type_counts_before_what_the_document_declares() -> None:
    document = '<?xml version="1.0" encoding="ISO-8859-1"?><a>булок</a>'.encode("koi8-r")
    assert text_encoding(document, "application/xml; charset=KOI8-R") == "koi8-r"


def test_a_last_char_that_is_cut_does_not_hinder() -> None:
    assert text_encoding(GERMAN.encode() + "ü".encode()[:1], None) == "utf-8"
    assert text_encoding(CHINESE.encode("gb18030")[:31], "text/plain; charset=gbk") == "gb18030"
    assert text_encoding("caf\xe9".encode("latin-1"), "text/plain; charset=latin-1") == "iso8859-1"


@pytest.mark.parametrize(
    "charset",
    ["", "x" * 5000, "idna", "base64", "rot13", "utf-7", "cp037", "ü", "../os", "hex", "unicode_escape", "\0"],
)
def test_what_is_no_encoding_of_texts_is_not_understood(charset: str) -> None:
    assert canonical(charset) is None


def test_every_encoding_is_the_codec_of_its_name_and_ascii_below_128() -> None:
    ascii_bytes = bytes(range(128))
    for name in sorted(_SINGLE | _MULTI):
        assert codecs.lookup(name).name == name == canonical(name)
        assert ascii_bytes.decode(name) == ascii_bytes.decode()


def test_ascii_that_is_declared_to_be_something_narrow_is_utf_8_in_the_end() -> None:
    decoder = Decoder("iso8859-1")
    assert decoder.feed(b"plain\n")
    assert decoder.encoding == "utf-8"
    assert decoder.feed(b"caf\xe9\n")
    assert decoder.encoding == "iso8859-1"


def test_bytes_that_are_no_char_end_the_count() -> None:
    decoder = Decoder("cp1252")
    assert decoder.feed(b"fine")
    assert not decoder.feed(b"not \x81 fine")
    assert not decoder.finish()


def test_half_a_char_at_the_end_is_no_text() -> None:
    decoder = Decoder("utf-16-le")
    assert decoder.feed("a😀".encode("utf-16-le")[:-1])
    assert (decoder.chars, decoder.unfinished) == (1, 3)
    assert not decoder.finish()


def test_a_lone_surrogate_is_no_text() -> None:
    assert not Decoder("utf-16-le").feed(b"a\0\x00\xd8b\0")


def test_recoding_steps_before_each_block_and_keeps_every_char() -> None:
    steps: list[None] = []
    text = "Größe\n" * 100_000
    assert as_utf8(text.encode("utf-16-be"), "utf-16-be", lambda: steps.append(None)) == text.encode()
    assert len(steps) > 5


def test_recoding_a_cut_text_leaves_its_unfinished_char_out() -> None:
    assert as_utf8("a😀".encode("utf-16-le")[:-2], "utf-16-le", is_cut=True) == b"a"
    with pytest.raises(UnicodeDecodeError):
        as_utf8("a😀".encode("utf-16-le")[:-2], "utf-16-le")
