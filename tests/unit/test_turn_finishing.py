"""A turn is finished once a worker, whoever comes with a message of it."""

import asyncio
import logging
import weakref
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from coatcheck_core.turns import Turn
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.flow.finished import Finished
from coatcheck_workers.flow.finishing import Finishing
from coatcheck_workers.streams.held import HeldMessage
from coatcheck_workers.streams.publishing import PublishError

AT, OTHER = (TurnAddress("s", "t"), 1), (TurnAddress("s", "u"), 2)


class Work:
    """Counts how often it is begun, and ends when told."""

    def __init__(self) -> None:
        self.begun = 0
        self.may_end = asyncio.Event()
        self.error: Exception | None = None

    async def __call__(self) -> None:
        self.begun += 1
        await self.may_end.wait()
        if self.error is not None:
            raise self.error


async def test_all_who_come_at_once_wait_for_the_same_work() -> None:
    finished, work = Finished(), Work()
    waiting = [asyncio.create_task(finished.once(AT, work)) for _ in range(5)]
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    work.may_end.set()
    await asyncio.gather(*waiting)
    assert work.begun == 1


async def test_a_turn_that_is_finished_is_not_finished_again_and_another_is() -> None:
    finished, work = Finished(), Work()
    work.may_end.set()
    for at in (AT, AT, OTHER):
        await finished.once(at, work)
    assert work.begun == 2


async def test_what_failed_fails_for_all_who_waited_and_is_tried_again_by_the_next() -> None:
    finished, work = Finished(), Work()
    work.may_end.set()
    work.error = PublishError("full")
    came = await asyncio.gather(*(finished.once(AT, work) for _ in range(3)), return_exceptions=True)
    assert came == [work.error] * 3
    work.error = None
    await finished.once(AT, work)
    assert work.begun == 2


async def test_one_who_gives_up_does_not_stop_the_work_of_the_others() -> None:
    finished, work = Finished(), Work()
    first, second = (asyncio.create_task(finished.once(AT, work)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    work.may_end.set()
    await second
    assert work.begun == 1


async def test_a_finished_turn_keeps_nothing_of_the_message_that_it_was_finished_for() -> None:
    finished, work = Finished(), Work()
    work.may_end.set()
    in_hand: ContextVar[Work | None] = ContextVar("in_hand", default=None)
    message = Work()
    kept = weakref.ref(message)
    token = in_hand.set(message)
    await finished.once(AT, work)
    in_hand.reset(token)
    del message, token
    assert kept() is None


class HeldPlaces:
    """What is held of a turn, once; notes what is to be tried again by itself."""

    def __init__(self, *messages: HeldMessage) -> None:
        self.messages = list(messages)
        self.moved: list[str] = []

    async def read(self, at: TurnAddress, after: int) -> list[HeldMessage]:
        return [held for held in self.messages if held.sequence > after]

    async def move(self, at: TurnAddress, name: str, body: bytes, seconds: float) -> int:
        self.moved.append(name)
        return 9

    async def release(self, at: TurnAddress, through: int | None = None) -> None:
        assert through == 7


class Silent:
    async def once(self, subject: str, body: bytes) -> bool:
        return True


async def test_a_held_result_that_the_settling_did_not_count_comes_late_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    held, turn = HeldPlaces(HeldMessage("c-1", b"", 7)), Turn()
    turn.apply(turn.settle("deadline", 100), 1, datetime.now(UTC))
    turn.waited = frozenset({"c-2"})
    nothing: Any = None
    finishing = Finishing(
        delivery=nothing,
        held=cast(Any, held),
        publisher=cast(Any, Silent()),
        subjects=Subjects("coat"),
        max_event_bytes=10_000,
    )
    with caplog.at_level(logging.INFO, "coatcheck.turns"):
        await finishing.finish(AT[0], turn)
    assert held.moved == ["c-1"]
    assert [record.getMessage() for record in caplog.records] == [
        "c-1 of turn t was not counted when that was settled, and comes late"
    ]
