"""Whether a connection to NATS is secured, and a nats-py client that keeps to it. Pure."""

from typing import Any

import msgspec

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.servers import Servers

_SECURED = ("tls", "wss")


class Tls(msgspec.Struct, frozen=True, kw_only=True):
    """`context` is an `ssl.SSLContext`; `first`: the handshake comes before the server's greeting."""

    context: object
    first: bool = False


class ServerWithoutTls(ConnectionError):
    """TLS is asked for, and the server offers none. nats-py takes an OSError for a connection that failed."""

    def __init__(self) -> None:
        super().__init__("the server offers no TLS")


def insists_on_tls(servers: Servers, tls: Tls | None) -> bool:
    """Whether nothing may be sent in the clear: one `tls://` counts for every server, and those found later.

    Raises InvalidInput for a `ws://` beside it, which cannot be secured.
    """
    schemes = [url.partition("://")[0] for url in servers.urls]
    if tls is None and not any(scheme in _SECURED for scheme in schemes):
        return False
    if "ws" in schemes:
        raise InvalidInput(f"TLS is asked for, and ws:// in the NATS URL {servers} has none: use wss:// or tls://")
    return True


def insist_on_tls(client: Any) -> None:
    """Let a `nats.aio.client.Client` go no further than the greeting of a server that offers no TLS.

    nats-py does TLS only where the greeting requires it, whatever its URL and options say: whoever answers in the
    server's place would get password and results in the clear.
    """
    process_info = client._process_info

    async def checked(info: dict[str, Any], initial_connection: bool = False) -> None:
        if initial_connection and not (info.get("tls_required") or _is_secured(client)):
            if not info.get("tls_available"):
                raise ServerWithoutTls
            info["tls_required"] = True  # it leaves the choice to us
        await process_info(info, initial_connection)

    client._process_info = checked


def end_tls_quietly(client: Any) -> None:
    """Let no line of asyncio's log tell that a server ends a connection by TLS, as each does.

    The protocol that nats-py puts upon TLS does not know of it, and answers the end as only one without TLS may.
    """
    connect = client._process_connect_init

    async def connected() -> None:
        try:
            await connect()
        finally:
            writer = getattr(client._transport, "_io_writer", None)
            if writer is not None and writer.get_extra_info("ssl_object") is not None:
                writer._protocol._over_ssl = True

    client._process_connect_init = connected


def _is_secured(client: Any) -> bool:
    """Whether the handshake is done already."""
    server = client._current_server
    return bool(client.options["tls_handshake_first"]) or (server is not None and server.uri.scheme == "wss")
