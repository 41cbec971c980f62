"""The edges of the flow of results: what it acts on, joined to one NATS server and one object store."""

from collections.abc import Awaitable, Callable
from concurrent.futures import Executor

import msgspec
from nats.aio.client import Client

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import EVENT_RESERVE_BYTES
from coatcheck_schemas.said import Said
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.clock import Clock, utc_now
from coatcheck_workers.flow.rehearsal import Rehearsal
from coatcheck_workers.flow.watching import Unwatched, Watching, WatchingEdges
from coatcheck_workers.isolation import Isolated
from coatcheck_workers.isolation.synopses import Describing, Unhurried
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.letters import Letters
from coatcheck_workers.streams.log import JetStreamLog
from coatcheck_workers.streams.ports import Log, Publishing
from coatcheck_workers.streams.publishing import Publisher
from coatcheck_workers.streams.tombstone import NoTombstones
from coatcheck_workers.uploads.describing import Describer
from coatcheck_workers.uploads.lanes import Lanes
from coatcheck_workers.uploads.taking import SPOOL_BYTES


class Edges(msgspec.Struct, frozen=True, kw_only=True):
    """What the flow acts on; a simulation has its own. `max_payload` is the NATS server's, in bytes.

    `rehearse` and `said_apart` read in another process what may kill the one that reads it.
    """

    publisher: Publishing
    results: Log
    ledger: Log
    held: Log
    chunks: Log
    stubs: Log
    letters: Letters
    store: Store
    executor: Executor
    pieces_executor: Executor
    describer: Describer
    max_payload: int
    rehearse: Callable[[Arrived], Awaitable[None]]
    said_apart: Callable[[Arrived], Awaitable[Said]]
    synopses: Describing = Unhurried()
    tombstones: NoTombstones
    watch: Watching = Unwatched()
    spool_bytes: int = SPOOL_BYTES
    now: Clock = utc_now

    @classmethod
    def connect(
        cls,
        settings: Settings,
        client: Client,
        store: Store,
        executor: Executor,
        pieces_executor: Executor,
        describer: Describer,
        isolated: Isolated,
        synopses: Describing,
        tombstones: NoTombstones,
        now: Clock,
        watch: WatchingEdges,
    ) -> "Edges":
        subjects = Subjects(settings.nats.prefix)
        seconds = settings.worker.ack_wait_seconds / 2
        max_event_bytes = client.max_payload - EVENT_RESERVE_BYTES
        rehearsal = Rehearsal(isolated=isolated, settings=settings, max_event_bytes=max_event_bytes)

        def log(name: str) -> Log:
            return JetStreamLog(client, subjects.stream(name), seconds)

        return cls(
            publisher=Publisher(client, subjects, timeout_seconds=seconds, carried=watch.carried, told=watch.published),
            results=log("results"),
            ledger=log("ledger"),
            held=log("held"),
            chunks=Lanes(log("chunks")),
            stubs=log("stubs"),
            letters=Letters(client, subjects, lambda: store),
            store=store,
            executor=executor,
            pieces_executor=pieces_executor,
            describer=describer,
            max_payload=client.max_payload,
            now=now,
            tombstones=tombstones,
            rehearse=rehearsal.of,
            said_apart=rehearsal.said,
            synopses=synopses,
            watch=watch,
        )
