"""From a request's body to a reply: one place maps every outcome, so that each request gets exactly one answer."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import msgspec

from coatcheck_core.tally import Tally
from coatcheck_schemas.errors import (
    Code,
    InvalidInput,
    ObjectNotFound,
    RequestError,
    StoreRejected,
    StoreUnavailable,
)
from coatcheck_schemas.requests import (
    ERROR_CODE_HEADER,
    ERROR_HEADER,
    DeleteRequest,
    LinkRequest,
    ListRequest,
    Problem,
    ReadRequest,
    ReplayRequest,
    SearchRequest,
    UploadRequest,
)
from coatcheck_schemas.surrogates import decode_forgiving

from .deleting import delete
from .linking.linking import link
from .linking.putting import upload
from .listing.listing import list_results
from .model import Answer, Retrieval
from .reading.reading import read
from .replaying import replay
from .searching.finding import search
from .telling import tell

_MESSAGE_CHARS = 600
_HEADER_CHARS = 200

_Request = TypeVar("_Request", bound=msgspec.Struct)
Handler = Callable[[Retrieval, str, bytes], Awaitable[msgspec.Struct]]


async def answer(retrieval: Retrieval, verb: str, session: str, body: bytes) -> Answer:
    """The reply to one request; `session` is a checked segment. Raises nothing: every error is an answer."""
    return await answer_with(_HANDLERS, retrieval, verb, session, body)


async def answer_with(
    handlers: Mapping[str, Handler], retrieval: Retrieval, verb: str, session: str, body: bytes
) -> Answer:
    """As `answer`, by these handlers."""
    try:
        handler = handlers.get(verb)
        if handler is None:
            raise RequestError(Code.INVALID_ARGUMENT, f"this version does not offer {verb[:40]!r}", verb=verb[:40])
        reply = await handler(retrieval, session, body)
        return Answer(body=encoded_within(reply, retrieval.max_reply_bytes), headers={})
    except Exception as error:
        return refuse(error, f"{verb[:40]} of session {session}", retrieval.troubles)


def encoded_within(reply: msgspec.Struct, most_bytes: int) -> bytes:
    """Raises RequestError `too_large` where one message does not carry it."""
    encoded = b'{"ok":' + msgspec.json.encode(reply) + b"}"
    if len(encoded) > most_bytes:
        raise RequestError(Code.TOO_LARGE, "the reply is larger than one message carries; ask for less")
    return encoded


def refuse(error: Exception, request: str = "a request", troubles: Tally | None = None) -> Answer:
    """The error answer for an exception; `request` says in the log which one it was, `troubles` what it has told."""
    told = _explain(error, request, troubles)
    message = told.message[:_MESSAGE_CHARS]
    problem = Problem(code=told.code, message=message, details=told.details)
    headers = {ERROR_HEADER: _header_line(message), ERROR_CODE_HEADER: str(told.code.number)}
    return Answer(body=msgspec.json.encode({"error": problem}), headers=headers)


def handler_of(
    kind: type[_Request], handle: Callable[[Retrieval, str, _Request], Awaitable[msgspec.Struct]]
) -> Handler:
    """What decodes a request, and hands it on. It raises RequestError `invalid_argument` for one that is none."""
    decoder = msgspec.json.Decoder(kind)

    async def decode_and_handle(retrieval: Retrieval, session: str, body: bytes) -> msgspec.Struct:
        try:
            request = decode_forgiving(decoder, body if body.strip() else b"{}")
        except msgspec.ValidationError as error:
            raise RequestError(Code.INVALID_ARGUMENT, str(error)) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise RequestError(Code.INVALID_ARGUMENT, f"a request is one JSON object: {error}") from None
        return await handle(retrieval, session, request)

    return decode_and_handle


def _explain(error: Exception, request: str, troubles: Tally | None) -> RequestError:
    """The error as the one who asks may see it: what is ours to mend is logged, and not told."""
    kind = type(error).__name__
    if isinstance(error, RequestError):
        return error
    if isinstance(error, InvalidInput):
        return RequestError(Code.INVALID_ARGUMENT, str(error))
    if isinstance(error, ObjectNotFound):
        return RequestError(Code.NOT_FOUND, "there is no such result in this session")
    if isinstance(error, StoreUnavailable):
        tell(troubles, kind, logging.WARNING, f"{request}: {error}")
        return RequestError(Code.UNAVAILABLE, "object storage does not answer; try again")
    if isinstance(error, StoreRejected):
        tell(troubles, kind, logging.ERROR, f"{request}: {error}")
        return RequestError(Code.UNAVAILABLE, "object storage refuses this worker: its configuration must be mended")
    tell(troubles, kind, logging.ERROR, f"{request} failed", exc_info=error)
    return RequestError(Code.INTERNAL, "an unexpected error; the worker's log has it")


def _header_line(message: str) -> str:
    """One line of printable ASCII: anything else in a header could end it, or begin another."""
    return "".join(c if " " <= c <= "~" else "?" for c in message)[:_HEADER_CHARS].strip()


_HANDLERS: dict[str, Handler] = {
    "read": handler_of(ReadRequest, read),
    "search": handler_of(SearchRequest, search),
    "list": handler_of(ListRequest, list_results),
    "replay": handler_of(ReplayRequest, replay),
    "upload": handler_of(UploadRequest, upload),
    "link": handler_of(LinkRequest, link),
    "delete": handler_of(DeleteRequest, delete),
}
