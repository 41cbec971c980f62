"""NATS's time. Deadlines and delays are set and judged by many workers, whose own clocks may differ."""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta

import msgspec
from nats.aio.client import Client
from nats.errors import Error as NatsError

from coatcheck_workers.clock import utc_now
from coatcheck_workers.streams.words import in_words

log = logging.getLogger("coatcheck.time")

EACH_SECONDS = 60.0
_TIMEOUT_SECONDS = 2.0
_TELLING = timedelta(seconds=1)


class _Info(msgspec.Struct, frozen=True):
    ts: datetime | None = None


class ServerTime:
    """A clock that goes by the server's: this machine's, corrected by what the server last said of a stream.

    Where it does not answer, the last correction stands.
    """

    def __init__(self, client: Client, stream: str, now: Callable[[], datetime] = utc_now) -> None:
        self._client = client
        self._subject = f"$JS.API.STREAM.INFO.{stream}"
        self._now = now
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        return self._now() + self._ahead

    async def measure(self) -> None:
        asked = self._now()
        try:
            reply = await self._client.request(self._subject, b"", timeout=_TIMEOUT_SECONDS)
            told = msgspec.json.decode(reply.data, type=_Info).ts
        except (NatsError, TimeoutError, msgspec.MsgspecError) as error:
            log.warning("NATS's time is not known anew: %s", in_words(error, _TIMEOUT_SECONDS))
            return
        if told is None:
            return
        before, self._ahead = self._ahead, told - asked - (self._now() - asked) / 2
        if abs(self._ahead - before) > _TELLING:
            log.warning("this machine's clock differs from NATS's by %.1f s", -self._ahead.total_seconds())

    async def measure_for_ever(self) -> None:
        while True:
            await asyncio.sleep(EACH_SECONDS)
            await self.measure()
