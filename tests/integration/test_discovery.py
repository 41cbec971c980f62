"""`$SRV` as NATS's own tools ask it: two workers on a real server, read by nats-py's types for services."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from nats.aio.client import Client
from nats.errors import NoRespondersError
from nats.micro.service import SEMVER_REGEX, ServiceInfo, ServicePing, ServiceStats
from tests.support.servers import connected, deployed
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck.testing import MemoryStore
from coatcheck_core.settings import Settings
from coatcheck_schemas.subjects import FILESYSTEM, VERBS, Subjects
from coatcheck_workers.discovery.responder import BURST, PENDING_BYTES, PER_SECOND, Responder
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.worker import Worker


class Fleet(NamedTuple):
    """Two workers of one deployment, and an administrator beside them."""

    settings: Settings
    client: Client
    workers: list[Worker]

    async def ask(self, subject: str, count: int) -> list[dict[str, Any]]:
        """So many answers of this deployment's workers: others may be on the server too."""
        inbox = self.client.new_inbox()
        heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

        async def hear(message: Any) -> None:
            answer = json.loads(message.data)
            if answer["metadata"].get("prefix") == self.settings.nats.prefix:
                heard.put_nowait(answer)

        subscription = await self.client.subscribe(inbox, cb=hear)
        await self.client.publish(subject, b"", reply=inbox)
        async with asyncio.timeout(60):
            answers = [await heard.get() for _ in range(count)]
        await subscription.unsubscribe()
        assert heard.empty()
        return answers

    async def request(self, verb: str, session: str, **fields: Any) -> dict[str, Any]:
        subject = Subjects(self.settings.nats.prefix).request(verb, session)
        reply = await self.client.request(subject, json.dumps(fields).encode(), timeout=30)
        answered: dict[str, Any] = json.loads(reply.data)
        return answered

    async def totals(self, verb: str) -> tuple[int, int, int]:
        """Of both workers: requests, errors, nanoseconds."""
        found = [
            endpoint
            for answer in await self.ask("$SRV.STATS.coatcheck", 2)
            for endpoint in ServiceStats.from_dict(answer).endpoints
            if endpoint.name == verb
        ]
        return (
            sum(one.num_requests for one in found),
            sum(one.num_errors for one in found),
            sum(one.processing_time for one in found),
        )


@pytest_asyncio.fixture(scope="module")
async def fleet(nats_server: NatsServer, s3_server: S3Server) -> AsyncIterator[Fleet]:
    store = MemoryStore()
    async with AsyncExitStack() as stack:
        settings = await stack.enter_async_context(deployed(nats_server, s3_server))
        client = await stack.enter_async_context(connected(settings))
        workers = [await stack.enter_async_context(worker_here(settings, store)) for _ in range(2)]
        for worker in workers:
            await responder_of(worker)._client.flush()  # the server knows now where they listen
        yield Fleet(settings, client, workers)


def responder_of(worker: Worker) -> Responder:
    assert worker._responder is not None
    return worker._responder


def identity_of(worker: Worker) -> str:
    return responder_of(worker)._identity.id


@pytest.mark.parametrize("subject", ["$SRV.PING", "$SRV.PING.coatcheck"])
async def test_each_worker_answers_a_ping(fleet: Fleet, subject: str) -> None:
    pings = [ServicePing.from_dict(answer) for answer in await fleet.ask(subject, 2)]
    assert {ping.id for ping in pings} == {identity_of(worker) for worker in fleet.workers}
    assert {ping.name for ping in pings} == {"coatcheck"}
    assert {ping.type for ping in pings} == {"io.nats.micro.v1.ping_response"}
    assert all(SEMVER_REGEX.match(ping.version) for ping in pings)


async def test_one_worker_is_asked_by_its_id(fleet: Fleet) -> None:
    wanted = identity_of(fleet.workers[1])
    (answer,) = await fleet.ask(f"$SRV.PING.coatcheck.{wanted}", 1)
    assert (answer["id"], answer["type"]) == (wanted, "io.nats.micro.v1.ping_response")


async def test_info_names_each_kind_of_request_where_it_is_asked(fleet: Fleet) -> None:
    infos = [ServiceInfo.from_dict(answer) for answer in await fleet.ask("$SRV.INFO.coatcheck", 2)]
    prefix = fleet.settings.nats.prefix
    subjects = {f"{prefix}.{verb}.*" for verb in VERBS} | {f"{prefix}.{FILESYSTEM}.*.*"}
    for info in infos:
        assert info.type == "io.nats.micro.v1.info_response"
        assert info.description
        assert {endpoint.subject for endpoint in info.endpoints} == subjects
        assert {endpoint.queue_group for endpoint in info.endpoints} == {"workers"}
        (read,) = [endpoint for endpoint in info.endpoints if endpoint.name == "read"]
        assert read.metadata == {"request": "ReadRequest", "reply": "ReadReply"}


async def test_the_statistics_count_each_request_and_each_error(fleet: Fleet) -> None:
    before = await fleet.totals("list")
    for _ in range(3):
        assert "ok" in await fleet.request("list", "s1")
    for _ in range(2):
        assert (await fleet.request("list", "s1", limit=0))["error"]["code"] == "invalid_argument"
    after = await eventually(lambda: counted(fleet, "list", before[0] + 5))
    assert after is not None
    assert (after[0] - before[0], after[1] - before[1]) == (5, 2)
    assert after[2] > before[2]


async def counted(fleet: Fleet, verb: str, requests: int) -> tuple[int, int, int] | None:
    """The reply is on its way before it is counted."""
    found = await fleet.totals(verb)
    return found if found[0] >= requests else None


async def test_the_last_error_names_a_code_and_nothing_of_a_session(fleet: Fleet) -> None:
    ref = f"coat://s1/secret_call-{'0' * 32}"
    assert (await fleet.request("read", "s1", ref=ref))["error"]["code"] == "not_found"
    await eventually(lambda: counted(fleet, "read", 1))
    answers = await fleet.ask("$SRV.STATS.coatcheck", 2)
    reads = [endpoint for one in answers for endpoint in one["endpoints"] if endpoint["name"] == "read"]
    assert sorted(one["last_error"] for one in reads) == ["", "404:not_found"]
    assert [one["data"]["errors"] for one in reads if one["last_error"]] == [{"not_found": 1}]
    assert "secret_call" not in json.dumps(answers)


async def test_the_statistics_are_of_the_protocol_s_type_and_bear_the_worker_s_own_figures(fleet: Fleet) -> None:
    for answer in await fleet.ask("$SRV.STATS", 2):
        stats = ServiceStats.from_dict(answer)
        assert stats.type == answer["type"]
        assert answer["data"]["pid"] == os.getpid()
        assert answer["data"]["rss_bytes"] > 1_000_000
        assert all(one.average_processing_time <= one.processing_time for one in stats.endpoints)


async def test_after_its_stop_a_worker_answers_nothing(fleet: Fleet) -> None:
    async with worker_here(fleet.settings, MemoryStore()) as third:
        subjects = [f"$SRV.{verb}.coatcheck.{identity_of(third)}" for verb in ("PING", "INFO", "STATS")]
        for subject in subjects:
            await fleet.client.request(subject, timeout=30)
    for subject in subjects:
        with pytest.raises(NoRespondersError):
            await fleet.client.request(subject, timeout=30)


async def test_no_answer_goes_to_a_subject_that_is_no_inbox(fleet: Fleet) -> None:
    foreign = f"{fleet.settings.nats.prefix}.stubs.s1.t1.forged"
    heard: list[Any] = []

    async def hear(message: Any) -> None:
        heard.append(message)

    subscription = await fleet.client.subscribe(foreign, cb=hear)
    subject = f"$SRV.STATS.coatcheck.{identity_of(fleet.workers[0])}"
    await fleet.client.publish(subject, b"", reply=foreign)
    await fleet.client.request(subject, timeout=30)  # answered in turn: the one before it was not
    await subscription.unsubscribe()
    assert heard == []
    assert responder_of(fleet.workers[0]).tally.counts["inbox"] == 1


async def test_a_flood_of_pings_is_dropped_and_holds_up_no_request(fleet: Fleet) -> None:
    worker = fleet.workers[0]
    inbox = fleet.client.new_inbox()
    heard = 0

    async def hear(message: Any) -> None:
        nonlocal heard
        heard += 1

    subscription = await fleet.client.subscribe(inbox, cb=hear)
    flood = 20 * (BURST + PER_SECOND)
    for _ in range(flood):
        await fleet.client.publish(f"$SRV.PING.coatcheck.{identity_of(worker)}", b"", reply=inbox)
    replies = await asyncio.gather(*(fleet.request("list", "s1") for _ in range(20)))
    assert all("ok" in reply for reply in replies)
    counts = responder_of(worker).tally.counts
    await eventually(lambda: heard + counts["rate"] + counts["pending"] == flood)
    await subscription.unsubscribe()
    assert heard < flood / 2


async def test_a_question_with_a_large_body_is_not_even_held(fleet: Fleet) -> None:
    worker = fleet.workers[1]
    subject = f"$SRV.INFO.coatcheck.{identity_of(worker)}"
    await fleet.client.publish(subject, b"x" * (PENDING_BYTES + 1), reply=fleet.client.new_inbox())
    assert (await fleet.client.request(subject, timeout=30)).data
    await eventually(lambda: responder_of(worker).tally.counts["pending"] == 1)
