"""The messages of NATS's services protocol."""

from typing import Any

import msgspec

from coatcheck_workers.discovery.messages import Info, Ping, Stats

from .messages import NOTHING
from .model import Message, first_paragraph, schema_ref

CONTROL = Message(
    name="ControlRequest",
    title="A question of NATS's services protocol",
    summary="It has no body.",
    payload=NOTHING,
    examples=({"name": "asked", "payload": ""},),
)


def _control(kind: type[msgspec.Struct], title: str, example: dict[str, Any]) -> Message:
    return Message(
        name=f"Service{kind.__name__}",
        title=title,
        summary=first_paragraph(kind),
        payload=schema_ref(kind.__name__),
        examples=({"name": kind.__name__.lower(), "payload": example},),
    )


_WHO = {
    "name": "coatcheck",
    "id": "0123456789abcdef012345",
    "version": "0.1.0",
    "metadata": {"prefix": "coat", "host": "worker-1", "pid": "4711"},
}
_READ = {"name": "read", "subject": "coat.read.*", "queue_group": "workers"}
CONTROLLED = {
    "PING": _control(Ping, "Who is there", {"type": "io.nats.micro.v1.ping_response", **_WHO}),
    "INFO": _control(
        Info,
        "What can be asked",
        {
            "type": "io.nats.micro.v1.info_response",
            **_WHO,
            "description": "Keeps oversized tool results out of an agent's context.",
            "endpoints": [_READ | {"metadata": {"request": "ReadRequest", "reply": "ReadReply"}}],
        },
    ),
    "STATS": _control(
        Stats,
        "How its requests fare",
        {
            "type": "io.nats.micro.v1.stats_response",
            **_WHO,
            "started": "2026-01-31T23:59:59.123Z",
            "endpoints": [
                _READ
                | {
                    "num_requests": 12,
                    "num_errors": 1,
                    "last_error": "404:not_found",
                    "processing_time": 24_000_000,
                    "average_processing_time": 2_000_000,
                    "data": {"waiting": 0, "at_work": 1, "errors": {"not_found": 1}},
                }
            ],
            "data": {"host": "worker-1", "pid": 4711, "rss_bytes": 150_000_000},
        },
    ),
}
"""By verb of the protocol."""
