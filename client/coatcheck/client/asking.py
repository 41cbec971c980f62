"""Requests: one struct out, one struct in, an error reply as RequestError."""

from typing import TypeVar

import msgspec
import nats.errors

from coatcheck_schemas.errors import Code, InvalidInput, RequestError
from coatcheck_schemas.requests import Reply
from coatcheck_schemas.subjects import Subjects

from .connection import Connection
from .tracing import trace_headers

_Ok = TypeVar("_Ok")

START_A_WORKER = "start one with `coatcheck up` on this machine, or `coatcheck worker` where the servers are"


async def ask(
    connection: Connection,
    subjects: Subjects,
    verb: str,
    session: str,
    request: msgspec.Struct,
    ok: type[_Ok],
    seconds: float,
) -> _Ok:
    """The reply's `ok`. Raises RequestError: a worker's own, or `unavailable` where none answers in time."""
    return await ask_subject(connection, subjects.request(verb, session), request, ok, seconds)


async def ask_subject(
    connection: Connection, subject: str, request: msgspec.Struct, ok: type[_Ok], seconds: float
) -> _Ok:
    """As `ask`, of a request's whole subject."""
    try:
        headers = trace_headers() or None
        answer = await connection.request(subject, encode_request(request), timeout=seconds, headers=headers)
    except nats.errors.NoRespondersError:
        raise RequestError(
            Code.UNAVAILABLE, f"no worker answers {subject}: {START_A_WORKER}; or is nats.prefix another?"
        ) from None
    except TimeoutError:
        raise RequestError(
            Code.UNAVAILABLE, f"no answer to {subject} within {seconds:g} s: the workers or the store may be overloaded"
        ) from None
    return _decode(answer.data, ok, subject)


def encode_request(request: msgspec.Struct) -> bytes:
    """The request's JSON, without the fields that stand at their default: an older worker refuses unknown ones.

    Raises InvalidInput for what JSON has no text for; bytes would be taken for the text of their base64.
    """
    fields = {
        field.name: value
        for field in msgspec.structs.fields(request)
        if (value := getattr(request, field.name)) != field.default
    }
    for name, value in fields.items():
        if isinstance(value, bytes | bytearray | memoryview):
            raise InvalidInput(f"{name} is a text, not {type(value).__name__}: decode them first")
    try:
        return msgspec.json.encode(fields)
    except UnicodeEncodeError:
        raise InvalidInput("a text in the request has a lone surrogate: it must be Unicode") from None


def _decode(data: bytes, ok: type[_Ok], subject: str) -> _Ok:
    try:
        reply = msgspec.json.decode(data, type=Reply)
        if reply.error is None:
            return msgspec.json.decode(reply.ok, type=ok)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(
            Code.INTERNAL, f"the answer to {subject} is none of ours ({error}): are client and worker of one version?"
        ) from None
    problem = RequestError(reply.error.code, reply.error.message)
    problem.details.update(reply.error.details)  # not as keywords: their names are the answerer's
    raise problem
