"""A first connection that does not come about leaves nothing behind."""

import asyncio
from typing import Any

from coatcheck.client.opening import Opening
from coatcheck_schemas.servers import parse_servers


class Transport:
    closed = False

    def close(self) -> None:
        self.closed = True


class CancelledWhileItCloses:
    """As nats-py: what refuses it is told, then it closes, and a second `close` takes that for done."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._transport = Transport()
        self.cancelled = False

    async def connect(self, **_: Any) -> None:
        self._opening.hear(RuntimeError("nats: 'Authorization Violation'"))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise

    async def close(self) -> None:
        return


async def test_a_refused_login_leaves_no_socket_open() -> None:
    opening = Opening(parse_servers("nats://h"), patient=False)
    client: Any = CancelledWhileItCloses(opening)
    cause = await opening.attempt(client, 5, {})
    assert "Authorization" in str(cause)
    assert opening.is_hopeless
    assert client.cancelled
    assert client._transport.closed
