"""The reply to the request `clear`."""

from typing import Any

import msgspec

from coatcheck_core.clearing import Cleared, PlaceholderFor, Rules, clear
from coatcheck_core.clearing.requested import reply_of, rules_of, stores
from coatcheck_core.retrieval_tools import has_tools
from coatcheck_core.tokens import named_counter
from coatcheck_schemas.clearing import ClearRequest
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.segments import decode_segment
from coatcheck_schemas.subjects import CLEAR
from coatcheck_schemas.surrogates import decode_forgiving
from coatcheck_workers.retrieval.answering import answer_with, encoded_within, handler_of
from coatcheck_workers.retrieval.model import Answer, Retrieval
from coatcheck_workers.retrieval.threads import in_request_thread

from .offloading import Offloading


class _Request(ClearRequest, frozen=True, kw_only=True):
    """The conversation is decoded where others do not wait for it."""

    messages: msgspec.Raw  # type: ignore[assignment]


async def answer_clear(retrieval: Retrieval, session: str, body: bytes) -> Answer:
    """`session` is a checked segment. Raises nothing: every error is an answer."""
    return await answer_with(_HANDLERS, retrieval, CLEAR, session, body)


async def _clear(retrieval: Retrieval, session: str, request: _Request) -> msgspec.Struct:
    settings = retrieval.settings
    rules = rules_of(request, settings, has_retrieval=has_tools(settings.retrieval, decode_segment(session)))
    offloading = Offloading(retrieval, session, rules) if stores(request, settings) else None
    placeholder_for = offloading.placeholder_for if offloading is not None else None

    async def cleared_now() -> Cleared:
        return await in_request_thread(lambda: _cleared(request, rules, settings.budget.unit, placeholder_for))

    cleared = await cleared_now()
    if offloading is not None and not await offloading.are_stored(cleared.cleared):
        cleared = await cleared_now()
    reply = reply_of(cleared)
    if offloading is not None:
        encoded_within(reply, retrieval.max_reply_bytes)  # what nobody is told of is not stored either
        await offloading.keep(cleared.cleared)
    return reply


def _cleared(request: _Request, rules: Rules, unit: str, placeholder_for: PlaceholderFor | None) -> Cleared:
    """Raises RequestError `invalid_argument` for what is no conversation."""
    try:
        messages: list[Any] = decode_forgiving(_MESSAGES, request.messages)
    except msgspec.ValidationError as error:
        raise RequestError(Code.INVALID_ARGUMENT, f"messages: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(Code.INVALID_ARGUMENT, f"messages is one JSON list: {error}") from None
    return clear(messages, rules, named_counter(unit), placeholder_for)


_MESSAGES = msgspec.json.Decoder(list[Any])
_HANDLERS = {CLEAR: handler_of(_Request, _clear)}
