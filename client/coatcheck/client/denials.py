"""What the server denies a user: its error names operation and subject, and fails the call that it belongs to."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from coatcheck_schemas.errors import Code, RequestError

Operation = Literal["publish", "subscription"]

_DENIED = re.compile(r'permissions violation for (publish|subscription) to "([^"]*)"')


class Denials:
    """Who waits to hear of a denial. `inbox` is the error where replies cannot come, which fails whoever asks."""

    def __init__(self, inbox_prefix: str) -> None:
        self.inbox: RequestError | None = None
        self._inbox_prefix = inbox_prefix.lower()
        self._waiting: dict[tuple[str, str], set[asyncio.Future[None]]] = {}

    @contextmanager
    def of(self, operation: Operation, subject: str) -> Iterator[asyncio.Future[None]]:
        """While it is entered: a future that is done once the server denies the operation."""
        key = (operation, subject.lower())
        denied: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, set()).add(denied)
        try:
            yield denied
        finally:
            waiting = self._waiting[key]
            waiting.discard(denied)
            if not waiting:
                del self._waiting[key]

    def hear(self, error: Exception) -> bool:
        """Tell whom it concerns; false where the error is no denial."""
        found = _DENIED.search(str(error).lower())
        if found is None:
            return False
        operation, subject = found.groups()
        if operation == "subscription" and subject.startswith(self._inbox_prefix):
            self.inbox = denied_error("subscribe to", f"{subject} (set inbox_prefix to what this user may use)")
            for waiting in self._waiting.values():
                resolve(waiting)
        resolve(self._waiting.get((operation, subject), set()))
        return True


def denied_error(what: str, subject: str) -> RequestError:
    """The error of a call whose subject is denied."""
    return RequestError(
        Code.UNAVAILABLE,
        f"this NATS user may not {what} {subject}: use another user, or another session, or grant it "
        "(a tool's user publishes results and reads nothing; `coatcheck grant --role agent` makes one that reads)",
        denied=subject,
    )


def unheard_error(subject: str) -> RequestError:
    """The error of a call that waits for stubs which this user may not hear."""
    return RequestError(
        Code.UNAVAILABLE,
        f"this NATS user may not subscribe to {subject}, so it hears no stub there: it is of another session, or a "
        "tool's, whose stubs go to the agent (`publish`, `stream` and `publish_file` wait for none; `coatcheck grant "
        "--role agent` makes a user that hears them)",
        denied=subject,
        unheard=True,
    )


def is_unheard(error: RequestError) -> bool:
    """Whether all that is denied is to hear the stubs."""
    return error.details.get("unheard") is True


def resolve(futures: set[asyncio.Future[None]]) -> None:
    """Set each that is not done."""
    for future in futures:
        if not future.done():
            future.set_result(None)
