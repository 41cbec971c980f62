"""What this worker is, and what it answers."""

import os
import secrets
import socket
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from coatcheck_schemas.exchanges import FILE_REQUESTS, REQUESTS
from coatcheck_schemas.subjects import FILESYSTEM
from coatcheck_workers.intake.requests import Requests
from coatcheck_workers.subscribers import QUEUE

from .messages import SERVICE, Ping, semantic
from .responder import Endpoint

_STATM = Path("/proc/self/statm")
_ID_BYTES = 11


def identity(prefix: str) -> Ping:
    """A new one for each process: `id` is 22 hex digits that nobody else has."""
    return Ping(
        name=SERVICE,
        id=secrets.token_hex(_ID_BYTES),
        version=semantic(version("coatcheck")),
        metadata={"prefix": prefix, "host": socket.gethostname(), "pid": str(os.getpid())},
    )


def endpoints(sources: Sequence[Requests]) -> list[Endpoint]:
    """One for each kind of request that is taken."""
    return [
        Endpoint(
            verb=source.verb,
            subject=source.subject,
            queue_group=QUEUE,
            metadata=_described(source.verb),
            load=lambda source=source: (source.waiting, source.at_work),  # type: ignore[misc]
        )
        for source in sources
    ]


def _described(verb: str) -> dict[str, str]:
    """The names of its schemas, for who looks them up in `schemas/json-schema`."""
    if verb == FILESYSTEM:
        return {"operations": ",".join(FILE_REQUESTS)}
    exchange = REQUESTS[verb]
    return {"request": exchange.request.__name__, "reply": exchange.reply.__name__}


def process_figures() -> dict[str, Any]:
    """Of this process: where it runs, and the memory that it has; bytes."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "rss_bytes": _resident_bytes()}


def _resident_bytes() -> int | None:
    """None where the system does not say."""
    if sys.platform != "linux":
        return None
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
