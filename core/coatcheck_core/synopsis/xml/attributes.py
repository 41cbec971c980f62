"""A start tag's attributes, as they read: namespaces apart, entities decoded."""

import re

import msgspec

from coatcheck_core.synopsis.bounds import clip
from coatcheck_schemas.synopsis import Attribute

from .grammar import ATTRIBUTE, START_TAG

VALUE_CHARS = 120
_NAME_CHARS = 100
_REFERENCE = re.compile(r"&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos));")
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_MOST_CHARS_PER_CHAR = 10
"""A reference such as `&#x10FFFF;` is one char."""


class Attributes(msgspec.Struct, frozen=True):
    """Of one tag: the first of them, and how many there are in all."""

    shown: list[Attribute] = []
    count: int = 0
    namespaces: list[Attribute] = []
    namespace_count: int = 0


def read_attributes(data: bytes, tag_at: int, limit: int) -> Attributes:
    """Up to `limit` of each sort, of the start tag there. A default namespace has the name `xmlns`."""
    start = START_TAG.match(data, tag_at)
    shown: list[Attribute] = []
    namespaces: list[Attribute] = []
    count = namespace_count = 0
    for match in ATTRIBUTE.finditer(data, start.start(2), start.end(2)) if start else ():
        if match[1] == b"xmlns" or match[1].startswith(b"xmlns:"):
            namespace_count += 1
            into = namespaces
        else:
            count += 1
            into = shown
        if len(into) < limit:
            into.append(_attribute(match))
    return Attributes(shown, count, namespaces, namespace_count)


def _attribute(match: re.Match[bytes]) -> Attribute:
    value = match[2] if match[2] is not None else match[3]
    return Attribute(name=shown_name(match[1]), value=shown_text(value, VALUE_CHARS))


def shown_name(name: bytes) -> str:
    return clip(name[: 4 * _NAME_CHARS].decode(errors="ignore"), _NAME_CHARS)


def shown_text(data: bytes, limit: int) -> str:
    """White space folded and references decoded; those to entities stay as they are."""
    start = data[: 4 * _MOST_CHARS_PER_CHAR * limit].decode(errors="ignore")
    return clip(" ".join(_REFERENCE.sub(_decoded, start).split()), limit)


def _decoded(reference: re.Match[str]) -> str:
    if reference[3]:
        return _PREDEFINED[reference[3]]
    code = int(reference[1]) if reference[1] else int(reference[2], 16)
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else reference[0]
