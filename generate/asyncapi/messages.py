"""Every message, with its golden samples as examples."""

from typing import Any

from coatcheck_schemas.exchanges import FILE_REQUESTS, REQUESTS, Exchange

from .. import samples
from ..wire import SAMPLED
from . import headers
from .model import Message, Schema, first_paragraph, schema_ref

BYTES: Schema = {"type": "string", "format": "binary"}
NOTHING: Schema = {"type": "string", "maxLength": 0}
OCTETS = "application/octet-stream"


def examples(start: str) -> tuple[dict[str, Any], ...]:
    """The samples whose names begin so."""
    return tuple({"name": name, "payload": sample} for name, sample in samples.samples(start, tuple(SAMPLED)).items())


def only_headers(*names: str) -> tuple[dict[str, Any], ...]:
    """Of messages whose body is no JSON."""
    return tuple({"name": name, "headers": samples.headers(name)} for name in names)


RESULT = Message(
    name="ToolResult",
    title="A tool's result, as JSON",
    summary="The output of one tool call; with `upload` it opens a result that comes in pieces or by a PUT.",
    payload=schema_ref("ToolResult"),
    headers=headers.PUBLISHED,
    examples=examples("result"),
)
BINARY_RESULT = Message(
    name="BinaryToolResult",
    title="A tool's result, as it is",
    summary="A CloudEvents 1.0 event in NATS binary mode: the body is the output itself, any bytes.",
    payload=BYTES,
    content_type=OCTETS,
    headers=headers.BINARY,
    examples=only_headers("result.binary"),
)
TURN_END = Message(
    name="TurnEnd",
    title="The end of a turn",
    summary="No more results come in this turn.",
    payload=schema_ref("TurnEnd"),
    headers=headers.ENDED,
    examples=examples("turn_end"),
)
PIECE = Message(
    name="Piece",
    title="A piece of a result",
    summary="Bytes, cut anywhere; an empty one says that the tool is alive.",
    payload=BYTES,
    content_type=OCTETS,
    headers=headers.PIECE,
    examples=only_headers("piece.random"),
)
FINAL_PIECE = Message(
    name="FinalPiece",
    title="All pieces are there",
    summary="The last message of an upload, without a body.",
    payload=NOTHING,
    content_type=OCTETS,
    headers=headers.FINAL,
    examples=only_headers("piece.final.random"),
)
FAILED_PIECE = Message(
    name="FailedPiece",
    title="No more pieces come",
    summary="The last message of an upload whose producer gave up, without a body.",
    payload=NOTHING,
    content_type=OCTETS,
    headers=headers.FAILED,
    examples=only_headers("piece.failed.random"),
)
ACKNOWLEDGED = Message(
    name="Acknowledgement",
    title="JetStream's acknowledgement",
    summary="It is kept, or with `error` it is not, as where the stream is full: publish it again after a pause.",
    payload={
        "type": "object",
        "properties": {
            "stream": {"type": "string"},
            "seq": {"type": "integer", "minimum": 1},
            "duplicate": {"type": "boolean", "description": "true: the stream has one with this Nats-Msg-Id already."},
            "error": {
                "type": "object",
                "properties": {
                    "code": {"type": "integer"},
                    "err_code": {"type": "integer"},
                    "description": {"type": "string"},
                },
            },
        },
    },
    examples=({"name": "kept", "payload": {"stream": "COAT_RESULTS", "seq": 7}},),
)
STUB = Message(
    name="StubEvent",
    title="A stub event",
    summary="What an agent's session receives in place of a result: its `content` goes into the tool message.",
    payload=schema_ref("StubEvent"),
    headers=headers.HEARD,
    examples=examples("stub"),
)
MANIFEST = Message(
    name="TurnSettled",
    title="The manifest of a turn",
    summary="What was decided of a settled turn, and all that it was decided by.",
    payload=schema_ref("TurnSettled"),
    headers=headers.HEARD,
    examples=examples("settled"),
)
LETTER = Message(
    name="DeadLetter",
    title="A dead letter",
    summary="A message that could not be processed: its body as it was, with its headers and why.",
    payload=BYTES,
    content_type=OCTETS,
    headers=headers.LETTER,
    examples=only_headers("dead-letter"),
)
ERROR = Message(
    name="ErrorReply",
    title="The answer to a request, where it is an error",
    summary="A code, a message for people, and facts.",
    payload={
        "type": "object",
        "properties": {"error": schema_ref("Problem")},
        "required": ["error"],
        "additionalProperties": False,
    },
    headers=headers.ERROR,
    examples=tuple(
        one | ({"headers": samples.headers(one["name"])} if one["name"] == "reply.error" else {})
        for one in examples("reply")
    ),
)


def request(name: str, exchange: Exchange) -> Message:
    return Message(
        name=exchange.request.__name__,
        title=f"The request {name.replace('.', ' ')}",
        summary=first_paragraph(exchange.request),
        payload=schema_ref(exchange.request.__name__),
        headers=headers.ASKED,
        examples=examples(f"request.{name}"),
    )


def reply(name: str, exchange: Exchange) -> Message:
    return Message(
        name=exchange.reply.__name__,
        title=f"The answer to the request {name.replace('.', ' ')}",
        summary=first_paragraph(exchange.reply),
        payload={
            "type": "object",
            "properties": {"ok": schema_ref(exchange.reply.__name__)},
            "required": ["ok"],
            "additionalProperties": False,
        },
        examples=examples(f"reply.{name}"),
    )


EXCHANGES: dict[str, Exchange] = REQUESTS | {f"fs.{operation}": one for operation, one in FILE_REQUESTS.items()}
REQUESTED = {name: request(name, exchange) for name, exchange in EXCHANGES.items()}
REPLIED = {name: reply(name, exchange) for name, exchange in EXCHANGES.items()}
"""By verb, or `fs.OP`."""
