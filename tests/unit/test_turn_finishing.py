"""A turn is finished once a worker, whoever comes with a message of it."""

import asyncio
import weakref
from contextvars import ContextVar

import pytest

from coatcheck_schemas.subjects import TurnAddress
from coatcheck_workers.flow.finished import Finished
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
