"""Results and requests are FastStream subscribers, fed by our own sources."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from types import SimpleNamespace
from typing import Any, cast

import pytest
from faststream import BaseMiddleware
from faststream.nats import NatsBroker
from nats.aio.msg import Msg

from coatcheck_schemas.subjects import FILESYSTEM, VERBS, Subjects
from coatcheck_workers.provisioning import DURABLE
from coatcheck_workers.subscribers import QUEUE, Answer, Consume, subscribe_requests, subscribe_results

SUBJECTS = Subjects("mine")


class RecordingSource:
    """Stands where FastStream's own subscription would.

    The broker knows its subscribers weakly: a source that consumes keeps its one alive, here as in a worker.
    """

    def __init__(self, consume: Consume) -> None:
        self.consume = consume
        self.calls: list[str] = []

    async def start(self) -> None:
        self.calls.append("start")

    async def unsubscribe(self) -> None:
        self.calls.append("unsubscribe")


async def on_result(message: Msg) -> None:
    raise AssertionError("nothing is received here")


async def on_request(verb: str, message: Msg) -> tuple[bytes, dict[str, str]]:
    raise AssertionError("nothing is received here")


Sent = tuple[str, bytes, dict[str, str] | None]


def subscribed(
    handle: Callable[[Msg], Coroutine[Any, Any, None]] = on_result,
    answer: Answer = on_request,
    sent: list[Sent] | None = None,
) -> tuple[NatsBroker, dict[str, RecordingSource]]:
    """A broker that is connected to nothing, and the sources by what they take."""
    broker = NatsBroker()
    sources: dict[str, RecordingSource] = {}

    def source_of(name: str, consume: Consume) -> RecordingSource:
        return sources.setdefault(name, RecordingSource(consume))

    subscribe_results(broker, SUBJECTS, handle, lambda consume: source_of("results", consume))

    async def publish(subject: str, payload: bytes, *, headers: dict[str, str] | None = None) -> None:
        assert sent is not None, "nothing is published here"
        sent.append((subject, payload, headers))

    subscribe_requests(
        broker, SUBJECTS, answer, lambda subject, queue, consume: source_of(f"{subject} {queue}", consume), publish
    )
    return broker, sources


def subscriber_on(broker: NatsBroker, subject: str) -> Any:
    (found,) = [subscriber for subscriber in broker.subscribers if subject_of(subscriber) == subject]
    return found


def subject_of(subscriber: Any) -> str:
    return str(subscriber.subject.template)


def test_results_and_every_request_are_subscribers_of_the_broker() -> None:
    broker, _ = subscribed()
    subjects = sorted(map(subject_of, broker.subscribers))
    requests = [f"mine.{verb}.*" for verb in VERBS]
    assert subjects == sorted(["mine.results.>", *requests, f"mine.{FILESYSTEM}.*.*"])


def test_requests_are_shared_by_all_workers() -> None:
    _, sources = subscribed()
    assert {name.partition(" ")[2] for name in sources if name != "results"} == {QUEUE}


def test_results_come_from_the_one_durable_consumer_and_declare_nothing() -> None:
    broker, _ = subscribed()
    subscriber = subscriber_on(broker, "mine.results.>")
    assert subscriber.stream.name == "MINE_RESULTS"
    assert not subscriber.stream.declare
    assert subscriber.config.durable_name == DURABLE


@pytest.mark.parametrize("subject", ["mine.results.>", "mine.read.*", f"mine.{FILESYSTEM}.*.*"])
def test_the_private_hook_that_our_source_replaces_is_there(subject: str) -> None:
    broker, _ = subscribed()
    subscriber = subscriber_on(broker, subject)
    hook: Callable[..., Any] | None = getattr(type(subscriber), "_create_subscription", None)
    assert callable(hook)
    assert "subscription" in vars(subscriber)


@pytest.mark.parametrize(
    ("subject", "name"), [("mine.results.>", "results"), ("mine.search.*", f"mine.search.* {QUEUE}")]
)
async def test_a_subscriber_starts_and_stops_our_source(subject: str, name: str) -> None:
    broker, sources = subscribed()
    broker._setup_logger()  # `connect` does it, as FastStream's own test broker does
    subscriber = subscriber_on(broker, subject)
    await subscriber.start()
    assert sources[name].calls == ["start"]
    await subscriber.stop()
    assert sources[name].calls == ["start", "unsubscribe"]


def delivered() -> Msg:
    client = cast(Any, SimpleNamespace())
    return Msg(_client=client, subject="mine.results.s.t.c", reply="$JS.ACK.S.C.1.2.3.4.5", data=b"{}")


async def started(broker: NatsBroker, subject: str = "mine.results.>") -> Any:
    broker._setup_logger()
    subscriber = subscriber_on(broker, subject)
    await subscriber.start()
    return subscriber


async def test_result_reaches_its_handler_as_it_came() -> None:
    taken: list[Msg] = []

    async def handle(message: Msg) -> None:
        taken.append(message)

    broker, sources = subscribed(handle)
    await started(broker)
    message = delivered()
    await sources["results"].consume(message)
    assert len(taken) == 1
    assert taken[0] is message


async def test_middlewares_of_the_broker_see_each_result() -> None:
    seen: list[str] = []

    class Watching(BaseMiddleware[Any, Any]):
        async def on_receive(self) -> None:
            seen.append("before")

        async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: Any) -> Any:
            seen.append(msg.raw_message.subject)
            return await call_next(msg)

    async def handle(message: Msg) -> None:
        seen.append("handled")

    broker, sources = subscribed(handle)
    await started(broker)
    broker.add_middleware(Watching)  # even now: the way is chosen for each result
    await sources["results"].consume(delivered())
    assert seen == ["before", "mine.results.s.t.c", "handled"]


@pytest.mark.parametrize("name", ["_broker_middlewares", "running", "lock", "consume"])
def test_what_the_short_way_asks_of_a_subscriber_is_there(name: str) -> None:
    broker, _ = subscribed()
    assert hasattr(subscriber_on(broker, "mine.results.>"), name)


async def test_subscriber_that_has_stopped_takes_no_result() -> None:
    broker, sources = subscribed()
    subscriber = await started(broker)
    await subscriber.stop()
    await sources["results"].consume(delivered())  # the handler would raise


async def test_stop_of_the_subscriber_waits_for_a_result_in_hand() -> None:
    let_go = asyncio.Event()

    async def handle(message: Msg) -> None:
        await let_go.wait()

    broker, sources = subscribed(handle)
    subscriber = await started(broker)
    handling = asyncio.ensure_future(sources["results"].consume(delivered()))
    stopping = asyncio.ensure_future(subscriber.stop())
    done, _ = await asyncio.wait({handling, stopping}, timeout=0.05)
    assert not done
    let_go.set()
    await asyncio.wait_for(asyncio.gather(handling, stopping), 60)


def asked(headers: dict[str, str] | None = None) -> Msg:
    client = cast(Any, SimpleNamespace())
    return Msg(_client=client, subject="mine.read.s", reply="_INBOX.s.1", data=b"{}", headers=headers)


async def answered(message: Msg, **headers: str) -> list[Sent]:
    async def answer(verb: str, message: Msg) -> tuple[bytes, dict[str, str]]:
        return f"{verb} of {message.subject}".encode(), headers

    sent: list[Sent] = []
    broker, sources = subscribed(answer=answer, sent=sent)
    await started(broker, "mine.read.*")
    await sources[f"mine.read.* {QUEUE}"].consume(message)
    return sent


async def test_an_answer_goes_to_its_inbox_with_its_headers() -> None:
    assert await answered(asked(), a="b") == [("_INBOX.s.1", b"read of mine.read.s", {"a": "b"})]


async def test_an_answer_without_headers_has_none() -> None:
    assert await answered(asked()) == [("_INBOX.s.1", b"read of mine.read.s", None)]


async def test_a_correlation_id_goes_back_cut_short() -> None:
    (sent,) = await answered(asked({"correlation_id": "x" * 100_000}), a="b")
    assert sent[2] == {"a": "b", "correlation_id": "x" * 64}


async def test_middlewares_of_the_broker_see_each_request() -> None:
    seen: list[str] = []

    class Watching(BaseMiddleware[Any, Any]):
        async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: Any) -> Any:
            seen.append(msg.raw_message.subject)
            return await call_next(msg)

        async def publish_scope(self, call_next: Callable[[Any], Awaitable[Any]], cmd: Any) -> Any:
            seen.append(f"{cmd.destination} {cmd.body.decode()} {cmd.headers}")

    async def answer(verb: str, message: Msg) -> tuple[bytes, dict[str, str]]:
        return verb.encode(), {"a": "b"}

    broker, sources = subscribed(answer=answer)
    await started(broker, "mine.read.*")
    broker.add_middleware(Watching)
    await sources[f"mine.read.* {QUEUE}"].consume(asked())
    assert seen == ["mine.read.s", "_INBOX.s.1 read {'a': 'b'}"]
