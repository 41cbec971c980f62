"""What a medium is, by its bytes: their hash, and their type. A declared MIME type that they contradict loses."""

import re

import msgspec

from coatcheck_core.encodings import text_encoding
from coatcheck_core.magic import NAMED_TYPES, Magic, magic_of
from coatcheck_core.stub.escaping import one_line
from coatcheck_schemas.blocks import Block
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.results import Received

MAX_TYPE_CHARS = 255
_MAX_WARNINGS = 20
_SHOWN_CHARS = 100
_HEAD_BYTES = 64 * 1024
_ANY_BYTES = "application/octet-stream"
_TEXT, _HTML, _SVG = "text/plain", "text/html", "image/svg+xml"
_MEDIA = ("image/", "audio/", "video/", "font/")
_NAME = r"[A-Za-z0-9!#$&^_.+-]+"
_MIME_TYPE = re.compile(rf"{_NAME}/{_NAME}(?: *;[ -~]*)?")
_MARKUP_BYTES = 1024
_SVG_ROOT = re.compile(rb"<svg[\s>]")
_HTML_START = re.compile(rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)


def with_identified_media(received: Received) -> Received:
    """The result with each medium's hash and its type as the bytes say; what was declared otherwise is told in the
    warnings.
    """
    if not received.blocks or all(block.data is None for block in received.blocks):
        return received
    blocks = [_identified(block) for block in received.blocks]
    told = [
        f"block {index} was declared {one_line(before.mime_type[:_SHOWN_CHARS])}, its bytes are {after.mime_type}"
        for index, (before, after) in enumerate(zip(received.blocks, blocks, strict=True))
        if before.mime_type is not None and before.mime_type != after.mime_type and not _is_any(before.mime_type)
    ]
    if len(told) > _MAX_WARNINGS:
        told = [*told[:_MAX_WARNINGS], f"and {len(told) - _MAX_WARNINGS} more blocks declared otherwise"]
    return msgspec.structs.replace(received, blocks=blocks, warnings=[*received.warnings, *told])


def media_type(data: bytes, declared: str | None) -> str | None:
    """The MIME type of bytes: as declared where they do not contradict it, None where nothing says what they are."""
    if declared is not None and (len(declared) > MAX_TYPE_CHARS or _MIME_TYPE.fullmatch(declared) is None):
        declared = None
    if not data:
        return declared
    found = magic_of(data)
    if found is not None and found.mime_types:
        return declared if declared is not None and _may_be(found, _essence(declared)) else found.mime_types[0]
    if text_encoding(data[:_HEAD_BYTES], declared) is None:
        return declared
    return _text_type(data, declared)


def _identified(block: Block) -> Block:
    """A link's bytes are its own JSON, whatever it points at."""
    if block.data is None:
        return block
    block = msgspec.structs.replace(block, sha256=sha256_hex(block.data))
    found = block.mime_type if block.type == "resource_link" else media_type(block.data or b"", block.mime_type)
    if found == block.mime_type:
        return block
    fields = block.fields or msgspec.json.encode(_said(block))
    return msgspec.structs.replace(block, mime_type=found, fields=fields)


def _said(block: Block) -> dict[str, str | None]:
    """The fields of a block that has no more than its struct says."""
    said: dict[str, str | None] = {"type": block.type, "data": None}
    return said if block.mime_type is None else said | {"mimeType": block.mime_type}


def _may_be(found: Magic, declared: str) -> bool:
    if declared in found.mime_types:
        return True
    is_outside = declared.startswith(("application/", "image/x-"))
    return found.holds and is_outside and declared not in NAMED_TYPES and not _is_any(declared)


def _text_type(data: bytes, declared: str | None) -> str:
    """Of text; markup is told apart only where nothing better is declared."""
    head = data[:_MARKUP_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")
    is_markup = head.startswith(b"<")
    essence = None if declared is None else _essence(declared)
    if declared is not None and ((essence == _SVG and is_markup) or not _is_no_text(essence or "")):
        return declared
    if is_markup and _SVG_ROOT.search(head):
        return _SVG
    return _HTML if _HTML_START.match(head) else _TEXT


def _is_no_text(essence: str) -> bool:
    return essence.startswith(_MEDIA) or essence in NAMED_TYPES or _is_any(essence)


def _is_any(declared: str) -> bool:
    """Whether it says no more than that there are bytes."""
    return _essence(declared) == _ANY_BYTES


def _essence(declared: str) -> str:
    return declared.partition(";")[0].strip().lower()
