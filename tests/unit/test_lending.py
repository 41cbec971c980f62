"""The place of a message whose work waits: lent while any of it does."""

import asyncio
from typing import cast

import pytest
from nats.aio.msg import Msg
from tests.support.wait import eventually

from coatcheck_workers.intake import lending as module
from coatcheck_workers.intake.lending import IN_HAND, InHand, lending

MESSAGE = cast(Msg, object())


class Lender:
    def __init__(self) -> None:
        self.said: list[str] = []

    def lend(self, message: Msg) -> None:
        assert message is MESSAGE
        self.said.append("lend")

    def take_back(self, message: Msg) -> None:
        assert message is MESSAGE
        self.said.append("take back")


@pytest.fixture
def lender(monkeypatch: pytest.MonkeyPatch) -> Lender:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.0)
    return Lender()


async def until(done: asyncio.Event) -> None:
    with lending():
        await done.wait()


async def test_what_waits_lends_its_place_and_takes_it_back(lender: Lender) -> None:
    IN_HAND.set(InHand(lender, MESSAGE))
    with lending():
        await eventually(lambda: lender.said == ["lend"])
    assert lender.said == ["lend", "take back"]


async def test_what_is_soon_done_lends_nothing(lender: Lender) -> None:
    IN_HAND.set(InHand(lender, MESSAGE))
    with lending():
        pass
    await asyncio.sleep(0)
    assert lender.said == []


async def test_only_the_last_that_waits_takes_the_place_back(lender: Lender) -> None:
    IN_HAND.set(InHand(lender, MESSAGE))
    done = [asyncio.Event() for _ in range(3)]
    tasks = [asyncio.create_task(until(one)) for one in done]
    await eventually(lambda: lender.said == ["lend"] * 3)
    for one, task in zip(done, tasks, strict=True):
        assert "take back" not in lender.said
        one.set()
        await task
    assert lender.said == ["lend"] * 3 + ["take back"]


async def test_what_is_cancelled_while_it_waits_waits_no_more(lender: Lender) -> None:
    IN_HAND.set(InHand(lender, MESSAGE))
    tasks = [asyncio.create_task(until(asyncio.Event())) for _ in range(2)]
    await eventually(lambda: len(lender.said) == 2)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert lender.said == ["lend", "lend", "take back"]


async def test_without_a_message_in_hand_nothing_is_lent() -> None:
    with lending():
        await asyncio.sleep(0)
    assert IN_HAND.get() is None
