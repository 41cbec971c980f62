"""What a deployment does at one moment."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta

import click
import msgspec
from nats.aio.client import Client
from nats.errors import Error as NatsError

from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import CoatcheckError, InvalidInput

from ..deployment.jetstream import JetStreamStates, oldest_of
from ..deployment.states import ConsumerState, StreamState
from ..deployment.workers import WorkerStats, ask_workers
from ..streams.words import in_words

NAME = "coatcheck-top"
Connect = Callable[[Settings, str], AbstractAsyncContextManager[Client]]


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """`at` is a time of this machine, `seconds` of a clock that only goes forward; `oldest` waits in the queue."""

    at: datetime
    seconds: float
    workers: list[WorkerStats]
    streams: list[StreamState]
    consumers: list[ConsumerState]
    oldest: timedelta | None = None

    @property
    def backlog(self) -> int:
        return sum(one.pending for one in self.consumers)

    @property
    def in_hand(self) -> int:
        return sum(one.ack_pending for one in self.consumers)

    @property
    def tried_again(self) -> int:
        return sum(one.redelivered for one in self.consumers)

    @property
    def letters(self) -> int:
        return sum(one.messages for one in self.streams if one.name == "dlq")


async def take(client: Client, settings: Settings) -> Snapshot:
    """All asked at once. Raises ProvisionError and NatsError where NATS does not answer."""
    states = JetStreamStates(client, settings)
    workers, streams, consumers = await asyncio.gather(
        ask_workers(client, settings.nats.prefix), states.streams(), states.consumers()
    )
    now = datetime.now(UTC)
    return Snapshot(
        at=now,
        seconds=time.monotonic(),
        workers=workers,
        streams=list(streams.values()),
        consumers=consumers,
        oldest=oldest_of(streams.get("results"), now),
    )


async def snapshots(settings: Settings, connect: Connect, interval: float) -> AsyncGenerator[Snapshot | str, None]:
    """For ever, one each `interval` seconds; while NATS is away why it is, in its place.

    Raises ClickException where it was never there.
    """
    is_first = True
    while True:
        try:
            async with connect(settings, NAME) as client:
                while True:
                    yield await take(client, settings)
                    is_first = False
                    await asyncio.sleep(interval)
        except click.ClickException as error:
            if is_first:
                raise
            yield error.message
        except InvalidInput:
            raise  # of the settings: it will not pass
        except (CoatcheckError, NatsError, OSError) as error:
            if is_first:
                raise click.ClickException(f"NATS does not answer: {in_words(error)}") from error
            yield f"NATS does not answer: {in_words(error)}"
        await asyncio.sleep(interval)
