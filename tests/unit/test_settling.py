"""What becomes of a message: ack, nak with its delay, or dead letter."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from tests.support.deciding import arrived as result_of
from tests.support.deciding import rules

from coatcheck_core.decision import Case, decide
from coatcheck_core.failure import keeps_pieces
from coatcheck_schemas.errors import InvalidResult, InvalidSubject, StoreRejected, StoreUnavailable
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.flow.delivery import NotKept
from coatcheck_workers.flow.failures import FailureLog, Failures
from coatcheck_workers.flow.settling import MAX_KILLED, MAX_UNEXPECTED_FAILURES, Settling
from coatcheck_workers.isolation import WorkerKilled
from coatcheck_workers.process.about import ABOUT
from coatcheck_workers.process.recurring import Recurring, letters
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.later import Later
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.publishing import PublishError

SUBJECT = "coat.results.s.t.c"
BEGINNING = datetime(2026, 1, 31, tzinfo=UTC)
RETRY_SECONDS = 120.0
LONGEST_SECONDS = 10.0


class FakeMessage:
    """Remembers how it was settled, and with which delays."""

    def __init__(self, sequence: int = 1) -> None:
        self.subject = SUBJECT
        self.settled: list[str] = []
        self.delays: list[float] = []
        self.metadata = SimpleNamespace(
            stream="COAT_RESULTS", sequence=SimpleNamespace(stream=sequence), num_delivered=1
        )

    async def ack(self) -> None:
        self.settled.append("ack")

    async def nak(self, delay: float = 0) -> None:
        self.settled.append("nak")
        self.delays.append(delay)

    async def term(self) -> None:
        self.settled.append("term")


class FakeLedger:
    """The stream that keeps the failures, as a publisher and as a log; `error` is what it answers if anything."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.error: Exception | None = None

    async def append(self, subject: str, body: bytes, headers: Mapping[str, str]) -> int:
        self._answer()
        self.kept[subject] = body
        return 1

    async def last(self, subject: str) -> Kept | None:
        self._answer()
        body = self.kept.get(subject)
        return None if body is None else Kept(subject=subject, sequence=1, at=BEGINNING, headers={}, body=body)

    def _answer(self) -> None:
        if self.error is not None:
            raise self.error


class FakeDeadLetters:
    def __init__(self) -> None:
        self.written: list[tuple[str, str, str, int]] = []
        self.error: Exception | None = None

    async def set_aside(self, arrived: Arrived, message_id: str, reason: str, error: str, attempts: int) -> None:
        if self.error is not None:
            raise self.error
        self.written.append((message_id, reason, error, attempts))


class FakeFallback:
    def __init__(self) -> None:
        self.given_up: list[tuple[str, int]] = []
        self.is_safe = True
        self.error: Exception | None = None

    async def give_up(self, arrived: Arrived, not_kept: NotKept, message_id: str, attempts: int) -> bool:
        if self.error is not None:
            raise self.error
        self.given_up.append((message_id, attempts))
        return self.is_safe


class FakeUploads:
    """Of none that is known to be open; counts how often the pieces of one were to go."""

    def __init__(self) -> None:
        self.forgotten = 0

    def opening(self, arrived: Arrived) -> None:
        return None

    async def is_gone(self, arrived: Arrived, sequence: int) -> bool:
        return False

    async def note(self, arrived: Arrived) -> None:
        """Nothing came in pieces."""

    async def forget(self, arrived: Arrived) -> None:
        self.forgotten += 1


class Desk:
    """A Settling on fakes, at a time of its own."""

    def __init__(self) -> None:
        self.now = BEGINNING
        self.ledger = FakeLedger()
        self.dead_letters = FakeDeadLetters()
        self.fallback = FakeFallback()
        self.uploads = FakeUploads()
        self.settling = self.another()

    def another(self) -> Settling:
        """That of another worker, which remembers nothing."""
        return Settling(
            dead_letters=cast(Any, self.dead_letters),
            fallback=cast(Any, self.fallback),
            receiving=cast(Any, self.uploads),
            failures=FailureLog(cast(Any, self.ledger), cast(Any, self.ledger), Subjects(), lambda: self.now),
            longest_delay_seconds=LONGEST_SECONDS,
            retry_seconds=RETRY_SECONDS,
            now=lambda: self.now,
        )

    async def settle(self, message: FakeMessage, error: BaseException | None = None) -> None:
        async def handle() -> None:
            if error is not None:
                raise error

        arrived = Arrived(subject=SUBJECT, headers=None, body=b"x", received_at=BEGINNING)
        await self.settling.settle(cast(Any, message), arrived, handle())


@pytest.fixture
def desk() -> Desk:
    return Desk()


def not_kept() -> NotKept:
    result, under = result_of("x" * 3000), rules("result.threshold=1000")
    return NotKept(Case(result, under), decide(result, under), StoreUnavailable("away"))


async def test_what_is_handled_is_acknowledged(desk: Desk) -> None:
    message = FakeMessage()
    await desk.settle(message)
    assert message.settled == ["ack"]


async def test_what_comes_too_early_comes_again_at_its_time_and_has_not_failed(desk: Desk) -> None:
    message = FakeMessage()
    await desk.settle(message, Later(0.25))
    assert (message.settled, message.delays) == (["nak"], [0.25])
    assert desk.ledger.kept == {}


async def test_dead_letters_that_come_in_numbers_are_one_line_and_a_sum(
    desk: Desk, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    sums: list[Callable[[], None]] = []
    told = Recurring(
        logging.getLogger("coatcheck.results").error, lambda seconds, call: sums.append(call), words=letters
    )
    settling = msgspec.structs.replace(desk.settling, told_letters=told)
    monkeypatch.setattr(desk, "settling", settling)
    for number in range(1, 301):
        await desk.settle(FakeMessage(number), InvalidResult("invalid_json", f"not JSON {number}"))
    assert len(desk.dead_letters.written) == 300
    for call in sums:
        call()
    lines = [record.message for record in caplog.records if record.levelno >= logging.ERROR]
    assert lines == [
        f"dead letter: {SUBJECT!r}: not JSON 1",
        "299 more dead letters of COAT_RESULTS in 10 s (InvalidResult); "
        f"the last: dead letter: {SUBJECT!r}: not JSON 300",
    ]
    assert getattr(caplog.records[-1], ABOUT) == SUBJECT


@pytest.mark.parametrize(
    ("error", "reason"),
    [(InvalidResult("invalid_json", "not JSON"), "invalid_json"), (InvalidSubject("no call"), "invalid_subject")],
)
async def test_what_no_retry_can_mend_is_a_dead_letter_at_once(desk: Desk, error: Exception, reason: str) -> None:
    message = FakeMessage(7)
    await desk.settle(message, error)
    assert message.settled == ["term"]
    assert desk.dead_letters.written == [("COAT_RESULTS-7", reason, str(error), 1)]


@pytest.mark.parametrize("error", [StoreUnavailable("away"), StoreRejected("denied"), PublishError("full")])
async def test_streams_and_the_store_are_tried_again_for_ever_with_growing_delays(desk: Desk, error: Exception) -> None:
    message = FakeMessage()
    for _ in range(3 * MAX_UNEXPECTED_FAILURES):
        await desk.settle(message, error)
        desk.now += timedelta(hours=1)
    assert set(message.settled) == {"nak"}
    assert message.delays[0] <= 0.5
    assert LONGEST_SECONDS / 2 <= message.delays[-1] <= LONGEST_SECONDS
    assert desk.dead_letters.written == []
    assert desk.fallback.given_up == []


async def test_a_result_that_the_store_does_not_take_is_tried_again_until_its_time_is_up(desk: Desk) -> None:
    message = FakeMessage()
    for _ in range(3):
        await desk.settle(message, not_kept())
        desk.now += timedelta(seconds=RETRY_SECONDS / 2)
    assert message.settled == ["nak", "nak", "ack"]
    assert desk.fallback.given_up == [("COAT_RESULTS-1", 3)]


async def test_the_store_has_its_time_from_when_it_first_failed(desk: Desk) -> None:
    message = FakeMessage()
    await desk.settle(message, PublishError("full"))
    desk.now += timedelta(seconds=2 * RETRY_SECONDS)
    await desk.settle(message, not_kept())
    assert message.settled == ["nak", "nak"]
    assert desk.fallback.given_up == []


async def test_a_result_that_no_letter_holds_stays_with_the_longest_delay(desk: Desk) -> None:
    message = FakeMessage()
    desk.fallback.is_safe = False
    await desk.settle(message, not_kept())
    desk.now += timedelta(seconds=RETRY_SECONDS)
    await desk.settle(message, not_kept())
    assert message.settled == ["nak", "nak"]
    assert message.delays[-1] == LONGEST_SECONDS


@pytest.mark.parametrize("error", [PublishError("full"), RuntimeError("unforeseen")])
async def test_a_result_whose_stub_cannot_be_told_stays(desk: Desk, error: Exception) -> None:
    message = FakeMessage()
    await desk.settle(message, not_kept())
    desk.now += timedelta(seconds=RETRY_SECONDS)
    desk.fallback.error = error
    await desk.settle(message, not_kept())
    assert message.settled == ["nak", "nak"]


async def test_what_nobody_foresaw_is_set_aside_after_a_few_tries_without_its_words(desk: Desk) -> None:
    message = FakeMessage()
    for _ in range(MAX_UNEXPECTED_FAILURES):
        await desk.settle(message, RuntimeError("secret words"))
    assert message.settled == ["nak"] * (MAX_UNEXPECTED_FAILURES - 1) + ["term"]
    assert desk.dead_letters.written == [
        ("COAT_RESULTS-1", "internal", "internal error (RuntimeError)", MAX_UNEXPECTED_FAILURES)
    ]


async def test_what_kills_the_process_that_decides_it_alone_is_set_aside(desk: Desk) -> None:
    message = FakeMessage()
    for _ in range(MAX_KILLED):
        await desk.settle(message, WorkerKilled("out of memory"))
    assert message.settled == ["nak"] * (MAX_KILLED - 1) + ["term"]
    assert [reason for _, reason, _, _ in desk.dead_letters.written] == ["killed_worker"]


@pytest.mark.parametrize(
    ("error", "keeps"),
    [
        (WorkerKilled("out of memory"), True),
        (RuntimeError("unforeseen"), True),
        (InvalidResult("conflict", "another has its place"), True),
        (InvalidResult("invalid_layout", "no place for it"), True),
        (InvalidResult("upload_idle", "no piece has come"), False),
        (InvalidSubject("no call"), False),
    ],
)
async def test_a_letter_keeps_the_pieces_of_an_upload_that_is_nothing_wrong_itself(
    desk: Desk, error: Exception, keeps: bool
) -> None:
    message = FakeMessage()
    for _ in range(MAX_UNEXPECTED_FAILURES):
        if "term" not in message.settled:
            await desk.settle(message, error)
    (letter,) = desk.dead_letters.written
    assert (desk.uploads.forgotten == 0, keeps_pieces(letter[1])) == (keeps, keeps)


async def test_an_outage_does_not_count_against_a_result(desk: Desk) -> None:
    message = FakeMessage()
    for _ in range(MAX_UNEXPECTED_FAILURES):
        await desk.settle(message, StoreUnavailable("away"))
    await desk.settle(message, RuntimeError("once"))
    assert set(message.settled) == {"nak"}


async def test_failures_are_counted_for_each_message_alone(desk: Desk) -> None:
    for sequence in range(3 * MAX_UNEXPECTED_FAILURES):
        message = FakeMessage(sequence)
        await desk.settle(message, RuntimeError("each its own"))
        assert message.settled == ["nak"]


async def test_another_worker_goes_on_counting(desk: Desk) -> None:
    message = FakeMessage()
    for _ in range(MAX_UNEXPECTED_FAILURES):
        desk.settling = desk.another()
        await desk.settle(message, RuntimeError("unforeseen"))
    assert message.settled[-1] == "term"


async def test_a_worker_counts_by_itself_while_nothing_can_be_written(desk: Desk) -> None:
    message = FakeMessage()
    desk.ledger.error = PublishError("full")
    for _ in range(MAX_UNEXPECTED_FAILURES):
        await desk.settle(message, RuntimeError("unforeseen"))
    assert message.settled[-1] == "term"


async def test_a_count_that_cannot_be_read_begins_anew(desk: Desk) -> None:
    desk.ledger.kept[Subjects().failures("COAT_RESULTS", 1)] = b"not a count"
    await desk.settle(FakeMessage(), RuntimeError("unforeseen"))
    kept = msgspec.json.decode(desk.ledger.kept[Subjects().failures("COAT_RESULTS", 1)], type=Failures)
    assert (kept.total, kept.unexpected, kept.first_at) == (1, 1, BEGINNING)


@pytest.mark.parametrize("error", [PublishError("the dead-letter stream is full"), RuntimeError("unforeseen")])
async def test_a_message_stays_where_it_is_while_no_dead_letter_can_be_written(desk: Desk, error: Exception) -> None:
    message = FakeMessage()
    desk.dead_letters.error = error
    await desk.settle(message, InvalidResult("invalid_json", "not JSON"))
    desk.dead_letters.error = None
    await desk.settle(message, InvalidResult("invalid_json", "not JSON"))
    assert message.settled == ["nak", "term"]


async def test_cancelled_handling_settles_nothing(desk: Desk) -> None:
    message = FakeMessage()
    with pytest.raises(asyncio.CancelledError):
        await desk.settle(message, asyncio.CancelledError())
    assert message.settled == []
    assert desk.ledger.kept == {}


async def test_messages_that_fail_for_the_same_reason_are_warned_of_once(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING", logger="coatcheck.results"):
        for sequence in range(20):
            await desk.settle(FakeMessage(sequence), StoreUnavailable("away"))
        await desk.settle(FakeMessage(20), PublishError("full"))
    told = [record.getMessage() for record in caplog.records]
    assert [line.rpartition(": ")[2] for line in told] == ["away", "full"]
    assert all("failed, try 1, again in" in line for line in told)
