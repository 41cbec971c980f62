"""A turn as the client offers it: its results published, its stubs in the order of the calls, its end told."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from tests.support.proxy import proxied
from tests.support.turns import SESSION, TURN, Workers, standing_in
from tests.support.wait import eventually

import coatcheck
from coatcheck.client import watching as watching_module
from coatcheck_schemas.errors import Code
from coatcheck_schemas.events import StubEvent, TurnSettled
from coatcheck_schemas.refs import failed_id
from coatcheck_workers.embedded import NatsServer


@pytest_asyncio.fixture
async def workers(nats_server: NatsServer) -> AsyncIterator[Workers]:
    async with standing_in(nats_server) as one:
        yield one


@asynccontextmanager
async def connected(server: NatsServer, workers: Workers) -> AsyncIterator[coatcheck.Client]:
    async with coatcheck.connect(server.url, prefix=workers.prefix) as client:
        yield client


@pytest_asyncio.fixture
async def client(nats_server: NatsServer, workers: Workers) -> AsyncIterator[coatcheck.Client]:
    async with connected(nats_server, workers) as one:
        yield one


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look into the replay soon."""
    monkeypatch.setattr(watching_module, "FIRST_LOOK_SECONDS", 0.05)


def calls_of(events: list[StubEvent]) -> list[str]:
    return [event.call_id for event in events]


async def test_a_turn_of_a_known_size_needs_no_end_and_gives_its_stubs_in_call_order(
    client: coatcheck.Client, workers: Workers
) -> None:
    async with client.turn(SESSION, TURN, size=3) as turn:
        made = {call: await turn.publish(call, tool_name="cat", call=call) for call in ("c2", "c1", "c3")}
        for call in ("c3", "c1", "c2"):
            await workers.stub(call, made[call].result_id)
        manifest = await workers.settle("c2", "c1", "c3")
        assert calls_of(await turn.stubs()) == ["c2", "c1", "c3"]
    assert turn.settled == manifest
    assert await workers.ends() == []
    headers = [message.headers or {} for message in await workers.published()]
    assert [one["ce-turnsize"] for one in headers] == ["3", "3", "3"]
    assert {one["ce-turnid"] for one in headers} == {TURN}


@pytest.mark.usefixtures("patient")
async def test_a_turn_of_no_known_size_is_ended_when_the_block_is_left(
    client: coatcheck.Client, workers: Workers
) -> None:
    async with client.turn(SESSION, TURN) as turn:
        published = await turn.publish("x", tool_name="cat", call="c1")
        await workers.stub("c1", published.result_id)
        assert calls_of(await turn.stubs()) == ["c1"]
        assert (turn.settled, await workers.ends()) == (None, [])
        settling = asyncio.ensure_future(settle_at_the_end(workers, "c1"))
    assert turn.settled == await settling
    assert await workers.ends() == [None]
    assert "ce-turnsize" not in ((await workers.published())[0].headers or {})


async def settle_at_the_end(workers: Workers, *calls: str) -> TurnSettled:
    await eventually(workers.ends, expecting="the end of the turn")
    return await workers.settle(*calls)


async def test_fewer_results_than_the_size_end_the_turn_with_their_number_before_stubs_are_waited_for(
    client: coatcheck.Client, workers: Workers
) -> None:
    async with client.turn(SESSION, TURN, size=4) as turn:
        made = [await turn.publish(call, tool_name="cat", call=call) for call in ("c1", "c2")]
        gathering = asyncio.ensure_future(turn.stubs())
        assert await eventually(workers.ends) == [2]
        await workers.settle("c1", "c2")
        for one in made:
            await workers.stub(one.call_id, one.result_id)
        assert calls_of(await gathering) == ["c1", "c2"]
    assert await workers.ends() == [2]


async def test_a_block_that_crashes_ends_the_turn_all_the_same_and_at_once(
    client: coatcheck.Client, workers: Workers
) -> None:
    async def work() -> None:
        async with client.turn(SESSION, TURN, size=3) as turn:
            await turn.publish("x", tool_name="cat", call="c1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await work()
    assert await workers.ends() == [None]


async def test_a_block_that_is_cancelled_ends_the_turn(client: coatcheck.Client, workers: Workers) -> None:
    begun = asyncio.Event()

    async def work() -> None:
        async with client.turn(SESSION, TURN, size=3) as turn:
            await turn.publish("x", tool_name="cat", call="c1")
            begun.set()
            await turn.wait_settled(60)

    task = asyncio.ensure_future(work())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await workers.ends() == [None]


async def test_a_block_that_published_nothing_ends_nothing(client: coatcheck.Client, workers: Workers) -> None:
    async with client.turn(SESSION, TURN, size=3) as turn:
        assert await turn.stubs() == []
    assert await workers.ends() == []


async def test_the_same_result_published_again_has_the_one_stub_and_counts_once(
    client: coatcheck.Client, workers: Workers
) -> None:
    async with client.turn(SESSION, TURN, size=3) as turn:
        first = await turn.publish("x", tool_name="cat", call="c1")
        again = await turn.publish("x", tool_name="cat", call="c1")
        other = await turn.publish("y", tool_name="cat", call="c1")
        assert first.result_id == again.result_id
        for one in (other, first):
            await workers.stub("c1", one.result_id)
        gathering = asyncio.ensure_future(turn.stubs())
        assert await eventually(workers.ends) == [2]
        await workers.settle("c1", "c1")
        assert [event.result_id for event in await gathering] == [first.result_id, other.result_id]


@pytest.mark.usefixtures("hasty")
async def test_a_stub_that_was_there_before_is_found_and_no_manifest_is_waited_for(
    client: coatcheck.Client, workers: Workers
) -> None:
    async with client.turn(SESSION, TURN, size=2) as turn:
        first = await turn.publish("x", tool_name="cat", call="c1")
        await workers.stub("c1", first.result_id, live=False)
        async for event in turn:
            assert event.result_id == first.result_id
        second = await turn.publish("y", tool_name="cat", call="c2")
        await workers.stub("c2", second.result_id, live=False)
        assert calls_of(await turn.stubs()) == ["c1", "c2"]
        assert not turn._is_settled_later()


@pytest.mark.usefixtures("hasty")
async def test_a_stub_that_a_look_has_passed_over_is_found_once_it_is_wanted(
    client: coatcheck.Client, workers: Workers
) -> None:
    await workers.stub("c2", await result_id(client, workers, "c2"), live=False)
    async with client.turn(SESSION, TURN) as turn:
        first = await turn.publish("c1", tool_name="cat", call="c1")
        await workers.stub("c1", first.result_id, live=False)
        assert calls_of(await turn.stubs()) == ["c1"]
        await turn.publish("c2", tool_name="cat", call="c2")
        assert calls_of(await turn.stubs()) == ["c1", "c2"]


async def result_id(client: coatcheck.Client, workers: Workers, call: str) -> str:
    return (await client.publish(SESSION, call, tool_name="cat", turn=TURN, call=call)).result_id


async def test_calls_whose_tools_publish_by_themselves_are_gathered_in_their_place(
    client: coatcheck.Client, workers: Workers
) -> None:
    async with client.turn(SESSION, TURN, size=3) as turn:
        turn.expect("c.1", "c2")
        own = await turn.publish("x", tool_name="cat", call="c3")
        await workers.stub("c3", own.result_id)
        await workers.stub("c2", f"c2-{'0' * 32}")
        await workers.stub("other", f"other-{'0' * 32}")
        await workers.stub("c.1", f"c=2E1-{'0' * 32}")
        await workers.settle()
        assert calls_of(await turn.stubs()) == ["c.1", "c2", "c3"]
    assert await workers.ends() == []


@pytest.mark.usefixtures("hasty")
async def test_a_call_is_still_found_where_its_stub_came_before_it_was_expected(
    client: coatcheck.Client, workers: Workers
) -> None:
    async with client.turn(SESSION, TURN) as turn:
        await workers.stub("c1", f"c1-{'0' * 32}")
        await client.replay(SESSION, turn=TURN)
        turn.expect("c1")
        assert calls_of(await turn.stubs()) == ["c1"]
        settling = asyncio.ensure_future(settle_at_the_end(workers, "c1"))
    await settling
    assert await workers.ends() == [1]


async def test_an_expected_call_that_is_published_here_after_all_is_one_result(
    client: coatcheck.Client, workers: Workers
) -> None:
    async with client.turn(SESSION, TURN, size=3) as turn:
        turn.expect("c1", "c2")
        for call in ("c2", "c1"):
            own = await turn.publish(call, tool_name="cat", call=call)
            await workers.stub(call, own.result_id)
        await workers.settle()
        assert calls_of(await turn.stubs()) == ["c1", "c2"]
    assert await workers.ends() == [2]


@pytest.mark.usefixtures("hasty")
async def test_an_expected_call_that_has_failed_before_is_told_unless_something_better_is_there(
    client: coatcheck.Client, workers: Workers
) -> None:
    for call in ("c1", "c2"):
        await workers.stub(call, failed_id(call), live=False)
    await workers.stub("c2", f"c2-{'0' * 32}", live=False)
    async with client.turn(SESSION, TURN, size=2) as turn:
        turn.expect("c1", "c2")
        assert [event.disposition for event in await turn.stubs()] == ["failed", "inline"]
        await workers.settle()


async def test_a_result_that_failed_has_its_failed_stub_in_its_place(
    client: coatcheck.Client, workers: Workers
) -> None:
    async with client.turn(SESSION, TURN, size=2) as turn:
        await turn.publish("x", tool_name="cat", call="c1")
        other = await turn.publish("y", tool_name="cat", call="c2")
        await workers.stub("c2", other.result_id)
        await workers.stub("c1", failed_id("c1"))
        await workers.settle()
        assert [event.disposition for event in await turn.stubs()] == ["failed", "inline"]


async def test_a_stub_that_does_not_come_is_an_error_that_names_the_calls(
    client: coatcheck.Client, workers: Workers
) -> None:
    async with client.turn(SESSION, TURN, size=2, timeout=0.3) as turn:
        await turn.publish("x", tool_name="cat", call="c1")
        await turn.publish("y", tool_name="cat", call="c2")
        with pytest.raises(coatcheck.RequestError) as caught:
            await turn.stubs()
        await workers.settle()
    assert (caught.value.code, caught.value.details) == (Code.UNAVAILABLE, {"missing": ["c1", "c2"]})
    assert "no stub of call c1 came within 0.3 s" in str(caught.value)


async def test_what_is_too_large_is_no_result_of_the_turn(client: coatcheck.Client, workers: Workers) -> None:
    async with client.turn(SESSION, TURN, size=2) as turn:
        with pytest.raises(coatcheck.RequestError):
            await turn.publish("x", tool_name="cat", call="c1", arguments={"path": "x" * client.max_payload})
        with pytest.raises(coatcheck.InvalidInput):
            await turn.publish([{"type": "nothing"}], tool_name="cat", call="c2")
        own = await turn.publish("x", tool_name="cat", call="c3")
        await workers.stub("c3", own.result_id)
        await workers.settle("c3")
        assert calls_of(await turn.stubs()) == ["c3"]
    assert await workers.ends() == [1]


async def test_where_it_is_unknown_whether_a_result_was_taken_the_end_says_no_number(
    client: coatcheck.Client, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with client.turn(SESSION, TURN, size=3) as turn:
        own = await turn.publish("x", tool_name="cat", call="c1")
        await workers.stub("c1", own.result_id)
        await workers.settle("c1")
        with monkeypatch.context() as patched:
            patched.setattr(turn, "_outlets", turn._outlets._replace(send=unacknowledged))
            with pytest.raises(coatcheck.RequestError):
                await turn.publish("y", tool_name="cat", call="c2")
        assert calls_of(await turn.stubs()) == ["c1"]
    assert await workers.ends() == [None]


async def unacknowledged(*_: object) -> coatcheck.Published:
    raise coatcheck.RequestError(Code.UNAVAILABLE, "no acknowledgement")


@pytest.mark.usefixtures("hasty")
async def test_a_turn_goes_through_a_break_of_the_connection(nats_server: NatsServer, workers: Workers) -> None:
    async with proxied(nats_server.url) as (proxy, url), coatcheck.connect(url, prefix=workers.prefix) as client:
        async with client.turn(SESSION, TURN, size=3) as turn:
            made = [await turn.publish(call, tool_name="cat", call=call) for call in ("c1", "c2")]
            gathering = asyncio.ensure_future(anext(aiter(turn)))
            await eventually(workers.ends)
            proxy.cut()
            for one in made:
                await workers.stub(one.call_id, one.result_id)
            proxy.heal()
            assert (await asyncio.wait_for(gathering, 60)).call_id == "c1"
            manifest = await workers.settle("c1", "c2")
            assert calls_of(await turn.stubs()) == ["c1", "c2"]
        assert turn.settled == manifest


async def test_a_manifest_that_nobody_can_read_is_none(client: coatcheck.Client, workers: Workers) -> None:
    async with client.turn(SESSION, TURN) as turn:
        await workers.tell(b'{"results": 7}')
        assert await turn.wait_settled(0.2) is None


@pytest.mark.parametrize(
    "make",
    [
        lambda client: client.turn(SESSION, ""),
        lambda client: client.turn(SESSION, TURN, size=0),
        lambda client: client.turn(SESSION, TURN, size=1001),
        lambda client: client.turn(SESSION, TURN, size=True),
        lambda client: client.turn(SESSION, TURN, size="3"),
        lambda client: client.turn(SESSION, TURN, size=2.0),
        lambda client: client.turn(SESSION, "t" * 5000),
    ],
    ids=["no turn", "too small", "too large", "a truth", "a text", "a fraction", "long id"],
)
async def test_what_is_no_turn_is_refused_before_anything_is_sent(
    client: coatcheck.Client, make: Callable[[coatcheck.Client], object]
) -> None:
    with pytest.raises(coatcheck.InvalidInput):
        make(client)


async def test_a_result_cannot_name_another_turn(client: coatcheck.Client) -> None:
    async with client.turn(SESSION, TURN) as turn:
        with pytest.raises(coatcheck.InvalidInput, match="turn's own"):
            await turn.publish("x", tool_name="cat", turn="t2")  # type: ignore[call-arg]


async def test_a_turn_is_ended_by_a_plain_call(client: coatcheck.Client, workers: Workers) -> None:
    await client.end_turn(SESSION, TURN)
    await client.end_turn(SESSION, TURN, size=7)
    assert await workers.ends() == [None, 7]
    with pytest.raises(coatcheck.InvalidInput):
        await client.end_turn(SESSION, TURN, size=0)


async def test_the_end_of_a_turn_that_no_stream_takes_is_an_error(nats_server: NatsServer) -> None:
    async with coatcheck.connect(nats_server.url, prefix=f"t{secrets.token_hex(6)}") as client:
        with pytest.raises(coatcheck.RequestError) as caught:
            await client.end_turn(SESSION, TURN)
    assert caught.value.code is Code.UNAVAILABLE
