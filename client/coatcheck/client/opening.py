"""The first connection, which ends in an error where nats-py would try for ever; and what its errors mean."""

import asyncio
import errno
import logging
import ssl
from typing import Any

from nats.aio.client import Client as Nats

from coatcheck_core.credentials.tls_faults import explain_tls, is_tls_fault
from coatcheck_schemas.servers import Servers

logger = logging.getLogger("coatcheck")

ABANDON_SECONDS = 1
REFUSALS = 2
"""A server that refuses twice in a row is taken for one that is not there."""

_AUTHORIZATION = "authorization"


class Opening:
    """One or more attempts at a first connection; `is_hopeless` once a further one makes no sense.

    That is where a login is refused, where no server and we trust each other's certificates, and where it is not
    `patient` once every server has refused twice.
    """

    def __init__(self, servers: Servers, *, patient: bool) -> None:
        self._servers = servers
        self._patient = patient
        self._refusals = 0
        self._tls_faults = 0
        self._last_error: Exception | None = None
        self._hopeless: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()

    @property
    def is_hopeless(self) -> bool:
        return self._hopeless.done()

    def hear(self, error: Exception) -> None:
        """An error that nats-py reports, and tries on after."""
        self._last_error = error
        self._refusals = self._refusals + 1 if _is_refusal(error) else 0
        self._tls_faults += is_tls_fault(error)
        servers = len(self._servers.urls)
        gives_up = self._tls_faults >= servers or (not self._patient and self._refusals >= REFUSALS * servers)
        if (gives_up or _AUTHORIZATION in str(error).lower()) and not self._hopeless.done():
            self._hopeless.set_result(error)

    async def attempt(self, nats: Nats, seconds: float, options: dict[str, Any]) -> BaseException | None:
        """None once the client is connected; else why it is not, and the client is closed."""
        connecting = asyncio.ensure_future(nats.connect(**options))
        is_connected = False
        try:
            ends: set[asyncio.Future[Any]] = {connecting, self._hopeless}
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            failure = connecting.exception() if connecting.done() else None
            is_connected = connecting.done() and failure is None
        finally:
            if not is_connected:
                await _abandon(connecting)
                await _discard(nats)
        if is_connected:
            return None
        hopeless = self._hopeless.result() if self._hopeless.done() else None
        return hopeless or failure or self._last_error or TimeoutError("it does not answer")


def unreached(servers: Servers, cause: BaseException) -> str:
    """What to say where there is no first connection."""
    if _is_refusal(cause):
        return f"no NATS server answers at {servers}: the connection is refused"
    return f"cannot connect to NATS at {servers}: {explain(cause)}"


def explain(error: BaseException | None) -> str:
    """An error of the connection in words that say what it comes from."""
    if error is None:
        return "it does not answer"
    if _AUTHORIZATION in str(error).lower():
        return "wrong user or password, or credentials that have expired or are another server's"
    if is_tls_fault(error):
        return explain_tls(error)
    if isinstance(error, TimeoutError) and not error.args:
        return "what is there does not answer as a NATS server does"
    if isinstance(error, (ConnectionResetError, BrokenPipeError, ssl.SSLError)):
        return "it ended the connection: are user, password and client certificate right, and is it a NATS server?"
    return str(error).removeprefix("nats: ") or type(error).__name__


def forget(task: asyncio.Future[Any]) -> None:
    """An answer that nobody waits for any more may be an error: look at it, so that asyncio does not complain."""
    if not task.cancelled():
        task.exception()


def _is_refusal(error: BaseException) -> bool:
    """Whether nothing listens there; asyncio words the errors of a host's several addresses as one text."""
    refusal, every = f"[Errno {errno.ECONNREFUSED}]", "[Errno "
    text = str(error)
    return isinstance(error, OSError) and 0 < text.count(refusal) == text.count(every)


async def _abandon(task: asyncio.Future[Any]) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=ABANDON_SECONDS)
    task.add_done_callback(forget)


async def _discard(nats: Nats) -> None:
    """Close a client that never connected; it may fail at that as it failed before."""
    try:
        await nats.close()
    except OSError as error:
        logger.debug("NATS: %s", error)
    close_socket(nats)


def close_socket(nats: Nats) -> None:
    """Of a connection that was refused: nats-py leaves it open where it is cancelled while it closes it, and where it
    was to reconnect."""
    if nats._transport is not None:
        nats._transport.close()  # type: ignore[no-untyped-call]
