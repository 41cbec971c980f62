"""The composition root: the one file that sees every part of a worker and joins them."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from coatcheck_core.settings import Settings
from coatcheck_core.settings.inboxes import reply_prefixes
from coatcheck_core.synopsis import warm_up
from coatcheck_schemas.errors import InvalidSubject, StoreUnavailable
from coatcheck_schemas.events import MESSAGE_RESERVE_BYTES
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import CLEAR, FILESYSTEM, Subjects
from coatcheck_workers.clearing.answering import answer_clear
from coatcheck_workers.clock import utc_now
from coatcheck_workers.connection import Connection
from coatcheck_workers.deleting.deletions import Deletions
from coatcheck_workers.deleting.stored import StoredTombstones
from coatcheck_workers.discovery import own
from coatcheck_workers.discovery.counting import RequestCounts
from coatcheck_workers.discovery.responder import Responder
from coatcheck_workers.filesystem.answering import answer_file
from coatcheck_workers.flow import rehearsal
from coatcheck_workers.flow.edges import Edges
from coatcheck_workers.flow.joining import Flow, Unusable
from coatcheck_workers.flow.left_behind import LeftBehind
from coatcheck_workers.intake.answered import Answered, Observe
from coatcheck_workers.intake.pull import Consume, Pull
from coatcheck_workers.intake.request_limits import limits_of
from coatcheck_workers.intake.requests import Requests
from coatcheck_workers.isolation import Isolated, IsolatedPool
from coatcheck_workers.isolation.synopses import CHILD_MEMORY_BYTES, CHILDREN, IDLE_SECONDS, Synopses, grace_seconds
from coatcheck_workers.process.background import stand_back
from coatcheck_workers.process.memory import give_back_for_ever, give_back_free_pages
from coatcheck_workers.process.vital import ended, vital
from coatcheck_workers.process.watchdog import WatchedThreads
from coatcheck_workers.provisioning import DURABLE, verify
from coatcheck_workers.retrieval import Copies, RequestThreads, Retrieval, StubLog, answer, refuse
from coatcheck_workers.storage import Gate, open_store
from coatcheck_workers.storage.tls import tls_context
from coatcheck_workers.storage.watched import WatchedStore
from coatcheck_workers.streams.log import JetStreamLog
from coatcheck_workers.streams.piece_stream import PieceStream
from coatcheck_workers.streams.publishing import Publisher
from coatcheck_workers.streams.server_time import ServerTime
from coatcheck_workers.streams.tombstones import Tombstones
from coatcheck_workers.subscribers import subscribe_due, subscribe_requests, subscribe_results
from coatcheck_workers.telemetry.instruments import Telemetry
from coatcheck_workers.uploads.describing import ChildDescriber
from coatcheck_workers.uploads.seats import Seats
from coatcheck_workers.uploads.unopened import Unopened

log = logging.getLogger("coatcheck.worker")

PIECES_AT_ONCE = 1
"""Originals whose bytes are worked on at a time, however many come. A second thread made eight of them no faster on two
processors, and small results wait three times as long."""
MIN_PAYLOAD_BYTES = 128 * 1024
"""Below this not every stub fits one message."""
_MESSAGE_OVERHEAD_BYTES = 16 * 1024
"""Subject, headers and reply of a message beside its body, as `max_bytes` of a pull counts them."""


class Worker:
    """One worker process: results in, stubs out, requests answered, until it is stopped."""

    def __init__(self, settings: Settings, store: Store | None = None) -> None:
        self._settings = settings
        self._store = store
        self._connection = Connection(settings)
        if store is None:
            tls_context(settings.storage)  # a file that is wrong is told at once, and not when NATS is there
        self.telemetry = Telemetry(settings, self._connection)
        self._pulls: list[Pull] = []
        self._requests: list[Requests] = []
        self._request_counts = RequestCounts()
        self._observers: list[Observe] = [self._request_counts.observe, self.telemetry.counts.answered]
        self._responder: Responder | None = None
        self._seats: Seats | None = None
        self._beside: list[asyncio.Task[None]] = []
        self._isolated = Isolated(rehearsal.TIMEOUT_SECONDS, rehearsal.MAX_MEMORY_BYTES)
        grace = grace_seconds(settings.worker.synopsis_seconds)
        self._children = IsolatedPool(CHILDREN, grace, CHILD_MEMORY_BYTES, idle_seconds=IDLE_SECONDS)
        self.telemetry.standing.children = [self._children, self._isolated]
        self._copies = Copies(settings.requests)
        self._deletions: Deletions | None = None
        self._request_threads = RequestThreads()
        self.threads = WatchedThreads(2, "coatcheck-decide")
        self._pieces_threads = ThreadPoolExecutor(PIECES_AT_ONCE, "coatcheck-pieces", initializer=stand_back)

    async def start(self) -> None:
        """Connect (waiting for a NATS that is away), check what is provisioned, and take work.

        Raises Unusable, CannotListen, StoreRejected, or provisioning's errors; nothing of the deployment is changed.
        """
        settings, telemetry = self._settings, self.telemetry
        # Beside connecting, and done before there is work: it takes 200 ms of the processor, as 1,000 small results do.
        warming = self.threads.submit(warm_up)
        await telemetry.open()
        broker = self._connection.broker
        client = await self._connection.open()
        subjects = Subjects(settings.nats.prefix)
        jetstream = client.jetstream()
        _check_sizes(settings, client)
        await verify(jetstream, settings)
        store = WatchedStore(self._store or open_store(settings.storage), telemetry.watch.stored)
        await _check_store(store)
        time = ServerTime(client, subjects.stream("results"))
        await time.measure()
        telemetry.watch.now = time
        tombstones = _tombstones(settings, client, store)
        await tombstones.follow(client)
        synopses = Synopses(self._children, settings.worker.synopsis_seconds, asyncio.get_running_loop())
        gate = telemetry.standing.gate = Gate(store)
        edges = Edges.connect(
            settings,
            client,
            gate,
            self.threads,
            self._pieces_threads,
            ChildDescriber(self._children, settings.worker.synopsis_seconds),
            self._isolated,
            synopses,
            tombstones,
            time,
            telemetry.watch,
        )
        flow = Flow.join(settings, edges)
        seats = self._seats = telemetry.standing.seats = flow.results.receiving.seats
        keys = Keys(settings.storage.prefix)
        tombstones.on_buried(lambda session, rid: self._copies.give_up(keys.link(session, f"{rid}." if rid else "")))
        self._deletions = Deletions.connect(settings, client, store, tombstones, time)
        retrieval = Retrieval(
            copies=self._copies,
            tombstones=tombstones,
            deleter=self._deletions,
            now=time,
            store=store,
            keys=keys,
            events=StubLog(client, subjects),
            settings=settings,
            max_reply_bytes=client.max_payload - MESSAGE_RESERVE_BYTES,
        )
        telemetry.standing.damage = retrieval.damage

        async def on_request(verb: str, message: Msg) -> tuple[bytes, dict[str, str]]:
            try:
                session = subjects.parse_session(message.subject)
            except InvalidSubject as error:
                return _refused(error)
            operation = message.subject.rpartition(".")[2]
            is_grep = verb == FILESYSTEM and operation == "grep"
            with telemetry.watch.requesting(verb, message), self._request_threads.of("search" if is_grep else verb):
                if verb == FILESYSTEM:
                    answered = await answer_file(retrieval, operation, session, message.data)
                elif verb == CLEAR:
                    answered = await answer_clear(retrieval, session, message.data)
                else:
                    answered = await answer(retrieval, verb, session, message.data)
            return answered.body, answered.headers

        make_pull = partial(self._make_pull, client)
        subscribe_results(broker, subjects, flow.on_result, partial(make_pull, subjects.stream("results")))
        subscribe_due(broker, subjects, flow.on_due, partial(make_pull, subjects.stream("held")))
        subscribe_requests(
            broker,
            subjects,
            on_request,
            lambda subject, queue, consume: self._make_requests(client, subject, queue, consume),
            client.publish,
        )
        left_behind = LeftBehind(edges.results, edges.publisher, partial(ack_floor, jetstream, subjects), tombstones)
        patience = settings.worker.ack_wait_seconds / 2
        unopened = Unopened(
            PieceStream(client, subjects.stream("chunks"), patience),
            edges.results,
            JetStreamLog(client, subjects.stream("dlq"), patience),
            subjects,
            settings.upload.idle_seconds,
            telemetry.counts.uploads_unopened,
        )
        await asyncio.wrap_future(warming)
        await broker.start()
        self._responder = self._make_responder(client)
        await self._responder.start()
        self._beside = [
            vital(flow.overdue.look_for_ever(), "coatcheck-overdue"),
            vital(left_behind.look_for_ever(), "coatcheck-left-behind"),
            vital(unopened.look_for_ever(), "coatcheck-unopened"),
            vital(time.measure_for_ever(), "coatcheck-time"),
            vital(tombstones.follow_for_ever(), "coatcheck-tombstones"),
            vital(self._deletions.look_for_ever(), "coatcheck-deletions"),
            vital(give_back_for_ever(lambda: not seats.taken, give_back_free_pages), "coatcheck-memory"),
            *(vital(polling, "coatcheck-telemetry") for polling in telemetry.polling(jetstream)),
        ]
        self._connection.started()
        telemetry.working()
        log.info("taking results from %s", subjects.stream("results"))

    async def stop(self) -> None:
        """Take nothing more, finish what is in hand within the grace period, hand the rest back, disconnect."""
        self._connection.stopping()
        self.telemetry.stopping()
        if self._responder is not None:
            await self._responder.stop()
        if self._seats is not None:
            self._seats.close()
        await ended(self._beside)
        grace = self._settings.worker.grace_seconds
        sources: list[Pull | Requests] = [*self._pulls, *self._requests]
        # First no new work, from anywhere; only then wait: what is in hand may still publish and answer.
        await asyncio.gather(*(source.unsubscribe() for source in sources))
        await asyncio.gather(*(source.finish(grace) for source in sources))
        await self._copies.close()
        if self._deletions is not None:
            await self._deletions.close()
        await self._connection.close()
        await self._isolated.close()
        await self._children.close()
        self.threads.shutdown(wait=False, cancel_futures=True)
        self._pieces_threads.shutdown(wait=False, cancel_futures=True)
        self._request_threads.close()
        await self.telemetry.close()

    def _make_pull(self, client: Client, stream: str, consume: Consume) -> Pull:
        worker = self._settings.worker
        pull = Pull(
            client,
            stream,
            DURABLE,
            consume,
            in_flight=worker.in_flight,
            in_flight_bytes=worker.in_flight_bytes,
            largest_message_bytes=client.max_payload + _MESSAGE_OVERHEAD_BYTES,
            progress_seconds=worker.ack_wait_seconds / 3,
        )
        self._pulls.append(pull)
        self.telemetry.standing.pulls[self.telemetry.short_name(stream)] = pull
        return pull

    def _make_requests(self, client: Client, subject: str, queue: str, consume: Consume) -> Requests:
        requests = self._settings.requests
        verb = subject.removeprefix(f"{self._settings.nats.prefix}.").partition(".")[0]
        source = Requests(
            client,
            subject,
            queue,
            consume,
            limits=limits_of(requests, verb),
            inbox_prefixes=reply_prefixes(requests),
            refuse=_refused,
            hear_dropped=self._connection.hear_dropped,
            observe=self._observe,
        )
        self._requests.append(source)
        self.telemetry.standing.requests.append(source)
        return source

    def _observe(self, answered: Answered) -> None:
        for observe in self._observers:
            observe(answered)

    def _make_responder(self, client: Client) -> Responder:
        return Responder(
            client,
            own.identity(self._settings.nats.prefix),
            own.endpoints(self._requests),
            self._request_counts,
            started=utc_now(),
            inbox_prefixes=reply_prefixes(self._settings.requests),
            figures=lambda: own.process_figures() | self.telemetry.figures(),
            hear_dropped=self._connection.hear_dropped,
        )


def _refused(error: Exception) -> tuple[bytes, dict[str, str]]:
    refusal = refuse(error)
    return refusal.body, refusal.headers


async def ack_floor(jetstream: JetStreamContext, subjects: Subjects) -> int:
    """The sequence in COAT_RESULTS up to which the workers have acknowledged all."""
    info = await jetstream.consumer_info(subjects.stream("results"), DURABLE)
    return 0 if info.ack_floor is None else info.ack_floor.stream_seq


def _tombstones(settings: Settings, client: Client, store: Store) -> Tombstones:
    subjects, seconds = Subjects(settings.nats.prefix), settings.worker.ack_wait_seconds / 2
    return Tombstones(
        Publisher(client, subjects, seconds),
        JetStreamLog(client, subjects.stream("deleted"), seconds),
        subjects,
        StoredTombstones(store, Keys(settings.storage.prefix)).deleted_at,
        settings.streams.deleted.max_bytes,
    )


async def _check_store(store: Store) -> None:
    """Raises StoreRejected where no waiting helps; a store that is away is what retries are for."""
    try:
        await store.check()
    except StoreUnavailable as error:
        log.warning("%s; results that need it will wait", error)


def _check_sizes(settings: Settings, client: Client) -> None:
    if client.max_payload < MIN_PAYLOAD_BYTES:
        raise Unusable(
            f"the NATS server's max_payload is {client.max_payload}; raise it to {MIN_PAYLOAD_BYTES} or more"
        )
    least = client.max_payload + _MESSAGE_OVERHEAD_BYTES
    if settings.worker.in_flight_bytes < least:
        raise Unusable(
            f"worker.in_flight_bytes is {settings.worker.in_flight_bytes}, less than one message: at least {least}"
        )
