"""Texts in other encodings than UTF-8: what a stub tells of them is as of the text."""

import hashlib
import json

import msgspec
import pytest

from coatcheck_core.contents import contents_of
from coatcheck_core.encodings import text_size
from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject, render_stub
from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.results import Received
from coatcheck_schemas.synopsis import UnknownFacts

CSV = "Stadt;Land;Größe\n" + "".join(f"Köln {row};Österreich;{row}\n" for row in range(300))
LOG = "".join(f"2026-01-01 10:00:{row % 60:02d} INFO Prüfung {row}\n" for row in range(300)) + "exit code: 3\n"
JSON = json.dumps([{"name": "Jürgen", "city": "Köln", "age": age} for age in range(300)], ensure_ascii=False)
XML = '<?xml version="1.0" encoding="{}"?>\n<läden>' + "<laden>Straße</laden>" * 40 + "</läden>"


@pytest.mark.parametrize("text", [CSV, LOG, JSON, "Grüße an alle. " * 500, XML.format("UTF-16")])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_the_synopsis_of_a_wide_text_is_that_of_the_same_text(text: str, encoding: str) -> None:
    assert synopsize(f"\ufeff{text}".encode(encoding)) == synopsize(f"\ufeff{text}".encode())


@pytest.mark.parametrize("text", [CSV, LOG, JSON])
@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252", "cp437", "mac-roman"])
def test_the_synopsis_of_a_narrow_text_is_that_of_the_same_text(text: str, encoding: str) -> None:
    assert synopsize(text.encode(encoding), f"text/plain; charset={encoding}") == synopsize(text.encode())


def test_xml_is_understood_in_the_encoding_that_it_declares() -> None:
    synopsis = synopsize(XML.format("ISO-8859-1").encode("latin-1"))
    assert synopsis == synopsize(XML.format("UTF-8").encode())
    assert synopsis.kind == "xml"


def test_a_declared_type_that_does_not_hold_is_told_with_the_bytes_that_there_are() -> None:
    data = "\ufeff<a><b></a>".encode("utf-16-le")
    assert synopsize(data, "application/json").facts == UnknownFacts(why="declared_type", bytes=len(data), chars=11)


def test_what_turns_out_not_to_be_text_further_on_is_binary() -> None:
    data = ("words\n" * 100_000).encode("utf-16-le") + b"\x00\xd8\x00\xd8"
    facts = synopsize(b"\xff\xfe" + data).facts
    assert facts == UnknownFacts(why="binary", bytes=len(data) + 2, chars=None)


def test_contents_count_the_chars_of_a_wide_text() -> None:
    contents = contents_of(Received(tool_name="t", data="\ufeffa😀\nb".encode("utf-16-le"), text=None))
    assert (contents.chars, contents.lines, contents.encoding) == (5, 2, "utf-16-le")


def test_utf_16_without_a_mark_is_valid_utf_8_and_yet_no_such_text() -> None:
    data = "plain words\nin two lines".encode("utf-16-le")
    contents = contents_of(Received(tool_name="t", data=data, text=data.decode()))
    assert (contents.chars, contents.lines, contents.encoding) == (24, 2, "utf-16-le")


def stub_of(data: bytes, mime_type: str | None = None, **settings: object) -> str:
    size = text_size(data, mime_type)
    assert size is not None
    subject = StubSubject(
        tool_name="tool",
        ref="coat://s/call",
        sha256=hashlib.sha256(data).hexdigest(),
        reason="binary",
        original_chars=size.chars,
        original_lines=size.lines,
        original_bytes=len(data),
        encoding=size.encoding,
        data=data,
        synopsis=synopsize(data, mime_type),
    )
    return render_stub(subject, msgspec.convert(settings, StubSettings), RetrievalSettings())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_stub_says_the_encoding_and_how_chars_are_read(language: str) -> None:
    stub = stub_of(f"\ufeff{LOG}".encode("utf-16-le"), language=language)
    assert "utf-16-le" in stub
    assert "offset=-4000" in stub
    assert "unit=bytes" not in stub
    assert "exit code: 3" in stub


def test_the_stub_of_a_text_that_has_no_synopsis_shows_both_of_its_ends_as_text() -> None:
    words = "".join(f"Größe {number}\n" for number in range(3000))
    stub = stub_of(f"\ufeff{words}".encode("utf-16-be"), "application/json")
    assert "  Größe 0\n  Größe 1\n" in stub
    assert "Größe 2999" in stub


def test_a_stub_of_lines_shows_those_of_the_text() -> None:
    stub = stub_of(f"\ufeff{LOG}".encode("utf-16-le"), style="lines")
    assert "     1  2026-01-01 10:00:00 INFO Prüfung 0\n" in stub
    assert "of 301 lines" in stub


@pytest.mark.parametrize("encoding", ["gb18030", "cp932", "euc_jp"])
def test_the_end_of_a_multi_byte_text_is_cut_between_chars(encoding: str) -> None:
    data = ("いろはにほへと、" * 2000).encode(encoding)
    subject = StubSubject(
        tool_name="tool",
        ref="coat://s/call",
        sha256="0",
        reason="binary",
        original_chars=16_000,
        original_bytes=len(data),
        encoding=encoding,
        data=data,
        synopsis=synopsize(b""),
    )
    assert subject.head(9) == "いろはにほへと、い"
    assert subject.tail(16_000) == "いろはにほへと、" * 2000
