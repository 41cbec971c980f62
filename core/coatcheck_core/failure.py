"""What becomes of a message that cannot be processed: its dead letter's headers, and the stub that says why."""

import re
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote

from coatcheck_core.stub.escaping import one_line
from coatcheck_core.turns.entries import MAX_CALL_ID_CHARS, FailedEntry
from coatcheck_schemas.errors import InvalidId
from coatcheck_schemas.events import Reason, StubEvent
from coatcheck_schemas.letters import (
    ATTEMPTS_HEADER,
    ERROR_HEADER,
    OMITTED_HEADER,
    ORIGINAL_PREFIX,
    REASON_HEADER,
    RECEIVED_HEADER,
    SUBJECT_HEADER,
)
from coatcheck_schemas.pieces import MESSAGE_ID
from coatcheck_schemas.said import Said
from coatcheck_schemas.segments import MAX_ID_BYTES, encode_segment
from coatcheck_schemas.subjects import CallAddress
from coatcheck_schemas.times import format_time

_NOTHING = Said()

KILLED_WORKER = "killed_worker"
"""Why a message that kills the process that reads it becomes a dead letter: no worker reads it again."""
_MENDED_ELSEWHERE = frozenset({KILLED_WORKER, "internal", "conflict", "invalid_layout"})

MAX_ERROR_CHARS = 1000
MAX_KEPT_BYTES = 24 * 1024
"""Of the original's headers: with a letter's own they stay under the 64 KiB of headers that JetStream takes."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_PRINTABLE = "".join(chr(c) for c in range(0x20, 0x7F) if chr(c) != "%")


def keeps_pieces(reason: str) -> bool:
    """Whether an upload whose event is in a letter of this reason is nothing wrong itself: a retry needs its pieces."""
    return reason in _MENDED_ELSEWHERE


def letter_headers(
    headers: Mapping[str, str] | None,
    *,
    message_id: str,
    subject: str,
    reason: str,
    error: str,
    attempts: int,
    received_at: datetime,
) -> dict[str, str]:
    """A dead letter's headers: the original's, those that would act again renamed, and what went wrong.

    Every value is one line: `Coat-` values are percent-encoded where they are not printable ASCII, the original's where
    they hold a control character. A header that cannot be sent again, or that comes after so many that the letter
    itself would not go out, is left out and counted in `Coat-Omitted-Headers`.
    """
    kept, omitted = _kept(headers or {})
    if omitted:
        kept[OMITTED_HEADER] = str(omitted)
    return kept | {
        MESSAGE_ID: message_id,
        SUBJECT_HEADER: _header(subject),
        REASON_HEADER: _header(reason),
        ERROR_HEADER: _header(error[:MAX_ERROR_CHARS]),
        ATTEMPTS_HEADER: str(attempts),
        RECEIVED_HEADER: format_time(received_at),
    }


def failed_event(address: CallAddress, error: str, received_at: datetime, said: Said = _NOTHING) -> StubEvent:
    """The stub of a result that became a dead letter; its content says what was wrong.

    The tool's name is as it was `said`, and an id too where it belongs under its segment: else that says it.
    """
    session, turn, call = address.ids
    error = one_line(error, MAX_ERROR_CHARS)
    return StubEvent(
        session_id=_whole(said.session_id, address.session, session),
        turn_id=_whole(said.turn_id, address.turn, turn),
        call_id=_whole(said.call_id, address.call, call),
        tool_name=said.tool_name if _has_room(said.tool_name) else None,
        disposition="failed",
        content=failed_content("invalid", error),
        reason="invalid",
        is_error=True,
        error=error,
        created_at=format_time(received_at),
    )


def failed_entry(
    address: CallAddress, event: StubEvent, length: int, said: Said, result_id: str | None = None
) -> FailedEntry:
    """What the ledger of its turn must know of a result whose failed stub is `event`, of `length` in `budget.unit`."""
    session, turn, _ = address.ids
    return FailedEntry(
        call_id=event.call_id[:MAX_CALL_ID_CHARS],
        length=length,
        result_id=result_id,
        turn_size=said.turn_size,
        session_id=None if event.session_id == session else event.session_id,
        turn_id=None if event.turn_id == turn else event.turn_id,
    )


def failed_content(reason: Reason, error: str) -> str:
    """The stub's text of a result that failed."""
    return f"[Coatcheck: tool result failed]\nreason: {reason}\nerror: {one_line(error, MAX_ERROR_CHARS)}"


def _whole(given: str | None, segment: str, decoded: str) -> str:
    try:
        return given if given is not None and encode_segment(given) == segment else decoded
    except InvalidId:
        return decoded


def _has_room(tool_name: str | None) -> bool:
    return tool_name is not None and len(tool_name.encode()) <= MAX_ID_BYTES


def _kept(headers: Mapping[str, str]) -> tuple[dict[str, str], int]:
    """The original's headers as a letter bears them, and how many are left out."""
    kept: dict[str, str] = {}
    left = MAX_KEPT_BYTES
    for name, value in headers.items():
        renamed = f"{ORIGINAL_PREFIX}{name}" if name.lower().startswith(("nats-", "coat-")) else name
        line = _CONTROL.sub(lambda match: quote(match[0], errors="surrogatepass"), value)
        left -= len(renamed) + len(line.encode()) + 4
        if left >= 0 and _NAME.fullmatch(name):
            kept[renamed] = line
    return kept, len(headers) - len(kept)


def _header(value: str) -> str:
    return quote(value.strip(), safe=_PRINTABLE, errors="replace")
