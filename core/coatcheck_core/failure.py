"""What becomes of a message that cannot be processed: its dead letter's headers, and the stub that says why."""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote

from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.subjects import CallAddress
from coatcheck_schemas.times import format_time

ORIGINAL_PREFIX = "Coat-Original-"
BODY_HEADER = "Coat-Body"
MAX_ERROR_CHARS = 1000

_PRINTABLE = "".join(chr(c) for c in range(0x20, 0x7F) if chr(c) != "%")


def letter_headers(
    headers: Mapping[str, str] | None, *, message_id: str, subject: str, reason: str, error: str, attempts: int
) -> dict[str, str]:
    """A dead letter's headers: the original's, those that would act again renamed, and what went wrong.

    `Coat-` values are percent-encoded where they are not printable ASCII: a header is one line.
    """
    kept = {
        f"{ORIGINAL_PREFIX}{name}" if name.lower().startswith(("nats-", "coat-")) else name: value
        for name, value in (headers or {}).items()
    }
    return kept | {
        "Nats-Msg-Id": message_id,
        "Coat-Subject": _header(subject),
        "Coat-Reason": reason,
        "Coat-Error": _header(error[:MAX_ERROR_CHARS]),
        "Coat-Attempts": str(attempts),
    }


def failed_event(address: CallAddress, error: str, received_at: datetime) -> StubEvent:
    """The stub of a result that could not be decoded; its content says what was wrong."""
    session, turn, call = address.ids
    error = error[:MAX_ERROR_CHARS]
    return StubEvent(
        session_id=session,
        turn_id=turn,
        call_id=call,
        tool_name=None,
        disposition="failed",
        content=f"[Coatcheck: tool result failed]\nreason: invalid\nerror: {error}",
        reason="invalid",
        is_error=True,
        error=error,
        created_at=format_time(received_at),
    )


def _header(value: str) -> str:
    return quote(value.strip(), safe=_PRINTABLE)
