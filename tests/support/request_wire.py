"""Requests as they come to a worker, without a server."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from nats.aio.client import Client
from nats.aio.msg import Msg

from coatcheck_core.settings.model import RequestsSettings
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import ERROR_CODE_HEADER
from coatcheck_workers.intake.answered import Observe
from coatcheck_workers.intake.request_limits import limits_of
from coatcheck_workers.intake.requests import Requests


class Wire:
    """Stands where a NATS connection would: `replies` by inbox, in the order in which they were sent."""

    is_closed = False

    def __init__(self) -> None:
        self.replies: dict[str, list[bytes]] = {}
        self.receive: Callable[[Msg], Awaitable[None]] | None = None
        self.error: Exception | None = None

    async def subscribe(self, subject: str, *, cb: Callable[[Msg], Awaitable[None]], **_: Any) -> "Wire":
        self.receive = cb
        return self

    pending_msgs = 0

    async def drain(self) -> None:
        """All that came has been received."""

    async def publish(self, reply: str, body: bytes, headers: Any = None) -> None:
        if self.error is not None:
            raise self.error
        self.replies.setdefault(reply, []).append(body)

    async def ask(self, session: str, number: int, body: bytes = b"{}", headers: dict[str, str] | None = None) -> str:
        """One request; its inbox."""
        inbox = f"_INBOX.{session}.{number}"
        message = Msg(
            _client=cast(Client, self), subject=f"coat.read.{session}", reply=inbox, data=body, headers=headers
        )
        assert self.receive is not None
        await self.receive(message)
        return inbox


def refuse(error: Exception) -> tuple[bytes, dict[str, str]]:
    """The code and the limit as the body, and the header by which an error is known."""
    if not isinstance(error, RequestError):
        return b"internal", {ERROR_CODE_HEADER: str(Code.INTERNAL.number)}
    body = f"{error.code} {error.details.get('limit', '')}".strip().encode()
    return body, {ERROR_CODE_HEADER: str(error.code.number)}


async def opened(
    wire: Wire, consume: Callable[[Msg], Any], *, observe: Observe = lambda answered: None, **settings: Any
) -> Requests:
    """The requests `read` on the wire, within settings of `requests`."""
    limits = limits_of(RequestsSettings(**settings), "read")
    requests = Requests(
        cast(Client, wire),
        "coat.read.*",
        "workers",
        consume,
        limits=limits,
        inbox_prefixes=["_INBOX."],
        refuse=refuse,
        observe=observe,
    )
    await requests.start()
    return requests
