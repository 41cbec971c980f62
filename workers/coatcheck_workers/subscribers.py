"""The FastStream subscribers: one for results, one for what was held and is due, one for each kind of request."""

from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple, Protocol

from faststream import AckPolicy
from faststream.nats import JStream, NatsBroker, NatsMessage, NatsResponse, PullSub
from nats.aio.msg import Msg

from coatcheck_schemas.subjects import FILESYSTEM, VERBS, Subjects
from coatcheck_workers.provisioning import DURABLE

QUEUE = "workers"

_MAX_CORRELATION_CHARS = 64
CORRELATION = "correlation_id"
"""By which FastStream's clients know a reply."""


class Source(Protocol):
    """Where a subscriber's messages come from, in place of FastStream's own subscription."""

    async def start(self) -> None: ...

    async def unsubscribe(self) -> None: ...


class Publish(Protocol):
    """As a connection publishes."""

    async def __call__(self, subject: str, payload: bytes, *, headers: dict[str, str] | None = None) -> None: ...


class Replied(NamedTuple):
    """What went out, with the two attributes that FastStream's responses have as well."""

    body: bytes
    headers: dict[str, str]


Consume = Callable[[Msg], Coroutine[Any, Any, Any]]
"""The whole way of a message: what was replied, where it is a request and came to its end."""
Answer = Callable[[str, Msg], Coroutine[Any, Any, tuple[bytes, dict[str, str]]]]


def subscribe_results(
    broker: NatsBroker,
    subjects: Subjects,
    handle: Callable[[Msg], Coroutine[Any, Any, None]],
    make_source: Callable[[Consume], Source],
) -> None:
    """Results, and the ends of turns, which lie in the same stream."""
    _subscribe_work(broker, f"{subjects.prefix}.results.>", subjects.stream("results"), handle, make_source, "results")


def subscribe_due(
    broker: NatsBroker,
    subjects: Subjects,
    handle: Callable[[Msg], Coroutine[Any, Any, None]],
    make_source: Callable[[Consume], Source],
) -> None:
    """What was held and has fallen due."""
    _subscribe_work(broker, subjects.everything_due, subjects.stream("held"), handle, make_source, "due")


def _subscribe_work(
    broker: NatsBroker,
    pattern: str,
    stream: str,
    handle: Callable[[Msg], Coroutine[Any, Any, None]],
    make_source: Callable[[Consume], Source],
    title: str,
) -> None:
    """`handle` settles the message by itself. Nothing replies: a `reply_to` header would aim a reply at any subject."""
    subscriber = broker.subscriber(
        pattern,
        stream=JStream(stream, declare=False),
        durable=DURABLE,
        pull_sub=PullSub(),
        ack_policy=AckPolicy.MANUAL,
        no_reply=True,
        title=title,
    )

    @subscriber
    async def on_message(message: NatsMessage) -> None:
        await handle(message.raw_message)

    _feed(subscriber, make_source(_shortened(subscriber, handle)))


def subscribe_requests(
    broker: NatsBroker,
    subjects: Subjects,
    handle: Answer,
    make_source: Callable[[str, str, Consume], Source],
    publish: Publish,
) -> None:
    """`handle` gets the verb and the message, and always returns a body and headers; `publish` sends them."""
    patterns = {verb: f"{subjects.prefix}.{verb}.*" for verb in VERBS}
    patterns[FILESYSTEM] = f"{subjects.prefix}.{FILESYSTEM}.*.*"
    for verb, pattern in patterns.items():
        _subscribe_request(broker, verb, pattern, handle, make_source, publish)


def _subscribe_request(
    broker: NatsBroker,
    verb: str,
    pattern: str,
    handle: Answer,
    make_source: Callable[[str, str, Consume], Source],
    publish: Publish,
) -> None:
    subscriber = broker.subscriber(pattern, queue=QUEUE, title=verb)

    @subscriber
    async def on_request(message: NatsMessage) -> NatsResponse:
        body, headers = await handle(verb, message.raw_message)
        return NatsResponse(body, headers=headers, correlation_id=_returned(message.correlation_id) or "-")

    async def reply(message: Msg) -> Replied:
        body, headers = await handle(verb, message)
        correlation_id = _returned((message.headers or {}).get(CORRELATION))
        if correlation_id:
            headers = {**headers, CORRELATION: correlation_id}
        await publish(message.reply, body, headers=headers or None)
        return Replied(body, headers)

    _feed(subscriber, make_source(pattern, QUEUE, _shortened(subscriber, reply)))


def _returned(correlation_id: str | None) -> str:
    """It goes back as it came, cut short: over the reserve for headers the server would drop the connection."""
    return (correlation_id or "")[:_MAX_CORRELATION_CHARS]


def _shortened(subscriber: Any, handle: Callable[[Msg], Coroutine[Any, Any, Any]]) -> Consume:
    """FastStream's way of a message without what nobody here uses, which costs as much as handling it.

    It enters contexts, a parser, a decoder and middlewares. For a handler that takes the raw message and settles or
    answers it by itself, only the middlewares of the broker do anything: where there are any, it is the whole way.
    """

    async def consume(message: Msg) -> Any:
        if subscriber._broker_middlewares:
            return await subscriber.consume(message)
        if subscriber.running:
            with subscriber.lock:  # what the subscriber's stop waits for
                return await handle(message)
        return None

    return consume


def _feed(subscriber: Any, source: Source) -> None:
    """Put the source in place of FastStream's subscription: its middlewares, its stop and its AsyncAPI stay.

    The one private hook that we use, pinned by the version of FastStream and by a test.
    """

    async def create_subscription() -> None:
        subscriber.subscription = source
        await source.start()

    subscriber._create_subscription = create_subscription
    # Made for each message, for a logger that is off.
    subscriber.get_log_context = lambda message: {}
