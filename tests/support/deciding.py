"""Results as they arrive and the rules they are decided by, for tests of pure decisions."""

import json
from datetime import UTC, datetime
from typing import Any

import msgspec

from coatcheck_core.arrival import Result, identify
from coatcheck_core.rules import Rules
from coatcheck_core.settings import load
from coatcheck_core.tokens import counter
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import CallAddress

RECEIVED_AT = datetime(2026, 1, 31, 23, 59, 59, 123456, UTC)
MAX_EVENT_BYTES = 1024 * 1024 - 8192


def rules(*assignments: str, max_event_bytes: int = MAX_EVENT_BYTES) -> Rules:
    """The rules under some settings, each as `key=value`."""
    settings, _ = load(assignments=assignments)
    return Rules(
        settings=settings,
        keys=Keys("p"),
        count=counter(settings.budget.unit),
        uri=lambda key: f"s3://bucket/{key}",
        max_event_bytes=max_event_bytes,
    )


def address(session: str = "s1", turn: str = "", call: str = "call_1") -> CallAddress:
    return CallAddress(encode_segment(session), encode_segment(turn), encode_segment(call))


def arrived(content: Any = "", *, at: CallAddress | None = None, **fields: Any) -> Result:
    """A result that came as JSON."""
    event = {"tool_name": "tool", "content": content} | fields
    return identify(at or address(), decode_result(None, json.dumps(event).encode()), RECEIVED_AT)


def arrived_bytes(body: bytes, **attributes: str) -> Result:
    """A result that came in the binary encoding."""
    headers = {"ce-specversion": "1.0", "ce-type": "dev.coatcheck.tool_result.v1", "ce-toolname": "tool"}
    headers |= {f"ce-{name}": value for name, value in attributes.items()}
    return identify(address(), decode_result(headers, body), RECEIVED_AT)


def count_lines_only(text: str) -> int:
    """A unit of one's own, for `budget.unit`."""
    return text.count("\n")


def content_blocks(content: str | list[msgspec.Raw]) -> list[dict[str, Any]]:
    """The blocks of an event's content, which must be a list."""
    assert isinstance(content, list)
    return [json.loads(bytes(block)) for block in content]
