"""The worker's broker: reconnects for ever, and ends the process where nothing else can mend it."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from faststream.nats import NatsBroker
from faststream.nats.broker.broker import UNRECOVERABLE_CONNECT_ERRORS
from faststream.nats.security import NatsJWT, NatsSecurity, NatsToken, NatsUserPassword
from nats.aio.client import Client
from nats.aio.subscription import Subscription
from nats.errors import ConnectionClosedError, ConnectionReconnectingError, SlowConsumerError
from nats.errors import Error as NatsError

from coatcheck_core.credentials.login import Login
from coatcheck_core.credentials.tls import end_tls_quietly, insist_on_tls
from coatcheck_core.credentials.tls_faults import explain_tls, is_tls_fault
from coatcheck_core.settings.model import Settings
from coatcheck_schemas.anybytes import hear_any_bytes
from coatcheck_schemas.errors import CoatcheckError
from coatcheck_workers.login import log_in
from coatcheck_workers.process.vital import vital

log = logging.getLogger("coatcheck.connection")

EXIT_CONNECTION_LOST = 70
CLOSE_SECONDS = 1
LEAST_FLUSH_SECONDS = 0.1
DEAF_SECONDS = 3
_UNRECOVERABLE = (
    *UNRECOVERABLE_CONNECT_ERRORS,
    "authentication expired",
    "authentication revoked",
    "maximum account active connections exceeded",
)
"""What the server says when it will not have us: FastStream's handler then ends the reconnecting without a word."""
TellDropped = Callable[[str], Awaitable[None]]


class NotAdmitted(CoatcheckError):
    """The server refuses user, password or connection."""


class _Broker(NatsBroker):
    """Prepares its client before it connects, for which FastStream leaves no room."""

    insists_on_tls = False

    async def _connect(self) -> Client:
        client = Client()
        hear_any_bytes(client)
        end_tls_quietly(client)
        if self.insists_on_tls:
            insist_on_tls(client)
        try:
            await client.connect(**self._connection_kwargs)
        except BaseException:
            transport: Any = client._transport
            if transport:
                transport.close()
            raise
        self.config.connect(client)
        return client


class Connection:
    """Watches the broker's connection; `exit` ends the process, as no exception gets through FastStream's loops."""

    def __init__(self, settings: Settings, *, lost_after_seconds: float = 120.0) -> None:
        self._lost_after_seconds = lost_after_seconds
        self._expected = True
        self._started = False
        self._client: Client | None = None
        self._watch: asyncio.Task[None] | None = None
        self._lost_at: float | None = None
        self.reconnects = 0
        """How often the connection was lost and found again."""
        self._tell_dropped: dict[Subscription, TellDropped] = {}
        who = log_in(settings.nats)
        self._tls_faults = 0
        self._servers = len(who.urls)
        self.broker = _Broker(
            who.urls,
            security=_security(who),
            inbox_prefix=who.inbox,
            name="coatcheck-worker",
            apply_types=False,
            decoder=_hand_on,
            logger=None,
            graceful_timeout=settings.worker.grace_seconds,
            max_reconnect_attempts=-1,
            reconnect_time_wait=1,
            connect_timeout=2,
            ping_interval=10,
            max_outstanding_pings=2,
            error_cb=self._on_error,
            disconnected_cb=self._on_disconnected,
            reconnected_cb=self._on_reconnected,
            closed_cb=self._on_closed,
        )
        self.broker.insists_on_tls = who.insists_on_tls

    async def open(self) -> Client:
        """Connect, waiting for a NATS that is away. Raises NotAdmitted where it will not have us, or we not it."""
        try:
            self._client = await self.broker.connect()
        except NatsError as error:
            raise NotAdmitted(
                f"NATS refuses this worker ({error}): check nats.url, user and password, or credentials"
            ) from error
        return self._client

    def started(self) -> None:
        """From here on a connection that is away too long ends the process: its supervisor starts it anew."""
        self._started = True
        self._watch = vital(self._watch_for_ever(), "coatcheck-connection")

    def hear_dropped(self, subscription: Subscription, tell: TellDropped) -> None:
        """Let `tell` know the reply subject of each message for which nats-py has no room on the subscription."""
        self._tell_dropped[subscription] = tell

    @property
    def is_connected(self) -> bool:
        return self._client is not None and self._client.is_connected

    @property
    def away_seconds(self) -> float:
        """How long a connection that was there has been away; 0 while it is there, and before it ever was."""
        return 0.0 if self._lost_at is None else asyncio.get_running_loop().time() - self._lost_at

    def stopping(self) -> None:
        """A close is expected from here on."""
        self._expected = False
        if self._watch is not None:
            self._watch.cancel()

    async def close(self) -> None:
        """Disconnect in order; a server that is away, or does not answer, is left as it is."""
        client = self._client
        if client is None:
            return
        clock = asyncio.get_running_loop().time
        deadline = clock() + CLOSE_SECONDS
        try:
            # nats-py's ping overtakes what waits to be sent: two do not.
            await client.flush(CLOSE_SECONDS)
            await client.flush(max(deadline - clock(), LEAST_FLUSH_SECONDS))  # type: ignore[arg-type]
        except (NatsError, OSError) as error:
            log.warning("disconnected from NATS out of order: %s", error)
        # Closed before the broker stops: it would drain once more, for up to forty seconds where nobody answers.
        with suppress(OSError, RuntimeError):  # a transport that broke; the second is uvloop's word for it
            await client.close()
        with suppress(ConnectionClosedError, ConnectionReconnectingError):
            await self.broker.stop()

    async def _on_error(self, error: Exception) -> None:
        if isinstance(error, SlowConsumerError) and (tell := self._tell_dropped.get(error.sub)) is not None:
            await tell(error.reply)
            return
        if is_tls_fault(error):
            self._distrust(error)
        elif str(error):
            log.warning("NATS: %s", error)
        said = str(error).lower()
        if self._started and isinstance(error, NatsError) and any(reason in said for reason in _UNRECOVERABLE):
            self._exit(f"NATS will not have this worker any more: {error}")

    def _distrust(self, error: Exception) -> None:
        """Raises NotAdmitted, which ends the first connecting, once there has been one for each server."""
        self._tls_faults += 1
        if self._client is None and self._tls_faults >= self._servers:
            raise NotAdmitted(f"NATS cannot be connected to: {explain_tls(error)}") from error
        log.warning("NATS: %s", explain_tls(error))

    async def _on_disconnected(self) -> None:
        if self._lost_at is None:
            self._lost_at = asyncio.get_running_loop().time()
        if self._expected:
            log.warning("disconnected from NATS; reconnecting")

    async def _on_reconnected(self) -> None:
        self._lost_at = None
        self.reconnects += 1
        log.warning("reconnected to NATS")

    async def _on_closed(self) -> None:
        if self._expected and self._started:
            self._exit("the connection to NATS is closed for good")

    async def _watch_for_ever(self) -> None:
        client = await self.broker.connect()
        away = 0.0
        deaf = 0
        while True:
            await asyncio.sleep(1.0)
            away = 0.0 if client.is_connected else away + 1.0
            reading = client._reading_task
            if client.is_connected and reading is not None and reading.done():
                deaf += 1
                if deaf >= DEAF_SECONDS:
                    self._exit("NATS is connected and nobody reads what it sends")
            else:
                deaf = 0
            if away >= self._lost_after_seconds:
                self._exit(f"NATS has been away for {away:.0f} s")

    def _exit(self, why: str) -> None:
        log.critical("%s; ending with code %d", why, EXIT_CONNECTION_LOST)
        logging.shutdown()
        os._exit(EXIT_CONNECTION_LOST)


def _security(who: Login) -> NatsSecurity | None:
    tls: dict[str, Any] = {}
    if who.tls is not None:
        tls = {"ssl_context": who.tls.context, "use_ssl": True, "tls_handshake_first": who.tls.first}
    if who.creds is not None:
        return NatsJWT(who.creds.give_token, who.creds.sign, **tls)
    servers = who.servers
    if servers.token is not None:
        return NatsToken(servers.token, **tls)
    if servers.user is None:
        return NatsSecurity(**tls) if tls else None
    return NatsUserPassword(servers.user, servers.password or "", **tls)


async def _hand_on(message: Any) -> Any:
    """FastStream would decode by the content type that a publisher names; the flow decodes by the contract."""
    return message
