"""The probe from end to end: what an agent does, in a session of its own."""

import base64
import secrets
import time
from typing import TYPE_CHECKING

from coatcheck.cli.invocation import Invocation
from coatcheck.cli.work import connected
from coatcheck_core.settings import ConfigError
from coatcheck_schemas.errors import CoatcheckError, RequestError

from ..doctor.finding import Finding, doubtful, failing, well
from ..doctor.in_nats import SESSION

if TYPE_CHECKING:
    from coatcheck.client import Client

__all__ = ["SESSION", "probed"]

PROBE = "probe"
TOOL = "coatcheck-doctor"
STUB_SECONDS = 20.0
SLOW_SECONDS = 2.0
_SMALL = "coatcheck doctor was here"
_LARGE_BYTES = 30_000
_BINARY = bytes(range(256))
"""What is no text is always offloaded, whatever the budgets."""


class Unexpected(Exception):
    """A step went otherwise than it must; the text says how."""


async def probed(invocation: Invocation) -> Finding:
    """A small result and its stub; a large one stored, read as it was, deleted."""
    began = time.monotonic()
    try:
        async with connected(invocation) as client:
            await _small(client)
            await _large(client)
    except Unexpected as error:
        return failing(PROBE, str(error), "see the workers' logs at this time, and the findings above")
    except RequestError as error:
        mend = "see the findings above: the first that fails is most often why"
        return failing(PROBE, f"{error.code}: {error.message}", mend)
    except (CoatcheckError, ConfigError, OSError) as error:
        return failing(PROBE, str(error), "see the findings above")
    seconds = time.monotonic() - began
    found = f"published, stored, read and deleted in {seconds:.1f} s"
    if seconds > SLOW_SECONDS:
        return doubtful(PROBE, f"{found}: that is slow", "see `coatcheck top`: backlog, latencies, and the store's")
    return well(PROBE, found)


async def _small(client: "Client") -> None:
    event = await client.submit(SESSION, _SMALL, tool_name=TOOL, timeout=STUB_SECONDS)
    if event.disposition == "failed":
        raise Unexpected(f"a small result failed: {event.content}")


async def _large(client: "Client") -> None:
    data = secrets.token_bytes(16) + _BINARY * (_LARGE_BYTES // len(_BINARY))
    event = await client.submit(SESSION, data, tool_name=TOOL, timeout=STUB_SECONDS)
    if event.disposition != "offloaded" or event.ref is None:
        raise Unexpected(f"a binary result of {len(data)} bytes is {event.disposition}, not offloaded: {event.reason}")
    try:
        page = await client.read(event.ref, limit=-1, unit="bytes")
        if base64.b64decode(page.content) != data:
            raise Unexpected(f"{len(data)} bytes were stored, and others are read")
    finally:
        deleted = (await client.delete(event.ref)).deleted
    if deleted != 1:
        raise Unexpected(f"a result was to be deleted, and {deleted} were")
