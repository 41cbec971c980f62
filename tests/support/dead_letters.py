"""Dead letters laid into COAT_DLQ as a worker lays them, without one."""

from datetime import UTC, datetime
from typing import Any

from nats.aio.client import Client

from coatcheck_core.failure import letter_headers
from coatcheck_core.settings import Settings
from coatcheck_schemas.letters import BODY_HEADER
from coatcheck_schemas.subjects import NOWHERE, CallAddress, Subjects

RECEIVED_AT = datetime(2026, 1, 31, 23, 59, 59, 123456, tzinfo=UTC)


async def lay_letter(
    client: Client,
    settings: Settings,
    at: CallAddress = NOWHERE,
    *,
    body: bytes = b"bad",
    headers: dict[str, str] | None = None,
    subject: str | None = None,
    reason: str = "invalid_json",
    error: str = "the body is not JSON",
    body_uri: str | None = None,
) -> int:
    """The sequence of a letter of a call's result, or of a message on another subject."""
    subjects = Subjects(settings.nats.prefix)
    came_from = subjects.results(at) if subject is None else subject
    facts: dict[str, Any] = {
        "message_id": f"x-{came_from}-{reason}-{len(body)}",
        "attempts": 2,
        "received_at": RECEIVED_AT,
    }
    laid = letter_headers(headers, subject=came_from, reason=reason, error=error, **facts)
    del laid["Nats-Msg-Id"]
    if body_uri is not None:
        laid[BODY_HEADER] = body_uri
    acknowledged = await client.jetstream().publish(subjects.dlq(at), body, headers=laid)
    return acknowledged.seq
