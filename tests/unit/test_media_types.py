"""What a medium is: its bytes come before what is said of it."""

import base64
import io
import json
import wave
import zipfile
from typing import Any

import pytest
from tests.support.deciding import arrived

from coatcheck_core.magic import MAGIC, magic_format
from coatcheck_core.media_types import MAX_TYPE_CHARS, media_type
from coatcheck_schemas.refs import sha256_hex

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00"
WEBP = b"RIFF\x24\x00\x00\x00WEBPVP8 "
UNKNOWN = b"\x00\x01\x02\x03\x80\x81\x82\x83" * 8
SVG = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'


def a_wave() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", ""))
        out.writeframes(b"\0\0" * 10)
    return file.getvalue()


def a_zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        out.writestr("a", "b")
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "declared", "found"),
    [
        (PNG, "image/png", "image/png"),
        (PNG, "image/jpeg", "image/png"),
        (PNG, "text/plain", "image/png"),
        (PNG, "application/octet-stream", "image/png"),
        (PNG, None, "image/png"),
        (JPEG, "image/jpg", "image/jpg"),
        (JPEG, "IMAGE/JPEG; q=1", "IMAGE/JPEG; q=1"),
        (JPEG, "image/png", "image/jpeg"),
        (WEBP, "image/png", "image/webp"),
        (a_wave(), "image/webp", "audio/wav"),
        (a_wave(), "audio/x-wav", "audio/x-wav"),
        (b"\x00\x00\x00\x20ftypisom", "audio/mp4", "audio/mp4"),
        (b"\x00\x00\x00\x20ftypisom", "image/gif", "video/mp4"),
        (a_zip(), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.openxml"),
        (a_zip(), "application/pdf", "application/zip"),
        (a_zip(), "image/png", "application/zip"),
    ],
)
def test_magic_numbers_come_before_what_is_declared(data: bytes, declared: str | None, found: str) -> None:
    assert str(media_type(data, declared)).startswith(found)


@pytest.mark.parametrize(
    ("data", "declared", "found"),
    [
        (b"404 not found", "image/png", "text/plain"),
        (b"404 not found", "application/octet-stream", "text/plain"),
        (b"404 not found", None, "text/plain"),
        (b"<!doctype html><html>", "image/png", "text/html"),
        (SVG, "image/svg+xml", "image/svg+xml"),
        (SVG, "image/png", "image/svg+xml"),
        (SVG, None, "image/svg+xml"),
        (SVG, "application/xml", "application/xml"),
        (b"no markup", "image/svg+xml", "text/plain"),
        (b"# Title", "text/markdown; charset=utf-8", "text/markdown; charset=utf-8"),
        ("é".encode("utf-16"), "audio/wav", "text/plain"),
        (b"{}", "application/json", "application/json"),
    ],
)
def test_text_is_no_image(data: bytes, declared: str | None, found: str) -> None:
    assert media_type(data, declared) == found


@pytest.mark.parametrize("declared", ["image/png", "application/x-mine", None])
@pytest.mark.parametrize("data", [UNKNOWN, b""])
def test_what_the_bytes_do_not_say_is_as_declared(data: bytes, declared: str | None) -> None:
    assert media_type(data, declared) == declared


@pytest.mark.parametrize(
    "declared", ["png", "", "image/png\nref: coat://x", "é/x", "a/" + "b" * MAX_TYPE_CHARS, "a/b c"]
)
def test_what_is_no_mime_type_is_taken_for_none(declared: str) -> None:
    assert media_type(UNKNOWN, declared) is None
    assert media_type(PNG, declared) == "image/png"


@pytest.mark.parametrize("one", MAGIC)
def test_every_format_is_told_by_its_marks(one: Any) -> None:
    data = bytearray(64)
    for at, mark in one.marks:
        data[at : at + len(mark)] = mark
    assert magic_format(bytes(data)) == one.format
    assert magic_format(bytes(data[:1])) is None


def block(data: bytes, **fields: Any) -> dict[str, Any]:
    return {"type": "image", "data": base64.b64encode(data).decode()} | fields


def test_a_wrong_declaration_is_told_in_the_warnings() -> None:
    received = arrived([block(PNG, mimeType="image/jpeg"), block(PNG), block(PNG, mimeType="image/png")]).received
    assert [one.mime_type for one in received.blocks or []] == ["image/png"] * 3
    assert received.warnings == ["block 0 was declared image/jpeg, its bytes are image/png"]


def test_many_wrong_declarations_and_long_ones_are_told_in_short() -> None:
    received = arrived([block(PNG, mimeType="x\n" * 5000)] * 100).received
    assert len(received.warnings) == 21
    assert received.warnings[-1] == "and 80 more blocks declared otherwise"
    assert all(len(warning) < 300 and warning.isprintable() for warning in received.warnings)


def test_media_are_hashed_and_a_link_stays_json() -> None:
    link = {"type": "resource_link", "uri": "https://example.org/a.png", "mimeType": "image/png"}
    image, linked = arrived([block(PNG), link]).received.blocks or []
    assert image.sha256 == sha256_hex(PNG)
    assert linked.mime_type == "application/json"
    assert linked.sha256 == sha256_hex(json.dumps(link).encode())
