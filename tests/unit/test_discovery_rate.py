"""How many questions of `$SRV` one worker answers, and what becomes of the others."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from nats.aio.msg import Msg

from coatcheck_workers.discovery.counting import RequestCounts
from coatcheck_workers.discovery.messages import SERVICE, Ping
from coatcheck_workers.discovery.responder import BURST, PER_SECOND, Responder


class Client:
    """Takes answers down, and asks."""

    def __init__(self) -> None:
        self.heard: dict[str, Any] = {}
        self.answered: list[str] = []

    async def subscribe(self, subject: str, *, cb: Any, **_: Any) -> None:
        self.heard[subject] = cb

    async def publish(self, subject: str, _: bytes) -> None:
        self.answered.append(subject)

    async def ask(self, reply: str = "_INBOX.x") -> None:
        client: Any = self
        await self.heard["$SRV.PING"](Msg(_client=client, subject="$SRV.PING", reply=reply))


class Clock:
    now = 0.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: clock)
    return clock


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def responder(client: Any, clock: Clock) -> Responder:
    return Responder(
        client,
        Ping(name=SERVICE, id="w", version="1.0.0", metadata={}),
        [],
        RequestCounts(),
        started=datetime.now(UTC),
        inbox_prefixes=["_INBOX."],
        figures=dict,
    )


async def test_what_is_beyond_the_rate_is_counted_and_not_answered(
    responder: Responder, client: Client, clock: Clock
) -> None:
    await responder.start()
    for _ in range(BURST + 5):
        await client.ask()
    assert len(client.answered) == BURST
    assert responder.tally.counts == {"rate": 5}
    clock.now = 0.0625
    for _ in range(20):
        await client.ask()
    assert len(client.answered) == BURST + PER_SECOND // 16


async def test_a_question_whose_answer_is_to_go_elsewhere_takes_nothing_of_the_rate(
    responder: Responder, client: Client
) -> None:
    await responder.start()
    for _ in range(BURST * 2):
        await client.ask("coat.results.s.t.c")
    assert client.answered == []
    await client.ask()
    assert client.answered == ["_INBOX.x"]
