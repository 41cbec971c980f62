"""A result event in its two encodings: JSON, and CloudEvents 1.0 in NATS binary mode."""

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

import msgspec

from .blocks import Block, joined_text, read_blocks, split_blocks
from .errors import InvalidResult, InvalidSegment
from .events import MAX_TURN_SIZE, MIN_TURN_SIZE, ToolResult, TurnEnd
from .segments import check_segment
from .surrogates import decode_forgiving, replace_lone_surrogates

CE_SPECVERSION = "ce-specversion"
CE_TYPE = "dev.coatcheck.tool_result.v1"
CONTENT_TYPE = "content-type"

_NUMBER_CHARS = 20
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
"""Of a longer number the start tells enough: it is out of every range here, and Python refuses 5,000 digits."""
_WHOLE_NUMBER = re.compile(r"(-?[0-9]+)(?:\.0+)?")
_BOM = b"\xef\xbb\xbf"


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """A result as it was received, from either encoding.

    `data` is the original's bytes; `text` the same as text, or None where they are not UTF-8. `blocks` is None where
    the content came as one text. An id is None where the body or the headers do not give it. With an `upload` there is
    no content yet: `data` is empty; with `is_blocks` it will be a list of blocks (`with_blocks`). `incomplete` and
    `error` say that the producer gave up, and why.
    """

    tool_name: str
    data: bytes
    text: str | None
    blocks: list[Block] | None = None
    structured_content: bytes | None = None
    turn_size: int | None = None
    mime_type: str | None = None
    is_error: bool = False
    message_id: str | None = None
    agent_id: str | None = None
    produced_at: str | None = None
    session_id: str | None = None
    turn_id: str | None = None
    call_id: str | None = None
    source_ref: str | None = None
    retrieval: bool = True
    upload: str | None = None
    is_blocks: bool = False
    incomplete: bool = False
    error: str | None = None
    replaced_surrogates: int = 0
    warnings: list[str] = []


class _AnyResult(ToolResult, frozen=True, kw_only=True):
    """A result as it is read: a wrong `turn_size` costs nobody the result."""

    turn_size: msgspec.Raw = msgspec.Raw()  # type: ignore[assignment]


class _AnyTurnEnd(TurnEnd, frozen=True, kw_only=True):
    turn_size: msgspec.Raw = msgspec.Raw()  # type: ignore[assignment]


_RESULT_DECODER = msgspec.json.Decoder(_AnyResult)
_TURN_END_DECODER = msgspec.json.Decoder(_AnyTurnEnd)


def decode_result(headers: Mapping[str, str] | None, body: bytes) -> Received:
    """The result that a message on `coat.results.>` carries; raises InvalidResult that says what is wrong and where."""
    lowered = {name.lower(): value for name, value in headers.items()} if headers else {}
    if CE_SPECVERSION in lowered:
        return _decode_binary(lowered, body)
    return _decode_json(body)


def encode_binary(
    data: bytes, *, tool_name: str, event_id: str, source: str, content_type: str | None = None, **attributes: str
) -> tuple[dict[str, str], bytes]:
    """Headers and body of the binary encoding. `attributes` are extension attributes without `ce-`, as `turnsize`."""
    headers = {
        CE_SPECVERSION: "1.0",
        "ce-type": CE_TYPE,
        "ce-id": _percent(event_id),
        "ce-source": _percent(source),
        "ce-toolname": _percent(tool_name),
    }
    if content_type:
        headers[CONTENT_TYPE] = content_type
    headers |= {f"ce-{name}": _percent(value) for name, value in attributes.items()}
    return headers, data


def _decode_json(body: bytes) -> Received:
    body = body.removeprefix(_BOM)
    if not body.strip():
        raise InvalidResult("empty_body", "the body is empty; publish a JSON object with tool_name and content")
    replaced = 0
    try:
        event = _parse(body)
    except InvalidResult:
        body, replaced = replace_lone_surrogates(body)
        if not replaced:
            raise
        event = _parse(body)
    _check_upload(event)
    blocks = None
    text: str | None
    if event.content is None:
        text = None
    elif isinstance(event.content, str):
        text = event.content
    else:
        blocks = read_blocks(event.content, "$.content")
        text = joined_text(blocks)
    turn_size, warnings = _raw_turn_size(event.turn_size)
    structured = bytes(event.structured_content)
    return Received(
        tool_name=event.tool_name,
        data=b"" if text is None else text.encode(),
        text=text,
        blocks=blocks,
        structured_content=structured if structured not in (b"", b"null") else None,
        turn_size=turn_size,
        mime_type=event.mime_type,
        is_error=bool(event.is_error),
        message_id=event.message_id,
        agent_id=event.agent_id,
        produced_at=event.produced_at,
        session_id=event.session_id,
        turn_id=event.turn_id,
        call_id=event.call_id,
        source_ref=event.source_ref,
        retrieval=event.retrieval is not False,
        upload=event.upload,
        is_blocks=event.blocks is True,
        replaced_surrogates=replaced,
        warnings=warnings,
    )


def with_blocks(received: Received, document: bytes) -> Received:
    """The result that an event opened whose pieces, joined, are a JSON list of content blocks: as if it had come at
    once. Raises InvalidResult.

    Takes memory of up to three times the list's bytes beside it, four times that where texts have chars beyond U+FFFF.
    """
    document, replaced = document.removeprefix(_BOM), 0
    try:
        raws = split_blocks(document)
    except InvalidResult as error:
        if error.reason != "invalid_json":
            raise
        document, replaced = replace_lone_surrogates(document)
        if not replaced:
            raise
        raws = split_blocks(document)
    blocks = read_blocks(raws, "$")
    text = joined_text(blocks)
    return msgspec.structs.replace(
        received,
        data=text.encode(),
        text=text,
        blocks=blocks,
        upload=None,
        is_blocks=False,
        replaced_surrogates=received.replaced_surrogates + replaced,
    )


def _check_upload(event: _AnyResult) -> None:
    """Content comes here or by an upload, never both."""
    if event.upload is None:
        if event.blocks:
            raise InvalidResult(
                "invalid_field", "blocks says what the pieces of an upload are: name the upload, or leave it out"
            )
        if event.content is None:
            raise InvalidResult(
                "invalid_field", "content is missing: a text, or a list of MCP content blocks; or an upload"
            )
        return
    if event.content is not None:
        raise InvalidResult("invalid_field", "content and upload exclude each other: leave one out")
    try:
        check_segment(event.upload)
    except InvalidSegment as error:
        raise InvalidResult("invalid_field", f"upload: {error}") from None


def _parse(body: bytes) -> _AnyResult:
    try:
        body.decode()  # msgspec skips what stays raw without a look at its bytes
        return _RESULT_DECODER.decode(body)
    except msgspec.ValidationError as error:
        raise InvalidResult("invalid_field", f"a field is wrong: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidResult("invalid_json", f"the body is not JSON: {error}") from None
    except RecursionError:
        raise InvalidResult("invalid_json", "the body nests too deep to be read") from None


def decode_turn_end(body: bytes) -> tuple[TurnEnd, list[str]]:
    """The end of a turn, and what of it was ignored. An empty body is `{}`. Raises InvalidResult."""
    try:
        end = decode_forgiving(_TURN_END_DECODER, body or b"{}")
    except msgspec.ValidationError as error:
        raise InvalidResult("invalid_field", f"the end of a turn: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidResult("invalid_json", f"the end of a turn is a JSON object: {error}") from None
    turn_size, warnings = _raw_turn_size(end.turn_size)
    return TurnEnd(turn_size=turn_size, session_id=end.session_id, turn_id=end.turn_id), warnings


def _raw_turn_size(raw: msgspec.Raw) -> tuple[int | None, list[str]]:
    value = bytes(raw)
    return _turn_size(None if value in (b"", b"null") else value.decode(errors="replace"))


def _turn_size(value: str | None) -> tuple[int | None, list[str]]:
    """The size that is written there, or None and a warning where it is none that a turn has."""
    if value is None:
        return None, []
    whole = _WHOLE_NUMBER.fullmatch(value)
    size = int(whole[1][:_NUMBER_CHARS]) if whole else 0
    if MIN_TURN_SIZE <= size <= MAX_TURN_SIZE:
        return size, []
    shown = value[:_NUMBER_CHARS] if whole else repr(value[:_NUMBER_CHARS])
    return None, [f"turn_size {shown} is outside {MIN_TURN_SIZE}..{MAX_TURN_SIZE} and was ignored"]


def _decode_binary(headers: dict[str, str], body: bytes) -> Received:
    if _header(headers, "specversion") != "1.0":
        raise InvalidResult("invalid_header", f"ce-specversion must be 1.0, not {headers[CE_SPECVERSION][:80]!r}")
    if _header(headers, "type") != CE_TYPE:
        raise InvalidResult("invalid_header", f"ce-type must be {CE_TYPE}, not {headers.get('ce-type', '')[:80]!r}")
    tool_name = _header(headers, "toolname")
    if tool_name is None:
        raise InvalidResult("invalid_header", "ce-toolname is missing")
    turn_size, warnings = _turn_size(_header(headers, "turnsize"))
    try:
        text: str | None = body.decode()
    except UnicodeDecodeError:
        text = None
    return Received(
        tool_name=tool_name,
        data=body,
        text=text,
        turn_size=turn_size,
        mime_type=headers.get(CONTENT_TYPE) or None,
        is_error=_boolean(headers, "iserror", default=False),
        message_id=_header(headers, "messageid"),
        agent_id=_header(headers, "agentid"),
        produced_at=_header(headers, "time"),
        session_id=_header(headers, "sessionid"),
        turn_id=_header(headers, "turnid"),
        call_id=_header(headers, "callid"),
        source_ref=_header(headers, "sourceref"),
        retrieval=_boolean(headers, "retrieval", default=True),
        warnings=warnings,
    )


def _header(headers: dict[str, str], attribute: str) -> str | None:
    """Quotes go before the percent-encoding: the CloudEvents binding for NATS, 3.1.3.2, "Decoding"."""
    value = headers.get(f"ce-{attribute}")
    if value is None:
        return None
    if _QUOTED.fullmatch(value):
        value = _ESCAPED.sub(r"\1", value[1:-1])
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise InvalidResult("invalid_header", f"ce-{attribute} is not percent-encoded UTF-8") from None


def _boolean(headers: dict[str, str], attribute: str, *, default: bool) -> bool:
    value = _header(headers, attribute)
    if value is None:
        return default
    if value not in ("true", "false"):
        raise InvalidResult("invalid_header", f"ce-{attribute} must be true or false, not {value[:80]!r}")
    return value == "true"


def _percent(value: str) -> str:
    """Percent-encoded as the CloudEvents binding says: printable ASCII but blank, quote and percent stands as it is."""
    return quote(value, safe="!#$&'()*+,-./:;<=>?@[\\]^_`{|}~")
