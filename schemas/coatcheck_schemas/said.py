"""What can be told of a result event that cannot be taken as a whole: each of its names by itself."""

from collections.abc import Mapping

import msgspec

from .errors import InvalidResult
from .results import CE_SPECVERSION, CE_TYPE, Received, decode_result
from .surrogates import decode_forgiving

_NAMES = ("tool_name", "turn_size", "session_id", "turn_id", "call_id")
_BOM = b"\xef\xbb\xbf"
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """Each is None where the event does not give it, or where it is wrong itself.

    An id is as it was given, whether or not it belongs under the event's subject.
    """

    tool_name: str | None = None
    turn_size: int | None = None
    session_id: str | None = None
    turn_id: str | None = None
    call_id: str | None = None


def what_is_said(headers: Mapping[str, str] | None, body: bytes) -> Said:
    """Of an event in either encoding, wrong as it may be; nothing of a body that is no JSON object. Never raises."""
    lowered = {name.lower(): value for name, value in headers.items()} if headers else {}
    said: dict[str, str | int] = {}
    if CE_SPECVERSION in lowered:
        for name in _NAMES:
            if (value := lowered.get(_attribute(name))) is not None:
                said |= _one(name, _binary_of({_attribute(name): value}), b"")
    else:
        fields = _fields(body)
        for name in _NAMES:
            if name in fields:
                said |= _one(name, None, msgspec.json.encode({"tool_name": "", "content": ""} | {name: fields[name]}))
    return msgspec.convert(said, Said)


def _attribute(name: str) -> str:
    return f"ce-{name.replace('_', '')}"


def _binary_of(given: dict[str, str]) -> dict[str, str]:
    return {CE_SPECVERSION: "1.0", "ce-type": CE_TYPE, _attribute("tool_name"): ""} | given


def _one(name: str, headers: dict[str, str] | None, body: bytes) -> dict[str, str | int]:
    """What an event says that gives nothing else, so that nothing else can be wrong with it."""
    try:
        received: Received = decode_result(headers, body)
    except InvalidResult:
        return {}
    value: str | int | None = getattr(received, name)
    return {} if value is None else {name: value}


def _fields(body: bytes) -> dict[str, msgspec.Raw]:
    try:
        return decode_forgiving(_FIELDS, body.removeprefix(_BOM))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
