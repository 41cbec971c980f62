"""A result as a message: the binary encoding where it can be, JSON where it must be.

What does not fit one message is opened by an event without content, always JSON; its content follows in pieces.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict
from uuid import uuid4

import msgspec

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_schemas.results import decode_result, encode_binary
from coatcheck_schemas.segments import check_segment, encode_segment
from coatcheck_schemas.subjects import CallAddress
from coatcheck_schemas.times import format_time

from .message_ids import new_message_id
from .tracing import trace_headers
from .twins import Twin, twin_of

SOURCE = "urn:coatcheck:client"
MESSAGE_ID_HEADER = "Nats-Msg-Id"

Content = str | bytes | Sequence[Mapping[str, Any]]
"""A text, bytes of any kind, or a list of MCP content blocks."""

_ATTRIBUTES = {
    "turn_size": "turnsize",
    "is_error": "iserror",
    "message_id": "messageid",
    "agent_id": "agentid",
    "produced_at": "time",
    "session_id": "sessionid",
    "turn_id": "turnid",
    "call_id": "callid",
    "source_ref": "sourceref",
    "retrieval": "retrieval",
}
"""The event's fields, and the CloudEvents attributes that carry them; what is not here travels in JSON only."""

_JSON_ONLY = ("arguments", "structured_content")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_PRINTABLE = re.compile(r"[^ -~]")


class Segment(str):
    """A session as it stands in a reference, where its id is not known: a shortened segment does not say it back."""

    __slots__ = ()


class CallFields(TypedDict, total=False):
    """What a result of a turn may bear besides its tool's name; "A result event" in the contract has the meanings.

    `call` is an id of any shape: without it one is made up.
    """

    call: str | None
    mime_type: str | None
    is_error: bool | None
    message_id: str | None
    agent_id: str | None
    produced_at: datetime | str | None
    arguments: Any
    structured_content: Any
    source_ref: str | None
    retrieval: bool | None


class ResultFields(CallFields, total=False):
    """What any result may bear.

    `turn` is an id of any shape: without it the result belongs to no turn. `turn_size` is how many results the turn
    will have, where that is known: then they are decided together, once all have arrived.
    """

    turn: str | None
    turn_size: int | None


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A result ready to be sent, and what it will be known by."""

    at: CallAddress
    call_id: str
    message_id: str
    result_id: str
    twin: Twin | None = None
    headers: dict[str, str]
    body: bytes


def session_segment(session: str) -> str:
    """The segment of a session's id, or the given `Segment`; raises InvalidInput."""
    return check_segment(str(session)) if isinstance(session, Segment) else encode_segment(session)


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """A result without its content: where it goes, and the event's fields under their names on the wire."""

    at: CallAddress
    call_id: str
    message_id: str
    event: dict[str, Any]


def describe(session: str, tool_name: str, fields: ResultFields) -> Envelope:
    """Each call makes a message id of its own: what is sent again must bear the same.

    Raises InvalidInput, and TypeError for a keyword that no result has: nothing that was meant is left out unseen.
    """
    _check_names(fields)
    check_whole(fields.get("turn_size"), "turn_size")
    call = fields.get("call")
    call_id = uuid4().hex if call is None else call
    turn_id = fields.get("turn")
    at = CallAddress(session_segment(session), encode_segment(turn_id or ""), encode_segment(call_id))
    event = _event(tool_name, fields, call_id, None if isinstance(session, Segment) else session)
    return Envelope(at=at, call_id=call_id, message_id=new_message_id(), event=event)


def encode_result(session: str, content: Content, tool_name: str, fields: ResultFields) -> Outgoing:
    """The message of a result whose content is all there; raises as `describe` and `encode_whole` do."""
    return encode_whole(describe(session, tool_name, fields), content)


def encode_whole(envelope: Envelope, content: Content) -> Outgoing:
    """The message that bears the content.

    It is decoded as a worker decodes it, so that what a worker would refuse is refused here: raises InvalidInput that
    says what is wrong and where.
    """
    headers, body = _encode(content, envelope.event, envelope.message_id)
    headers |= {MESSAGE_ID_HEADER: envelope.message_id, **trace_headers()}
    received = decode_result(headers, body)
    return Outgoing(
        at=envelope.at,
        call_id=envelope.call_id,
        message_id=envelope.message_id,
        result_id=result_id(envelope.at.call, sha256_hex(received.data)),
        twin=twin_of(envelope.at.call, received),
        headers=headers,
        body=body,
    )


def encode_opening(envelope: Envelope, upload: str, **more: Any) -> tuple[dict[str, str], bytes]:
    """Headers and body of the event whose content comes under `upload`; `more` are further fields of it.

    Raises InvalidInput as `encode_whole` does.
    """
    headers = {MESSAGE_ID_HEADER: envelope.message_id, **trace_headers()}
    body = _json({**envelope.event, **more, "upload": upload})
    decode_result(headers, body)
    return headers, body


def encode_blocks(blocks: Sequence[Mapping[str, Any]]) -> bytes:
    """A list of content blocks by itself, as the pieces of one that no message carries. Raises InvalidInput."""
    return _json(_blocks(blocks))


def needs_json(envelope: Envelope) -> bool:
    """Whether the event has what only JSON carries: then bytes that are not UTF-8 cannot stand beside it."""
    return any(name in envelope.event for name in _JSON_ONLY)


def to_utf8(text: str) -> bytes:
    """A text's bytes; a lone surrogate becomes U+FFFD, as a worker reads it in JSON."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _unicode(text).encode()


def check_whole(size: object, name: str) -> None:
    """Raises InvalidInput for a number of results that is none: a worker would take it as not said."""
    if size is not None and (not isinstance(size, int) or isinstance(size, bool)):
        raise InvalidInput(f"{name} is a whole number, not {size!r}")


def _check_names(fields: ResultFields) -> None:
    for name in fields:
        if name not in ResultFields.__optional_keys__:
            meant = name.removesuffix("_id")
            others = [meant] if meant in ResultFields.__optional_keys__ else sorted(ResultFields.__optional_keys__)
            raise TypeError(f"a result has no keyword {name!r}; what it may have: {', '.join(others)}")


def _event(tool_name: str, fields: ResultFields, call_id: str, session: str | None) -> dict[str, Any]:
    """The event's fields that are there, under their names on the wire, but for the content."""
    event: dict[str, Any] = {"tool_name": tool_name, "session_id": session, "call_id": call_id}
    event |= {"turn_id": fields.get("turn"), **fields}
    event.pop("turn", None)
    event.pop("call", None)
    event["call_id"] = call_id
    produced_at = event.get("produced_at")
    if isinstance(produced_at, datetime):
        try:
            event["produced_at"] = format_time(produced_at)
        except ValueError as error:
            raise InvalidInput(f"produced_at: {error}") from None
    return {name: value for name, value in event.items() if value is not None}


def _encode(content: Content, event: dict[str, Any], message_id: str) -> tuple[dict[str, str], bytes]:
    json_only = [name for name in _JSON_ONLY if name in event]
    if isinstance(content, (bytes, bytearray, memoryview)):
        data = bytes(content)
        if not json_only:
            return _binary(data, event, message_id)
        try:
            return {}, _json({**event, "content": data.decode()})
        except UnicodeDecodeError:
            raise InvalidInput(f"bytes that are not UTF-8 cannot go with {' and '.join(json_only)}: leave it") from None
    if not isinstance(content, str):
        return {}, _json({**event, "content": _blocks(content)})
    if json_only or _SURROGATE.search(content):
        return {}, _json({**event, "content": content})
    return _binary(content.encode(), event, message_id)


def _blocks(content: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    try:
        return list(content)
    except TypeError:
        kind = type(content).__name__
        raise InvalidInput(f"content is a text, bytes, or a list of content blocks, not {kind}") from None


def _binary(data: bytes, event: dict[str, Any], message_id: str) -> tuple[dict[str, str], bytes]:
    attributes = {_ATTRIBUTES[name]: _attribute(value) for name, value in event.items() if name in _ATTRIBUTES}
    mime_type = event.get("mime_type")
    return encode_binary(
        data,
        tool_name=_unicode(event["tool_name"]),
        event_id=message_id,
        source=SOURCE,
        # A hint, and the one header that is not percent-encoded.
        content_type=_NOT_PRINTABLE.sub("?", mime_type) if mime_type else None,
        **attributes,
    )


def _attribute(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _unicode(str(value))


def _unicode(text: str) -> str:
    """Lone surrogates as U+FFFD, as a worker reads them in JSON."""
    return _SURROGATE.sub("\ufffd", text)


def _json(event: dict[str, Any] | list[Mapping[str, Any]]) -> bytes:
    """By the standard library: msgspec turns a NaN into null silently, and refuses a lone surrogate."""
    try:
        text = json.dumps(event, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        if _SURROGATE.search(text):
            text = json.dumps(event, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the result cannot be sent as JSON: {error}") from None
    except RecursionError:
        raise InvalidInput("the result cannot be sent as JSON: it nests too deep") from None
    return text.encode()
