"""Two hundred readers, a session that hammers, readers that vanish, and a stop amid it all: each gets its due."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import nats
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from tests.support.agents import agent
from tests.support.servers import connected
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import RequestsSettings
from coatcheck_workers.intake import requests as intake
from coatcheck_workers.intake.requests import Requests
from coatcheck_workers.worker import Worker

TEXT = "the needle in line {}\n" * 1000
READERS = 200


def with_requests(settings: Settings, **requests: Any) -> Settings:
    """Patient ones, unless that is said: on a busy machine seconds pass before all of them are there."""
    patient = {"patience_seconds": 60, "timeout_seconds": 60} | requests
    return msgspec.structs.replace(settings, requests=RequestsSettings(**patient))


def intake_of(worker: Worker, verb: str) -> Requests:
    return next(source for source in worker._requests if source._subject.split(".")[1] == verb)


class Watched(FailingStore):
    """A store in memory that notes which session's objects are asked for, in order."""

    def __init__(self) -> None:
        super().__init__(MemoryStore())
        self.asked: list[str] = []

    async def get(self, key: str) -> bytes:
        self._note(key)
        return await super().get(key)

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        self._note(key)
        return await super().get_range(key, start, end)

    def _note(self, key: str) -> None:
        self.asked.append(key.partition("/sessions/")[2].partition("/")[0])


class Asker:
    """Many requests over one connection, each with an inbox of its own; `replies` by the inbox's number."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.inbox = client.new_inbox()
        self.replies: dict[int, list[bytes]] = {}
        self.asked = 0

    async def hear(self, message: Msg) -> None:
        self.replies.setdefault(int(message.subject.rpartition(".")[2]), []).append(message.data)

    async def ask(self, subject: str, body: bytes = b"{}") -> int:
        """The number of the request."""
        self.asked += 1
        await self.client.publish(subject, body, reply=f"{self.inbox}.{self.asked}")
        return self.asked

    async def all_replied(self) -> None:
        await eventually(lambda: len(self.replies) == self.asked, expecting=f"{self.asked} replies")
        assert {len(replies) for replies in self.replies.values()} == {1}

    def codes(self) -> set[str]:
        return {code_of(replies[0]) for replies in self.replies.values()}


def code_of(reply: bytes) -> str:
    decoded = msgspec.json.decode(reply)
    return "ok" if "ok" in decoded else str(decoded["error"]["code"])


@asynccontextmanager
async def asking(settings: Settings) -> AsyncIterator[Asker]:
    async with connected(settings) as client:
        asker = Asker(client)
        await client.subscribe(f"{asker.inbox}.*", cb=asker.hear)
        await client.flush()
        yield asker


async def originals(settings: Settings, *sessions: str) -> dict[str, bytes]:
    """One original in each session: the body of a read of it."""
    reads = {}
    for session in sessions:
        async with agent(settings, session) as it:
            event = await it.offload("c", TEXT.replace("{}", session))
            reads[session] = msgspec.json.encode({"ref": event.ref, "limit": 30})
    return reads


async def test_two_hundred_readers_and_a_session_that_hammers_are_all_answered(deployment: Settings) -> None:
    settings = with_requests(deployment, searches=2, session_searches=1)
    async with worker_here(settings, MemoryStore()) as worker, agent(settings, "one") as one, asking(settings) as busy:
        texts = {f"c{number}": f"{number:04d}" + TEXT for number in range(20)}
        refs = {call: (await one.offload(call, text)).ref for call, text in texts.items()}

        async def read(number: int) -> None:
            call = f"c{number % len(texts)}"
            page = await one.request("read", {"ref": refs[call], "offset": number, "limit": 500})
            assert page["ok"]["content"] == texts[call][number : number + 500]

        search = msgspec.json.encode({"query": "needle", "limit": 3, "ref": refs["c0"]})
        for _ in range(100):
            await busy.ask(one.subjects.request("search", "one"), search)
        await asyncio.gather(*(read(number) for number in range(READERS)))
        found = await one.request("search", {"query": "needle", "limit": 1}, session="two")
        await busy.all_replied()
        assert busy.codes() == {"ok"}
        assert found["ok"]["matches"] == []
        assert (intake_of(worker, "search").at_work, intake_of(worker, "read").waiting) == (0, 0)


async def test_one_read_goes_before_hundreds_of_sessions_that_came_first(deployment: Settings) -> None:
    settings = with_requests(deployment, in_flight=4, session_in_flight=2)
    store = Watched()
    async with worker_here(settings, store) as worker, asking(settings) as asker:
        reads = await originals(settings, "busy", "busier", "quiet")
        subject = f"{settings.nats.prefix}.read."
        store.hang()
        store.asked.clear()
        for _ in range(READERS // 2):
            await asker.ask(f"{subject}busy", reads["busy"])
            await asker.ask(f"{subject}busier", reads["busier"])
        await asker.ask(f"{subject}quiet", reads["quiet"])
        inbox = intake_of(worker, "read")
        await eventually(lambda: inbox.waiting == READERS - 3, expecting="four at work, and the rest waiting")
        assert sorted(store.asked) == ["busier", "busier", "busy", "busy"]
        store.heal()
        await asker.all_replied()
        assert asker.codes() == {"ok"}
        before = store.asked[: store.asked.index("quiet")]
        assert len(before) < 30, "it waited for its own turn, not for those of all who came first"


async def test_whatever_was_taken_is_answered_when_a_worker_stops(deployment: Settings) -> None:
    tree = msgspec.structs.replace(deployment.worker, grace_seconds=0.2)
    settings = msgspec.structs.replace(with_requests(deployment, in_flight=8), worker=tree)
    store = Watched()
    async with asking(settings) as asker:
        async with worker_here(settings, store) as worker:
            reads = await originals(settings, "s")
            store.hang("get", "get_range", "head", key=lambda key: "/results/" in key)
            for _ in range(READERS):
                await asker.ask(f"{settings.nats.prefix}.read.s", reads["s"])
                await asker.ask(f"{settings.nats.prefix}.list.s")
            inbox = intake_of(worker, "read")
            await eventually(lambda: inbox.waiting == READERS - 8, expecting="the reads to wait")
        await asker.all_replied()
        assert asker.codes() == {"unavailable"}


async def test_readers_that_vanish_leave_nothing_behind(deployment: Settings) -> None:
    settings = with_requests(deployment, in_flight=4)
    async with worker_here(settings, MemoryStore()) as worker, agent(settings) as it:
        event = await it.offload("c", TEXT)
        body = msgspec.json.encode({"ref": event.ref, "limit": -1})
        assert "ok" in await it.request("read", body)
        tasks = len(asyncio.all_tasks())
        gone = await nats.connect(settings.nats.url.split(","), connect_timeout=30)
        for number in range(500):
            await gone.publish(it.subjects.request("read", "s1"), body, reply=f"_INBOX.gone.{number}")
        await gone.flush()
        await gone.close()
        assert "ok" in await it.request("read", body)
        inbox = intake_of(worker, "read")
        await eventually(lambda: (inbox.waiting, inbox.at_work) == (0, 0), expecting="all of them to be through")
        assert inbox._line.sessions == 0
        await eventually(lambda: len(asyncio.all_tasks()) <= tasks, expecting="no more tasks than before")


async def test_a_burst_of_ten_thousand_is_answered_or_refused_one_by_one(deployment: Settings) -> None:
    settings = with_requests(deployment, waiting=1000)
    async with worker_here(settings, MemoryStore()), asking(settings) as asker:
        for _ in range(10_000):
            await asker.ask(f"{settings.nats.prefix}.list.s")
        await asker.all_replied()
        assert asker.codes() == {"ok", "unavailable"}


async def test_what_the_client_library_has_no_room_for_is_refused_not_lost(
    deployment: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "PENDING_MESSAGES", 8)
    async with worker_here(deployment, MemoryStore()) as worker, asking(deployment) as asker:
        for _ in range(1000):
            await asker.ask(f"{deployment.nats.prefix}.list.s")
        await asker.all_replied()
        assert asker.codes() == {"ok", "unavailable"}
        assert intake_of(worker, "list").tally.counts["requests.waiting"] > 0
