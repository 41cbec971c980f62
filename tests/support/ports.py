"""Ports of loopback that stay a test's own, from their choice to its end: also while its server is down."""

import socket
import sys
from contextlib import suppress

from coatcheck_workers.embedded.s3 import GRPC_DISTANCE, LAST_PORT, LOOPBACK, ROLES


def reserved_port(port: int = 0) -> int:
    """One that nobody listens on, and that nobody but who names it can listen on, while this process lives.

    It is held by a socket that is bound and never listens: the kernel gives the port to nobody else, neither to a
    server that asks for any nor to a connection, and refuses who connects to it. A server that names it may listen on
    it as long as it sets SO_REUSEADDR, as asyncio and Go do. One that is only looked for and let go may be another's by
    the time that it is listened on. Raises OSError where the port that is asked for is taken.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind((LOOPBACK, port))
        number = int(held.getsockname()[1])
        if sys.platform == "linux":  # others let nobody listen beside it
            held.detach()
    return number


def reserved_s3_ports() -> dict[str, int]:
    """One for each flag of the bundled S3 server, the administration's two as far apart as it wants them."""
    ports = {f"{role}.port{suffix}": reserved_port() for role in ROLES for suffix in ("", ".grpc")}
    while True:
        port = reserved_port()
        if port + GRPC_DISTANCE <= LAST_PORT:
            with suppress(OSError):
                return ports | {"admin.port": port, "admin.port.grpc": reserved_port(port + GRPC_DISTANCE)}
