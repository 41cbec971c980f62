"""Every type that goes over the wire as JSON, by how its golden samples' names begin."""

import msgspec

from coatcheck_schemas.events import StubEvent, ToolResult, TurnEnd, TurnSettled
from coatcheck_schemas.exchanges import FILE_REQUESTS, REQUESTS
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.requests import Reply
from coatcheck_schemas.synopsis import Synopsis
from coatcheck_workers.discovery.messages import Info, Ping, Stats
from coatcheck_workers.up.ready import Ready

EVENTS: dict[str, type[msgspec.Struct]] = {
    "result": ToolResult,
    "turn_end": TurnEnd,
    "stub": StubEvent,
    "settled": TurnSettled,
}
STORED: dict[str, type[msgspec.Struct]] = {"metadata": Metadata, "synopsis": Synopsis}
FILES: dict[str, type[msgspec.Struct]] = {"ready": Ready}
"""What other programs on the machine read of `coatcheck up`."""
ASKED: dict[str, type[msgspec.Struct]] = {
    **{f"request.{verb}": one.request for verb, one in REQUESTS.items()},
    **{f"request.fs.{operation}": one.request for operation, one in FILE_REQUESTS.items()},
}
ANSWERED: dict[str, type[msgspec.Struct]] = {
    **{f"reply.{verb}": one.reply for verb, one in REQUESTS.items()},
    **{f"reply.fs.{operation}": one.reply for operation, one in FILE_REQUESTS.items()},
}
"""What stands in a reply's `ok`."""
SERVICE: tuple[type[msgspec.Struct], ...] = (Ping, Info, Stats)
"""What workers answer on `$SRV`, of which each has its own: no golden samples."""

SAMPLED: dict[str, type[msgspec.Struct]] = {**EVENTS, **STORED, **ASKED, **ANSWERED, "reply": Reply, **FILES}
WIRE: tuple[type[msgspec.Struct], ...] = (*SAMPLED.values(), *SERVICE)
"""Each has a JSON Schema."""
MESSAGES: tuple[type[msgspec.Struct], ...] = tuple(struct for struct in WIRE if struct not in FILES.values())
"""What goes over NATS, or is in what does."""
