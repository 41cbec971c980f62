"""Replay from a real stub stream."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import nats
import pytest
from nats.aio.client import Client
from tests.support.originals import Shelf, problem

from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.subjects import Subjects, TurnAddress
from coatcheck_workers.embedded import NatsServer
from coatcheck_workers.provisioning.declared import streams
from coatcheck_workers.retrieval import LoggedEvent, StubLog, answer, event_log

PAGE_BYTES = 1024 * 1024 - 4096


@pytest.fixture
async def client(deployment: Settings) -> AsyncIterator[Client]:
    client = await nats.connect(deployment.nats.url, connect_timeout=30)
    yield client
    await client.close()


@pytest.fixture
def subjects(deployment: Settings) -> Subjects:
    return Subjects(deployment.nats.prefix)


@pytest.fixture
def log(client: Client, subjects: Subjects) -> StubLog:
    return StubLog(client, subjects)


async def publish(
    client: Client, subjects: Subjects, numbers: range, *, session: str = "s1", turn: str = "t1", size: int = 10
) -> None:
    jetstream = client.jetstream()
    for number in numbers:
        body = msgspec.json.encode({"number": number, "content": "x" * size})
        await jetstream.publish(subjects.to_outbound(subjects.stubs(session, turn, f"c{number}-0")), body)


async def consumers(client: Client, subjects: Subjects) -> int:
    return (await client.jetstream().stream_info(subjects.stream("stubs"))).state.consumer_count


async def pages(log: StubLog, after: int = 0, limit: int = 100, **fields: Any) -> list[int]:
    """The numbers of all events after `after`, page by page."""
    seen: list[int] = []
    for _ in range(1000):
        page = await log.page(
            fields.get("session", "s1"), fields.get("turn"), after, limit, fields.get("max_bytes", PAGE_BYTES)
        )
        assert len(page.events) <= limit
        seen += [msgspec.json.decode(event.data)["number"] for event in page.events]
        if not page.has_more:
            return seen
        after = page.events[-1].seq
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("limit", [1, 7, 100, 1000])
async def test_pages_are_all_of_a_sessions_events_in_order(
    client: Client, subjects: Subjects, log: StubLog, limit: int
) -> None:
    await publish(client, subjects, range(30))
    await publish(client, subjects, range(30, 60), session="s2")
    await publish(client, subjects, range(60, 90))
    assert await pages(log, limit=limit) == [*range(30), *range(60, 90)]
    assert await consumers(client, subjects) == 0


async def test_one_turn_comes_alone(client: Client, subjects: Subjects, log: StubLog) -> None:
    await publish(client, subjects, range(3), turn="a=2Eb")
    await publish(client, subjects, range(3, 6), turn="=")
    assert await pages(log, turn="a=2Eb") == [0, 1, 2]
    assert await pages(log, turn="=") == [3, 4, 5]
    assert await pages(log, turn="none") == []


async def test_nothing_new_is_answered_at_once(client: Client, subjects: Subjects, log: StubLog) -> None:
    assert await log.last_seq() == 0
    assert (await log.page("s1", None, 0, 100, PAGE_BYTES)).events == []
    await publish(client, subjects, range(2))
    await publish(client, subjects, range(2, 4), session="s2")
    page = await log.page("s1", None, 2, 100, PAGE_BYTES)
    assert (page.events, page.has_more) == ([], False)
    assert await log.last_seq() == 4
    assert await log.page("s1", None, 10**9, 100, PAGE_BYTES) == page


async def test_a_page_never_waits_for_an_event_that_has_not_come(
    client: Client, subjects: Subjects, log: StubLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With fewer events than asked for, and a patience with lagging replicas beyond the test's patience."""
    monkeypatch.setattr(event_log, "_LAG_SECONDS", 3600.0)
    await publish(client, subjects, range(3))
    async with asyncio.timeout(60):
        assert await pages(log, limit=1000) == [0, 1, 2]
        assert await pages(log, after=3) == []


async def test_a_page_is_bounded_in_bytes(client: Client, subjects: Subjects, log: StubLog) -> None:
    await publish(client, subjects, range(40), size=100_000)
    page = await log.page("s1", None, 0, 40, 250_000)
    assert (len(page.events), page.has_more) == (3, True)
    assert await pages(log, max_bytes=250_000) == list(range(40))


async def test_the_largest_event_comes_through_a_reply(client: Client, subjects: Subjects, log: StubLog) -> None:
    largest = client.max_payload - 8192
    body = b'{"number":0,"content":"%s"}' % (b"x" * (largest - 27))
    for call in ("c1-0", "c2-0"):
        await client.jetstream().publish(subjects.to_outbound(subjects.stubs("s1", "t1", call)), body.ljust(largest))
    shelf = Shelf()
    retrieval = msgspec.structs.replace(shelf.retrieval, events=log, max_reply_bytes=client.max_payload - 4096)
    fields: dict[str, Any] = {}
    for call in ("c1-0", "c2-0"):
        got = await answer(retrieval, "replay", "s1", msgspec.json.encode(fields))
        assert len(got.body) <= client.max_payload - 4096
        reply = msgspec.json.decode(got.body)["ok"]
        assert [event["subject"].rsplit(".", 1)[1] for event in reply["events"]] == [call]
        fields = {"after": reply["cursor"]}
    assert reply["has_more"] is False


async def test_deleted_events_leave_no_wait_behind(client: Client, subjects: Subjects, log: StubLog) -> None:
    await publish(client, subjects, range(10))
    for seq in (1, 5, 10):
        await client.jetstream().delete_msg(subjects.stream("stubs"), seq)
    assert await pages(log, limit=3) == [1, 2, 3, 5, 6, 7, 8]
    await client.jetstream().purge_stream(subjects.stream("stubs"), subject=subjects.session_stubs("s1"))
    assert await pages(log) == []
    assert await log.last_seq() == 10


async def test_many_replays_at_once_do_not_disturb_each_other(client: Client, subjects: Subjects, log: StubLog) -> None:
    for session in range(8):
        await publish(client, subjects, range(10), session=f"s{session}")
    every = await asyncio.gather(*(pages(log, session=f"s{i % 8}", limit=4) for i in range(32)))
    assert every == [list(range(10))] * 32
    assert await consumers(client, subjects) == 0


async def test_following_the_cursor_while_events_arrive_loses_none(
    client: Client, subjects: Subjects, log: StubLog
) -> None:
    retrieval = msgspec.structs.replace(Shelf().retrieval, events=log)
    publishing = asyncio.create_task(publish(client, subjects, range(200)))
    seen: list[int] = []
    fields: dict[str, Any] = {"limit": 9}
    async with asyncio.timeout(60):
        while len(seen) < 200:
            got = msgspec.json.decode((await answer(retrieval, "replay", "s1", msgspec.json.encode(fields))).body)["ok"]
            seen += [event["event"]["number"] for event in got["events"]]
            fields["after"] = got["cursor"]
    await publishing
    assert seen == list(range(200))


async def test_a_missing_stream_is_unavailable_and_says_what_to_run(client: Client) -> None:
    absent = StubLog(client, Subjects("nowhere"))
    asks: list[Callable[[], Any]] = [absent.last_seq, lambda: absent.page("s1", None, 0, 10, PAGE_BYTES)]
    for ask in asks:
        with pytest.raises(RequestError) as refused:
            await ask()
        assert refused.value.code == Code.UNAVAILABLE
        assert "coatcheck provision" in refused.value.message


async def test_a_server_that_is_away_is_unavailable_until_it_is_back(own_nats: NatsServer) -> None:
    subjects = Subjects()
    client = await nats.connect(
        own_nats.url, connect_timeout=30, max_reconnect_attempts=-1, reconnect_time_wait=0.1, error_cb=_ignore
    )
    stubs = next(one for one in streams(Settings()) if one.name == subjects.stream("stubs"))
    await client.jetstream().add_stream(stubs.evolve(max_bytes=10_000_000))
    await publish(client, subjects, range(3))
    log = StubLog(client, subjects, timeout_seconds=0.5)
    retrieval = msgspec.structs.replace(Shelf().retrieval, events=log)
    await own_nats.kill()
    for fields in (b"{}", b'{"limit": 0}'):
        code, message = problem(await answer(retrieval, "replay", "s1", fields))
        assert code == "unavailable"
        assert "try again" in message
    await own_nats.start()
    body = b""
    async with asyncio.timeout(60):
        while b'"number":2' not in body:
            body = (await answer(retrieval, "replay", "s1", b"{}")).body
    await client.close()


async def _ignore(error: Exception) -> None:
    """The disconnection is the test's own."""


async def test_a_manifest_is_found_by_its_turn_alone(client: Client, subjects: Subjects, log: StubLog) -> None:
    await publish(client, subjects, range(2))
    assert await log.manifest("s1", "t1") is None
    settled = subjects.settled(TurnAddress("s1", "t1"))
    await client.jetstream().publish(subjects.to_outbound(settled), b"{}")
    assert await log.manifest("s1", "t1") == LoggedEvent(subject=settled, data=b"{}", seq=3)
    assert await log.manifest("s1", "t2") is None
    assert await pages(log) == [0, 1]
