"""What was stored and repeated to nobody, for the stream's leader died with it: the client finds it all the same."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.support.event_log import SESSION, Log, logging_events, nothing_more, take
from tests.support.turns import TURN, Workers, standing_in
from tests.support.wait import eventually

import coatcheck
from coatcheck.client import seen as seen_module
from coatcheck.client import stubs as stubs_module
from coatcheck.client import watching as watching_module
from coatcheck_schemas.errors import Code
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.requests import Problem
from coatcheck_workers.embedded import NatsServer

AWAY = Problem(code=Code.UNAVAILABLE, message="the event stream does not answer; try again")


@pytest_asyncio.fixture
async def log(nats_server: NatsServer) -> AsyncIterator[Log]:
    async with logging_events(nats_server) as one:
        yield one


@pytest_asyncio.fixture
async def workers(nats_server: NatsServer) -> AsyncIterator[Workers]:
    async with standing_in(nats_server) as one:
        yield one


@pytest_asyncio.fixture
async def follower(nats_server: NatsServer, log: Log) -> AsyncIterator[coatcheck.Client]:
    async with coatcheck.connect(nats_server.url, prefix=log.prefix) as one:
        yield one


@pytest_asyncio.fixture
async def client(nats_server: NatsServer, workers: Workers) -> AsyncIterator[coatcheck.Client]:
    async with coatcheck.connect(nats_server.url, prefix=workers.prefix) as one:
        yield one


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look into the replay soon."""
    monkeypatch.setattr(watching_module, "FIRST_LOOK_SECONDS", 0.05)
    monkeypatch.setattr(watching_module, "LONGEST_LOOK_SECONDS", 0.1)
    monkeypatch.setattr(stubs_module, "CHECK_SECONDS", 0.1)


async def test_a_stream_of_stubs_gives_what_nobody_heard(log: Log, follower: coatcheck.Client) -> None:
    async with follower.stubs(SESSION) as stubs:
        await log.publish("heard")
        assert await take(stubs, 1) == ["heard"]
        for call in ("u1", "u2", "u3"):
            await log.publish(call, heard=False)
        assert await take(stubs, 3) == ["u1", "u2", "u3"]
        await nothing_more(stubs, log)


async def test_what_nobody_heard_comes_once_and_in_order_among_what_was_heard(
    log: Log, follower: coatcheck.Client
) -> None:
    async with follower.stubs(SESSION) as stubs:
        taking = asyncio.ensure_future(take(stubs, 900))
        for number in range(900):
            await log.publish(f"{number:03}", heard=number % 5 != 0)
            if number % 100 == 0:
                requests = log.requests
                await eventually(lambda n=requests: log.requests > n, expecting="a look in between")  # type: ignore[misc]
        got = await taking
        assert sorted(got) == [f"{number:03}" for number in range(900)]
        for heard in (True, False):
            alike = [call for call in got if (int(call) % 5 != 0) == heard]
            assert alike == sorted(alike)
        await nothing_more(stubs, log)


async def test_what_nobody_heard_is_found_before_memory_turns_over(
    log: Log, follower: coatcheck.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No look is due by the time: the memory alone, which is full again and again, makes for one."""
    monkeypatch.setattr(stubs_module, "CHECK_SECONDS", 3600.0)
    monkeypatch.setattr(seen_module.Seen.__init__, "__defaults__", (50,))
    async with follower.stubs(SESSION) as stubs:
        taking = asyncio.ensure_future(take(stubs, 999))
        for number in range(1000):
            await log.publish(f"{number:03}", heard=number != 7)
        got = await taking
        assert len(set(got)) == 999
        assert "007" in got


async def test_what_is_heard_does_not_wait_for_a_replay_that_is_not_answered(
    log: Log, follower: coatcheck.Client
) -> None:
    async with follower.stubs(SESSION) as stubs:
        log.answers.clear()
        requests = log.requests
        taking = asyncio.ensure_future(take(stubs, 1))
        await eventually(lambda: log.requests > requests, expecting="a look")
        await log.publish("heard")
        assert await taking == ["heard"]
        await log.publish("unheard", heard=False)
        log.answers.set()
        assert await take(stubs, 1) == ["unheard"]
        await nothing_more(stubs, log)


async def test_a_stream_of_stubs_goes_on_where_looks_are_refused_for_a_while(
    log: Log, follower: coatcheck.Client
) -> None:
    async with follower.stubs(SESSION) as stubs:
        log.silent = True
        await log.publish("unheard", heard=False)
        requests = log.requests
        taking = asyncio.ensure_future(take(stubs, 2))
        await eventually(lambda: log.requests > requests + 1, expecting="a second try")
        await log.publish("heard")
        log.silent = False
        assert await taking == ["heard", "unheard"]


async def test_a_quiet_stream_of_stubs_asks_no_more_often_than_it_says(
    log: Log, follower: coatcheck.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stubs_module, "CHECK_SECONDS", 3600.0)
    async with follower.stubs(SESSION) as stubs:
        for number in range(20):
            await log.publish(f"c{number}")
        await take(stubs, 20)
        assert log.requests == 1


async def submitted(client: coatcheck.Client, workers: Workers) -> tuple[asyncio.Future[StubEvent], str]:
    """A submission that waits for its stub, and its result id."""
    known = (await client.publish(SESSION, "x", tool_name="cat", turn=TURN, call="c1")).result_id
    submitting = asyncio.ensure_future(client.submit(SESSION, "x", tool_name="cat", turn=TURN, call="c1", timeout=20))

    async def published() -> bool:
        return len(await workers.published()) == 2

    await eventually(published, expecting="the submission in its stream")
    return submitting, known


async def test_a_submission_gets_the_stub_that_nobody_heard(client: coatcheck.Client, workers: Workers) -> None:
    submitting, result_id = await submitted(client, workers)
    await workers.stub("c1", result_id, live=False)
    assert (await submitting).result_id == result_id


async def test_a_submission_waits_while_no_replay_is_answered_and_goes_on(
    client: coatcheck.Client, workers: Workers
) -> None:
    workers.refusal = AWAY
    submitting, result_id = await submitted(client, workers)
    await workers.stub("c1", result_id, live=False)
    await eventually(lambda: workers.refused > 2, expecting="a third look")
    assert not submitting.done()
    workers.refusal = None
    assert (await submitting).result_id == result_id


@pytest.mark.usefixtures("patient")
async def test_a_turn_gets_stubs_and_manifest_that_nobody_heard(client: coatcheck.Client, workers: Workers) -> None:
    async with client.turn(SESSION, TURN, size=2) as turn:
        made = [await turn.publish(call, tool_name="cat", call=call) for call in ("c1", "c2")]
        gathering = asyncio.ensure_future(turn.stubs())
        for one in reversed(made):
            await workers.stub(one.call_id, one.result_id, live=False)
        manifest = await workers.settle("c1", "c2", live=False)
        assert [event.call_id for event in await gathering] == ["c1", "c2"]
        assert turn.settled is None
    assert turn.settled == manifest


async def test_a_turn_waits_for_a_manifest_that_nobody_hears(client: coatcheck.Client, workers: Workers) -> None:
    async with client.turn(SESSION, TURN, size=1) as turn:
        made = await turn.publish("x", tool_name="cat", call="c1")
        workers.refusal = AWAY
        waiting = asyncio.ensure_future(turn.wait_settled(20))
        await workers.stub("c1", made.result_id, live=False)
        manifest = await workers.settle("c1", live=False)
        await eventually(lambda: workers.refused > 2, expecting="a third look")
        workers.refusal = None
        assert await waiting == manifest


async def test_a_worker_that_knows_no_manifest_by_replay_is_asked_once(
    client: coatcheck.Client, workers: Workers
) -> None:
    workers.no_manifest = Problem(code=Code.INVALID_ARGUMENT, message="unknown field `settled`")
    async with client.turn(SESSION, TURN, size=1) as turn:
        made = await turn.publish("x", tool_name="cat", call="c1")
        assert await turn.wait_settled(0.5) is None
        await workers.stub("c1", made.result_id, live=False)
        assert len(await turn.stubs()) == 1
    assert (turn.settled, workers.refused) == (None, 1)
