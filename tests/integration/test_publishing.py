"""What JetStream says to a publisher: stored and where, refused, or nothing."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest
import pytest_asyncio
from nats.aio.client import Client
from nats.js.api import DiscardPolicy, StreamConfig
from tests.support.servers import connected
from tests.support.wait import eventually

from coatcheck_core.settings import Settings
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer
from coatcheck_workers.streams.publishing import EXPECTED_LAST, Publisher, PublishError, WrongLastSequence


@pytest_asyncio.fixture
async def client(deployment: Settings) -> AsyncIterator[Client]:
    async with connected(deployment) as connection:
        yield connection


@pytest.fixture
def subjects(deployment: Settings) -> Subjects:
    return Subjects(deployment.nats.prefix)


@pytest.fixture
def publisher(client: Client, subjects: Subjects) -> Publisher:
    return Publisher(client, subjects, timeout_seconds=5)


@pytest_asyncio.fixture
async def log_of(client: Client, subjects: Subjects) -> AsyncIterator[str]:
    """The subject of a stream that takes three messages of one subject tree, and refuses a fourth."""
    name = f"{subjects.prefix}_own"
    await client.jetstream().add_stream(
        StreamConfig(name=name, subjects=[f"{name}.>"], max_msgs=3, discard=DiscardPolicy.NEW)
    )
    yield name
    await client.jetstream().delete_stream(name)


async def test_append_tells_the_sequence_of_the_message(publisher: Publisher, log_of: str) -> None:
    assert [await publisher.append(f"{log_of}.{number}", b"x", {}) for number in range(3)] == [1, 2, 3]


async def test_of_appends_that_expect_the_same_one_wins(publisher: Publisher, log_of: str) -> None:
    expected = {EXPECTED_LAST: "0", f"{EXPECTED_LAST}-Subject": f"{log_of}.>"}
    done = await asyncio.gather(
        *(publisher.append(f"{log_of}.{number}", b"x", expected) for number in range(20)), return_exceptions=True
    )
    assert sorted(str(type(outcome).__name__) for outcome in done) == ["WrongLastSequence"] * 19 + ["int"]


async def test_full_stream_is_a_publish_error_and_no_lost_race(publisher: Publisher, log_of: str) -> None:
    for number in range(3):
        await publisher.append(f"{log_of}.{number}", b"x", {})
    with pytest.raises(PublishError, match="maximum messages exceeded") as caught:
        await publisher.append(f"{log_of}.3", b"x", {})
    assert not isinstance(caught.value, WrongLastSequence)


async def test_subject_of_no_stream_is_a_publish_error_at_once(publisher: Publisher, subjects: Subjects) -> None:
    with pytest.raises(PublishError, match="no stream"):
        await publisher.append(f"{subjects.prefix}-nowhere.x", b"x", {})


async def test_stub_event_goes_out_once(publisher: Publisher, client: Client, subjects: Subjects) -> None:
    subject = subjects.stubs("s", "t", "c-1")
    heard = await client.subscribe(f"{subjects.prefix}.stubs.>")
    await client.flush()
    assert await publisher.once(subject, b"first")
    assert not await publisher.once(subject, b"second")
    assert (await heard.next_msg(timeout=30)).data == b"first"
    await client.flush()
    assert heard.pending_msgs == 0


async def test_publisher_goes_on_after_the_server_was_away(own_nats: NatsServer) -> None:
    settings = msgspec.convert({"nats": {"url": own_nats.url}}, Settings)
    async with connected(settings) as client:
        await client.jetstream().add_stream(StreamConfig(name="own", subjects=["own.>"]))
        publisher = Publisher(client, Subjects("own"), timeout_seconds=1)
        assert await publisher.append("own.a", b"x", {}) == 1
        await own_nats.kill()
        await own_nats.start()

        async def appended() -> int:
            try:
                return await publisher.append("own.b", b"x", {})
            except PublishError:
                return 0

        assert await eventually(appended, expecting="an acknowledgement after the reconnect") >= 2
