"""Lone surrogates in JSON, which writers leave where they cut a text within a char; strict parsers refuse them."""

import re
from typing import Protocol, TypeVar

import msgspec

_T_co = TypeVar("_T_co", covariant=True)
_HIGH, _LOW = rb"\\u[dD][89abAB][0-9a-fA-F]{2}", rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_LONE = re.compile(rb"%b(?!%b)|(?<!%b)%b|\xed[\xa0-\xbf][\x80-\xbf]" % (_HIGH, _LOW, _HIGH, _LOW))
# `\\ud800` is a backslash and five chars. No JSON has a byte 0, so it can stand for the backslash meanwhile.
_BACKSLASH, _STAND_IN = b"\\\\", b"\0\0"


class _Decoder(Protocol[_T_co]):
    def decode(self, buf: bytes | msgspec.Raw, /) -> _T_co: ...


def replace_lone_surrogates(body: bytes) -> tuple[bytes, int]:
    """JSON with each lone surrogate as U+FFFD, and how many there were; in linear time; what is no JSON may stay."""
    if _STAND_IN[:1] in body:
        return body, 0
    mended, count = _LONE.subn(b"\xef\xbf\xbd", body.replace(_BACKSLASH, _STAND_IN))
    return mended.replace(_STAND_IN, _BACKSLASH), count


def decode_forgiving(decoder: _Decoder[_T_co], body: bytes | msgspec.Raw) -> _T_co:
    """What the body says, with U+FFFD for each lone surrogate. Raises as the decoder does, of the body as it came."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        mended, count = replace_lone_surrogates(bytes(body))
        if not count:
            raise
        return decoder.decode(mended)
