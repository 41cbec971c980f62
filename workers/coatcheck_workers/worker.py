"""The composition root: the one file that sees every part of a worker and joins them."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from nats.aio.client import Client
from nats.aio.msg import Msg

from coatcheck_core.decision import Rules
from coatcheck_core.settings import Settings
from coatcheck_core.tokens import counter
from coatcheck_schemas.errors import CoatcheckError, InvalidSubject, StoreUnavailable
from coatcheck_schemas.events import EVENT_RESERVE_BYTES, MESSAGE_RESERVE_BYTES
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.connection import Connection
from coatcheck_workers.intake.pull import Consume, Pull
from coatcheck_workers.intake.requests import Requests
from coatcheck_workers.provisioning import DURABLE, verify
from coatcheck_workers.publishing import Publisher
from coatcheck_workers.results import Results
from coatcheck_workers.retrieval import Retrieval, StubLog, answer, refuse
from coatcheck_workers.settling import Settling
from coatcheck_workers.storage import S3Store
from coatcheck_workers.subscribers import subscribe_requests, subscribe_results

log = logging.getLogger("coatcheck.worker")

MIN_PAYLOAD_BYTES = 128 * 1024
"""Below this not every stub fits one message."""
_MESSAGE_OVERHEAD_BYTES = 16 * 1024
"""Subject, headers and reply of a message beside its body, as `max_bytes` of a pull counts them."""


class Unusable(CoatcheckError):
    """The settings and the server do not go together; the message says what to change."""


class Worker:
    """One worker process: results in, stubs out, requests answered, until it is stopped."""

    def __init__(self, settings: Settings, store: Store | None = None) -> None:
        self._settings = settings
        self._store = store
        self._connection = Connection(settings)
        self._pull: Pull | None = None
        self._requests: list[Requests] = []
        self._executor = ThreadPoolExecutor(2, thread_name_prefix="coatcheck-decide")

    async def start(self) -> None:
        """Connect (waiting for a NATS that is away), check what is provisioned, and take work.

        Raises Unusable, StoreRejected, or provisioning's errors; nothing of the deployment is changed.
        """
        settings = self._settings
        broker = self._connection.broker
        client = await self._connection.open()
        subjects = Subjects(settings.nats.prefix)
        jetstream = client.jetstream()
        _check_sizes(settings, client)
        await verify(jetstream, settings)
        store = self._store or S3Store.from_settings(settings.storage)
        await _check_store(store)
        keys = Keys(settings.storage.prefix)
        publisher = Publisher(client, subjects, timeout_seconds=settings.worker.ack_wait_seconds / 2)
        rules = Rules(
            settings=settings,
            keys=keys,
            count=_count(settings),
            uri=store.uri,
            max_event_bytes=client.max_payload - EVENT_RESERVE_BYTES,
        )
        results = Results(rules=rules, subjects=subjects, store=store, publisher=publisher, executor=self._executor)
        settling = Settling(
            client=client,
            subjects=subjects,
            keys=keys,
            store=store,
            publisher=publisher,
            ack_wait_seconds=settings.worker.ack_wait_seconds,
            longest_delay_seconds=settings.storage.retry_max_seconds,
        )
        retrieval = Retrieval(
            store=store,
            keys=keys,
            events=StubLog(client, subjects),
            settings=settings,
            max_reply_bytes=client.max_payload - MESSAGE_RESERVE_BYTES,
        )

        async def on_result(message: Msg) -> None:
            await settling.settle(message, results.handle(message))

        async def on_request(verb: str, message: Msg) -> tuple[bytes, dict[str, str]]:
            try:
                session = subjects.parse_session(message.subject)
            except InvalidSubject as error:
                refused = refuse(error)
                return refused.body, refused.headers
            answered = await answer(retrieval, verb, session, message.data)
            return answered.body, answered.headers

        subscribe_results(broker, subjects, on_result, lambda consume: self._make_pull(client, subjects, consume))
        subscribe_requests(
            broker,
            subjects,
            on_request,
            lambda subject, queue, consume: self._make_requests(client, subject, queue, consume),
        )
        await broker.start()
        self._connection.started()
        log.info("taking results from %s", subjects.stream("results"))

    async def stop(self) -> None:
        """Take nothing more, finish what is in hand within the grace period, hand the rest back, disconnect."""
        self._connection.stopping()
        grace = self._settings.worker.grace_seconds
        sources = [source for source in (self._pull, *self._requests) if source is not None]
        # First no new work, from anywhere; only then wait: what is in hand may still publish and answer.
        await asyncio.gather(*(source.unsubscribe() for source in sources))
        await asyncio.gather(*(source.finish(grace) for source in sources))
        await self._connection.close()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _make_pull(self, client: Client, subjects: Subjects, consume: Consume) -> Pull:
        worker = self._settings.worker
        self._pull = Pull(
            client,
            subjects.stream("results"),
            DURABLE,
            consume,
            in_flight=worker.in_flight,
            in_flight_bytes=worker.in_flight_bytes,
            largest_message_bytes=client.max_payload + _MESSAGE_OVERHEAD_BYTES,
        )
        return self._pull

    def _make_requests(self, client: Client, subject: str, queue: str, consume: Consume) -> Requests:
        requests = self._settings.requests
        source = Requests(
            client,
            subject,
            queue,
            consume,
            in_flight=requests.in_flight,
            inbox_prefixes=requests.inbox_prefixes,
        )
        self._requests.append(source)
        return source


def _count(settings: Settings) -> Callable[[str], int]:
    try:
        return counter(settings.budget.unit)
    except ValueError as error:
        raise Unusable(str(error)) from error


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
