"""The headers of the messages, as schemas of objects."""

from typing import Any

from coatcheck_core.assembling import MAX_PIECES
from coatcheck_schemas import letters, pieces, requests, results
from coatcheck_schemas.errors import Code
from coatcheck_workers.streams.publishing import EXPECTED_LAST
from coatcheck_workers.subscribers import CORRELATION
from coatcheck_workers.telemetry.tracing import TRACEPARENT, TRACESTATE

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_BOOLEAN: Schema = {"enum": ["true", "false"]}
_NUMBER: Schema = {"type": "string", "pattern": "^[0-9]+$"}
_PERCENT = "Percent-encoded UTF-8."

MESSAGE_ID = _TEXT | {
    "description": "Random, at least 128 bits, so that nobody can foretell it; what is published again bears the same, "
    "and is stored once."
}


def _headers(required: list[str], properties: dict[str, Schema]) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    return schema | {"required": required} if required else schema


_TRACE: dict[str, Schema] = {
    TRACEPARENT: _TEXT | {"description": "W3C's trace context: what follows goes on with this span."},
    TRACESTATE: _TEXT | {"description": "W3C's, beside it."},
}
PUBLISHED = _headers([], {pieces.MESSAGE_ID: MESSAGE_ID, **_TRACE})
"""Of a result in JSON."""
ENDED = _headers([], {pieces.MESSAGE_ID: MESSAGE_ID})
"""Of a turn's end."""
HEARD = _headers(
    [],
    {
        **_TRACE,
        "Nats-Stream": _TEXT | {"description": "Of JetStream, as are those below: the stream that has stored it."},
        "Nats-Subject": _TEXT,
        "Nats-Sequence": _NUMBER,
        "Nats-Last-Sequence": _NUMBER | {"description": "Of the message before it under this subject, or 0."},
        "Nats-Time-Stamp": _TEXT | {"description": "RFC 3339, in nanoseconds."},
        EXPECTED_LAST: _NUMBER | {"description": "The workers' own: it was to be the first under its subject."},
    },
)
"""Of a stub event and a manifest: they are heard once they are stored."""
ASKED = _headers(
    [], {**_TRACE, CORRELATION: _TEXT | {"description": "Comes back in the reply, its first 64 chars; FastStream's."}}
)
"""Of a request."""

_ATTRIBUTES: dict[str, Schema] = {
    "toolname": _TEXT | {"description": f"The tool's name. {_PERCENT}"},
    "turnsize": _NUMBER | {"description": "How many results the turn will have, 1 to 1000."},
    "sessionid": _TEXT | {"description": f"The session's id, where its segment is shortened. {_PERCENT}"},
    "turnid": _TEXT | {"description": f"The turn's. {_PERCENT}"},
    "callid": _TEXT | {"description": f"The call's. {_PERCENT}"},
    "messageid": _TEXT | {"description": f"Kept in the metadata. {_PERCENT}"},
    "agentid": _TEXT | {"description": f"Kept in the metadata. {_PERCENT}"},
    "iserror": _BOOLEAN | {"description": "Whether the tool failed."},
    "sourceref": _TEXT | {"description": f"The ref of the original that this result is a read of. {_PERCENT}"},
    "retrieval": _BOOLEAN | {"description": "false: this agent has no retrieval tools."},
    "traceparent": _TRACE[TRACEPARENT],
    "time": _TEXT | {"description": "When it was made, RFC 3339."},
}
BINARY = _headers(
    [results.CE_SPECVERSION, "ce-type", "ce-id", "ce-source", "ce-toolname"],
    {
        results.CE_SPECVERSION: {"const": "1.0"},
        "ce-type": {"const": results.CE_TYPE},
        "ce-id": _TEXT,
        "ce-source": _TEXT,
        results.CONTENT_TYPE: _TEXT | {"description": "A hint; the content decides."},
        **{f"ce-{name}": schema for name, schema in _ATTRIBUTES.items()},
        pieces.MESSAGE_ID: MESSAGE_ID,
        **_TRACE,
    },
)
"""Of a result in CloudEvents' binary mode."""

_IS_ERROR = _BOOLEAN | {"description": "In place of the opening event's is_error."}
PIECE = _headers(
    [pieces.MESSAGE_ID, pieces.SEQ],
    {
        pieces.MESSAGE_ID: MESSAGE_ID,
        pieces.SEQ: _NUMBER | {"description": f"Its number, from 0, at most {MAX_PIECES}."},
    },
)
FINAL = _headers(
    [pieces.MESSAGE_ID, pieces.FINAL, pieces.COUNT, pieces.BYTES, pieces.SHA256],
    {
        pieces.MESSAGE_ID: MESSAGE_ID,
        pieces.FINAL: {"const": "true"},
        pieces.COUNT: _NUMBER | {"description": "How many pieces there are."},
        pieces.BYTES: _NUMBER | {"description": "The length of the whole."},
        pieces.SHA256: {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "Of the whole."},
        pieces.IS_ERROR: _IS_ERROR,
    },
)
FAILED = _headers(
    [pieces.MESSAGE_ID, pieces.FAILED],
    {
        pieces.MESSAGE_ID: MESSAGE_ID,
        pieces.FAILED: _TEXT
        | {"description": f"Why no more pieces come, at most {pieces.MAX_REASON_CHARS} chars. {_PERCENT}"},
        pieces.IS_ERROR: _IS_ERROR,
    },
)

LETTER = _headers(
    [
        letters.SUBJECT_HEADER,
        letters.REASON_HEADER,
        letters.ERROR_HEADER,
        letters.ATTEMPTS_HEADER,
        pieces.MESSAGE_ID,
    ],
    {
        letters.SUBJECT_HEADER: _TEXT | {"description": f"Where it came from. {_PERCENT}"},
        letters.REASON_HEADER: _TEXT | {"description": "A word, as invalid_json or store_failure."},
        letters.ERROR_HEADER: _TEXT | {"description": f"What was wrong. {_PERCENT}"},
        letters.ATTEMPTS_HEADER: _NUMBER | {"description": "How often it was tried."},
        letters.RECEIVED_HEADER: _TEXT
        | {"description": "When NATS received it, RFC 3339; earlier letters do not say."},
        letters.BODY_HEADER: _TEXT | {"description": "The object that holds the body, where the letter could not."},
        letters.OMITTED_HEADER: _NUMBER
        | {"description": "How many of the original's headers a letter could not bear."},
        pieces.MESSAGE_ID: _TEXT | {"description": "STREAM-SEQUENCE of the original message."},
    },
) | {
    "patternProperties": {
        f"^{letters.ORIGINAL_PREFIX}": _TEXT | {"description": "The original's headers that would act again."}
    }
}

ERROR = _headers(
    [requests.ERROR_HEADER, requests.ERROR_CODE_HEADER],
    {
        requests.ERROR_HEADER: _TEXT | {"description": "The message for people, in one line."},
        requests.ERROR_CODE_HEADER: {"enum": [str(code.number) for code in Code]},
    },
)
"""Of a reply that is an error."""
