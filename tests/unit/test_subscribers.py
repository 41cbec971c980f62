"""Results and requests are FastStream subscribers, fed by our own sources."""

from collections.abc import Callable
from typing import Any

import pytest
from faststream.nats import NatsBroker
from nats.aio.msg import Msg

from coatcheck_schemas.subjects import FILESYSTEM, VERBS, Subjects
from coatcheck_workers.provisioning import DURABLE
from coatcheck_workers.subscribers import QUEUE, Consume, subscribe_requests, subscribe_results

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


def subscribed() -> tuple[NatsBroker, dict[str, RecordingSource]]:
    """A broker that is connected to nothing, and the sources by what they take."""
    broker = NatsBroker()
    sources: dict[str, RecordingSource] = {}

    def source_of(name: str, consume: Consume) -> RecordingSource:
        return sources.setdefault(name, RecordingSource(consume))

    subscribe_results(broker, SUBJECTS, on_result, lambda consume: source_of("results", consume))
    subscribe_requests(
        broker, SUBJECTS, on_request, lambda subject, queue, consume: source_of(f"{subject} {queue}", consume)
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
