"""Ask JetStream's API: patient while a cluster gathers or elects a leader, its errors as ours."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import nats.errors
from nats.js.errors import APIError, NotFoundError

from .errors import ProvisionError

T = TypeVar("T")

PATIENCE_SECONDS = 15.0
"""A leader that is gone is missed after 4 to 9 seconds."""
PAUSE_SECONDS = 0.25
_PASSING = frozenset({10005, 10008, 10118, 10119})
"""Too few servers are there yet; the system, the stream or the consumer has no leader at present."""


async def asked(doing: str, ask: Callable[[], Awaitable[T]], patience_seconds: float = PATIENCE_SECONDS) -> T:
    """What `ask` returns. Whatever it does must be harmless to repeat.

    Raises NotFoundError, and ProvisionError, with what was being done, where JetStream refuses or does not answer.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience_seconds
    while True:
        try:
            return await ask()
        except NotFoundError:
            raise
        except APIError as error:
            if error.err_code not in _PASSING or loop.time() >= deadline:
                raise ProvisionError(f"{doing}: {_said(error)}") from error
        except (TimeoutError, nats.errors.Error) as error:
            if not isinstance(error, TimeoutError) or loop.time() >= deadline:
                raise ProvisionError(f"{doing}: {_silent(error)}") from error
        await asyncio.sleep(PAUSE_SECONDS)


def _said(error: APIError) -> str:
    """nats-py makes an error of its own without a description where nobody serves the API."""
    return error.description or _silent(error)


def _silent(error: Exception) -> str:
    return f"JetStream does not answer ({str(error) or type(error).__name__}); is it enabled for this user?"
