"""Running a command's coroutine, with a client that is connected as the settings say."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from coatcheck_schemas.errors import Code, RequestError

from .invocation import Invocation
from .output import note

if TYPE_CHECKING:
    from coatcheck.client import Client

_T = TypeVar("_T")

HEARD = ("nats.", "storage.")
"""The settings that say where the servers are."""


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """On an event loop of its own; Ctrl-C cancels it."""
    return asyncio.run(work)


@asynccontextmanager
async def connected(invocation: Invocation) -> "AsyncIterator[Client]":
    """A client of the configured servers, or of a `coatcheck up` that runs here. Raises RequestError, ConfigError."""
    from coatcheck.client.connecting import connected as client_connected
    from coatcheck.client.connecting import login_of
    from coatcheck.discovery import missing_server
    from coatcheck_core.credentials.tls_files import storage_tls_of

    settings, origins = invocation.settings()
    _warn_of_idle(invocation.assignments)
    nats = settings.nats
    if not nats.url:
        raise RequestError(Code.UNAVAILABLE, missing_server())
    connecting = client_connected(login_of(nats), nats.prefix, storage_tls=storage_tls_of(settings.storage))
    try:
        client = await connecting.__aenter__()
    except RequestError as error:
        origin = origins.get("nats.url", "")
        hint = f"; that is from {origin}: does `coatcheck up` still run?" if origin.endswith("ready.json") else ""
        raise RequestError(error.code, f"{error.message}{hint}") from None
    try:
        yield client
    finally:
        await client.close()


def _warn_of_idle(assignments: list[str]) -> None:
    """A client that is given a worker's setting: the worker that runs does not hear of it."""
    names = [text.partition("=")[0].strip() for text in assignments]
    idle = [name for name in names if not name.startswith(HEARD)]
    if idle:
        note(
            f"warning: --set {', '.join(dict.fromkeys(idle))} has no effect here: it is a setting of the workers, "
            "which take theirs when they start (`coatcheck up`, `coatcheck worker`)"
        )
