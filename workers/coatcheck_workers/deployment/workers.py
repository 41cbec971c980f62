"""Ask all workers of a deployment what they do: `$SRV.STATS.coatcheck`, by the protocol of NATS's services.

What answers may be anything: a reply that is none is left out, and so is what other deployments say.
"""

from typing import Any

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from coatcheck_workers.discovery.messages import CONTROL, SERVICE

SUBJECT = f"{CONTROL}.STATS.{SERVICE}"
FIRST_SECONDS = 1.5
"""A worker that computes is late by milliseconds, one on a busy machine by some hundred."""
QUIET_SECONDS = 0.3
MOST_WORKERS = 1000
MOST_BYTES = 64 * 1024
_NO_RESPONDERS = "503"


class HeardEndpoint(msgspec.Struct, frozen=True):
    """As much as is shown of an endpoint's statistics, which anybody may have sent: nothing of it need be there.

    `average_processing_time` in nanoseconds, as the protocol has it.
    """

    name: str = ""
    num_requests: int = 0
    num_errors: int = 0
    average_processing_time: float = 0


class Histogram(msgspec.Struct, frozen=True):
    """How many took how long: `counts[i]` those up to `bounds[i]` seconds and over the one before; the last is open."""

    bounds: list[float] = []
    counts: list[int] = []


class WorkerFigures(msgspec.Struct, frozen=True):
    """What a worker says of itself beside the protocol's; None where it does not. Counts are since its start."""

    host: str | None = None
    pid: int | None = None
    rss_bytes: int | None = None
    in_flight: int | None = None
    in_flight_bytes: int | None = None
    results: int | None = None
    bytes: int | None = None
    dead_letters: int | None = None
    retries: int | None = None
    loop_lag_seconds: float | None = None
    result_seconds: Histogram | None = None


class WorkerStats(msgspec.Struct, frozen=True):
    """One worker's reply."""

    name: str
    id: str
    version: str = ""
    started: str = ""
    metadata: dict[str, str] | None = None
    endpoints: list[HeardEndpoint] = []
    data: WorkerFigures | None = None

    @property
    def figures(self) -> WorkerFigures:
        return self.data or WorkerFigures()

    @property
    def host(self) -> str | None:
        return self.figures.host or (self.metadata or {}).get("host")

    @property
    def pid(self) -> int | None:
        said = (self.metadata or {}).get("pid", "")
        return self.figures.pid or (int(said) if said.isascii() and said.isdecimal() and len(said) < 10 else None)

    @property
    def requests(self) -> int:
        return sum(one.num_requests for one in self.endpoints)

    @property
    def errors(self) -> int:
        return sum(one.num_errors for one in self.endpoints)


async def ask_workers(client: Client, prefix: str, first_seconds: float = FIRST_SECONDS) -> list[WorkerStats]:
    """The workers whose `nats.prefix` this is, by their ids; raises NatsError where NATS does not let us ask."""
    inbox = client.new_inbox()
    subscription = await client.subscribe(inbox, max_msgs=MOST_WORKERS)
    try:
        await client.publish(SUBJECT, b"", reply=inbox)
        heard: dict[str, WorkerStats] = {}
        patience = first_seconds
        while len(heard) < MOST_WORKERS:
            try:
                message = await subscription.next_msg(timeout=patience)
            except TimeoutError:
                break
            if _is_nobody(message):
                break
            worker = read_stats(message.data)
            if worker is not None and is_of(worker, prefix):
                heard[worker.id] = worker
            patience = QUIET_SECONDS
    finally:
        await _unsubscribe(subscription)
    return [heard[one] for one in sorted(heard)]


def read_stats(data: bytes) -> WorkerStats | None:
    """The stats that a reply is, or None. Pure."""
    if len(data) > MOST_BYTES:
        return None
    try:
        worker = msgspec.json.decode(data, type=WorkerStats)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return worker if worker.name == SERVICE else None


def is_of(worker: WorkerStats, prefix: str) -> bool:
    """Whether it is of the deployment with this prefix; one that does not say is taken for it."""
    return (worker.metadata or {}).get("prefix", prefix) == prefix


def _is_nobody(message: Msg) -> bool:
    return not message.data and (message.headers or {}).get("Status") == _NO_RESPONDERS


async def _unsubscribe(subscription: Any) -> None:
    try:
        await subscription.unsubscribe()
    except NatsError:
        return  # `max_msgs` has ended it, or the connection is gone
