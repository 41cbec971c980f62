"""What becomes of a result: ack, nak with a growing delay, or dead letter."""

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from coatcheck.testing import MemoryStore
from coatcheck_schemas.errors import InvalidResult, StoreRejected, StoreUnavailable
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.publishing import PublishError
from coatcheck_workers.settling import MAX_UNEXPECTED_FAILURES, Settling

SUBJECT = "coat.results.s.t.c"


class FakeMessage:
    """Remembers how it was settled, and with which delays."""

    def __init__(self, sequence: int = 1, subject: str = SUBJECT) -> None:
        self.subject = subject
        self.headers = None
        self.data = b"x"
        self.is_acked = False
        self.settled: list[str] = []
        self.delays: list[float] = []
        self.metadata = SimpleNamespace(
            stream="COAT_RESULTS", sequence=SimpleNamespace(stream=sequence), timestamp=datetime.now(UTC)
        )

    async def ack(self) -> None:
        self.settled.append("ack")

    async def nak(self, delay: float = 0) -> None:
        self.settled.append("nak")
        self.delays.append(delay)

    async def term(self) -> None:
        self.settled.append("term")


class FakePublisher:
    """Remembers what was published; raises what it is told."""

    def __init__(self) -> None:
        self.published: list[tuple[str, dict[str, str]]] = []
        self.error: Exception | None = None

    async def message(self, subject: str, body: bytes, headers: dict[str, str]) -> None:
        if self.error is not None:
            raise self.error
        self.published.append((subject, headers))

    async def once(self, subject: str, body: bytes) -> bool:
        self.published.append((subject, {}))
        return True


@pytest.fixture
def publisher() -> FakePublisher:
    return FakePublisher()


@pytest.fixture
def settling(publisher: FakePublisher) -> Settling:
    return Settling(
        client=cast(Any, SimpleNamespace(max_payload=2**20)),
        subjects=Subjects(),
        keys=Keys(),
        store=MemoryStore(),
        publisher=cast(Any, publisher),
        ack_wait_seconds=10,
        longest_delay_seconds=10,
    )


async def settle(settling: Settling, message: FakeMessage, error: BaseException | None = None) -> None:
    async def handle() -> None:
        if error is not None:
            raise error

    await settling.settle(cast(Any, message), handle())


async def test_what_is_handled_is_acknowledged(settling: Settling) -> None:
    message = FakeMessage()
    await settle(settling, message)
    assert message.settled == ["ack"]


async def test_invalid_result_is_a_dead_letter_with_its_stub_then_term(
    settling: Settling, publisher: FakePublisher
) -> None:
    message = FakeMessage()
    await settle(settling, message, InvalidResult("invalid_json", "not JSON"))
    assert message.settled == ["term"]
    assert [subject for subject, _ in publisher.published] == ["coat.dlq.s.t.c", "coat.stubs.s.t.c-failed"]
    assert publisher.published[0][1]["Coat-Reason"] == "invalid_json"


@pytest.mark.parametrize("error", [StoreUnavailable("away"), StoreRejected("denied"), PublishError("full")])
async def test_store_and_stream_are_tried_again_for_ever_with_growing_delays(
    settling: Settling, publisher: FakePublisher, error: Exception
) -> None:
    message = FakeMessage()
    for _ in range(3 * MAX_UNEXPECTED_FAILURES):
        await settle(settling, message, error)
    assert set(message.settled) == {"nak"}
    assert message.delays[0] <= 0.5
    assert 5 <= message.delays[-1] <= 10
    assert publisher.published == []


async def test_what_nobody_foresaw_is_set_aside_after_a_few_tries(settling: Settling, publisher: FakePublisher) -> None:
    message = FakeMessage()
    for _ in range(MAX_UNEXPECTED_FAILURES):
        await settle(settling, message, RuntimeError("secret words"))
    assert message.settled == ["nak"] * (MAX_UNEXPECTED_FAILURES - 1) + ["term"]
    assert publisher.published[0][1]["Coat-Reason"] == "internal"
    assert "secret words" not in str(publisher.published)


async def test_outage_of_the_store_does_not_count_against_a_result(settling: Settling) -> None:
    message = FakeMessage()
    for _ in range(MAX_UNEXPECTED_FAILURES - 1):
        await settle(settling, message, StoreUnavailable("away"))
    await settle(settling, message, RuntimeError("once"))
    assert set(message.settled) == {"nak"}


async def test_failures_are_counted_for_each_message_alone(settling: Settling) -> None:
    for sequence in range(3 * MAX_UNEXPECTED_FAILURES):
        message = FakeMessage(sequence)
        await settle(settling, message, RuntimeError("each its own"))
        assert message.settled == ["nak"]


@pytest.mark.parametrize("error", [PublishError("the dead-letter stream is full"), RuntimeError("unforeseen")])
async def test_message_stays_where_it_is_while_no_dead_letter_can_be_written(
    settling: Settling, publisher: FakePublisher, error: Exception
) -> None:
    message = FakeMessage()
    publisher.error = error
    await settle(settling, message, InvalidResult("invalid_json", "not JSON"))
    publisher.error = None
    await settle(settling, message, InvalidResult("invalid_json", "not JSON"))
    assert message.settled == ["nak", "term"]


async def test_cancelled_handling_settles_nothing(settling: Settling) -> None:
    message = FakeMessage()
    with pytest.raises(asyncio.CancelledError):
        await settle(settling, message, asyncio.CancelledError())
    assert message.settled == []
