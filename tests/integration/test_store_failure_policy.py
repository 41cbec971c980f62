"""What the agent gets where the store fails for longer than it is tried again, and what becomes of the original."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgspec
import pytest
from tests.support.agents import Agent, agent, dead_letters, waiting_results
from tests.support.servers import connected, deployed
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck.testing import FailingStore
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import StoreRejected
from coatcheck_schemas.events import StubEvent
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.storage import open_store

LARGE = "all work and no play\n" * 2_000


@asynccontextmanager
async def failing(
    nats_server: NatsServer, s3_server: S3Server, policy: str, **sections: Any
) -> AsyncIterator[tuple[Settings, FailingStore, Agent]]:
    """A worker whose store takes nothing until it heals; tried again for a moment, then as the policy says."""
    storage = {"retry_seconds": 0.2, "retry_max_seconds": 0.5}
    async with deployed(nats_server, s3_server, storage=storage, on_store_failure=policy, **sections) as settings:
        store = FailingStore(open_store(settings.storage))
        store.fail("put")
        async with worker_here(settings, store), agent(settings) as one:
            yield settings, store, one


async def stored_later(settings: Settings, store: FailingStore, it: Agent, event: StubEvent, original: str) -> None:
    """Until it is stored a read answers unavailable; once it is, the ref works, and nothing is left behind."""
    assert event.ref is not None
    answer = await it.request("read", {"ref": event.ref})
    assert answer["error"]["code"] == "unavailable"
    assert "not stored yet" in answer["error"]["message"]
    (letter,) = await dead_letters(settings)
    assert letter.headers["Coat-Reason"] == "store_failure"

    async def none_waits() -> bool:
        return await waiting_results(settings) == 0

    await eventually(none_waits, expecting="an empty queue")
    store.heal()

    async def is_stored() -> bool:
        return "ok" in await it.request("read", {"ref": event.ref})

    await eventually(is_stored, expecting="the original in the store")
    assert await it.read_all(event.ref) == original

    async def nothing_is_left() -> bool:
        async with connected(settings) as client:
            info = await client.jetstream().stream_info(it.subjects.stream("held"))
        return not info.state.messages and not await dead_letters(settings)

    await eventually(nothing_is_left, expecting="no letter and no timer")
    assert set(it.subject_counts.values()) == {1}


async def test_preview_only_is_a_stub_that_says_so(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with failing(nats_server, s3_server, "preview_only") as (settings, store, it):
        event = await it.offload("c1", LARGE)
        assert (event.disposition, event.reason, event.is_error) == ("preview_only", "store_failure", False)
        assert "reason: store_failure" in str(event.content)
        assert "not stored yet" in str(event.content)
        await stored_later(settings, store, it, event, LARGE)


async def test_preserve_raw_is_the_result_itself(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with failing(nats_server, s3_server, "preserve_raw") as (settings, store, it):
        event = await it.offload("c1", LARGE)
        assert (event.disposition, event.reason, event.content) == ("inline", "store_failure", LARGE)
        await stored_later(settings, store, it, event, LARGE)


async def test_reject_is_a_failure_with_a_ref(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with failing(nats_server, s3_server, "reject") as (settings, store, it):
        event = await it.offload("c1", LARGE)
        assert (event.disposition, event.reason, event.is_error) == ("failed", "store_failure", True)
        assert None not in (event.sha256, event.result_id)
        # The same words always: the store's own would tell of servers, and of other sessions' objects.
        assert event.error == "object storage could not take the original"
        assert event.content == f"[Coatcheck: tool result failed]\nreason: store_failure\nerror: {event.error}"
        await stored_later(settings, store, it, event, LARGE)


async def test_preserve_raw_keeps_to_the_turn_s_budget(nats_server: NatsServer, s3_server: S3Server) -> None:
    budget = {"inline_budget": 50_000}
    async with failing(nats_server, s3_server, "preserve_raw", turn=budget) as (_, _, it):
        first = await it.offload("c1", LARGE, turn="t1")
        second = await it.offload("c2", LARGE + "x", turn="t1")
        assert sorted([first.disposition, second.disposition]) == ["inline", "preview_only"]
        assert len(str(first.content)) + len(str(second.content)) < 50_000


async def test_preserve_raw_gives_a_preview_of_what_is_no_text(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with failing(nats_server, s3_server, "preserve_raw") as (_, _, it):
        headers = {"ce-specversion": "1.0", "ce-type": "dev.coatcheck.tool_result.v1", "ce-toolname": "cat"}
        await it.publish_raw(it.subjects.results(it.address("c1")), b"\x00\xff" * 9_000, headers)
        assert (await it.stub("c1")).disposition == "preview_only"


async def test_a_result_that_waited_for_its_turn_is_held_to_the_same_policy(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with failing(nats_server, s3_server, "preview_only", turn={"inline_budget": 10_000}) as (settings, store, it):
        texts = {"a": "one more line\n" * 600, "b": "and another\n" * 500}
        for call, content in texts.items():
            await it.publish(call, content, turn="t1", turn_size=2)
        a, b = await it.stub("a", "t1"), await it.stub("b", "t1")
        assert (a.disposition, a.reason, b.disposition) == ("preview_only", "store_failure", "inline")
        await stored_later(settings, store, it, a, texts["a"])


async def test_a_store_that_denies_is_held_to_the_same_policy(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with failing(nats_server, s3_server, "preview_only") as (settings, store, it):
        store.heal()
        store.fail("put", error=StoreRejected)
        event = await it.offload("c1", LARGE)
        assert event.disposition == "preview_only"
        await stored_later(settings, store, it, event, LARGE)


async def test_what_fits_no_letter_stays_in_the_queue_and_is_stored_from_there(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with failing(nats_server, s3_server, "preview_only") as (settings, store, it):
        body = msgspec.json.encode({"tool_name": "cat", "content": "x" * (it.client.max_payload - 4096 - 300)})
        await it.publish_raw(it.subjects.results(it.address("c1")), body)
        event = await it.stub("c1")
        assert event.disposition == "preview_only"
        assert await dead_letters(settings) == []
        assert await waiting_results(settings) == 1
        store.heal()

        async def is_done() -> bool:
            return await waiting_results(settings) == 0

        await eventually(is_done, expecting="an empty queue")
        assert len(await it.read_all(str(event.ref))) == it.client.max_payload - 4096 - 300
        assert set(it.subject_counts.values()) == {1}


async def test_another_worker_goes_on_counting_the_seconds(nats_server: NatsServer, s3_server: S3Server) -> None:
    storage = {"retry_seconds": 1.0, "retry_max_seconds": 0.3}
    async with deployed(nats_server, s3_server, storage=storage) as settings, agent(settings) as it:
        store = FailingStore(open_store(settings.storage))
        store.fail("put")
        await it.publish("c1", LARGE)
        tries = 0
        while not it.events and tries < 20:
            async with worker_here(settings, store):
                tried = store.calls.get("put", 0)
                await eventually(partial(_tried_again, store, tried, it))
            tries += 1
        assert it.events[0].disposition == "preview_only"


def _tried_again(store: FailingStore, tried: int, it: Agent) -> bool:
    return store.calls.get("put", 0) > tried or bool(it.events)


@pytest.mark.parametrize("policy", ["preview_only", "preserve_raw", "reject"])
async def test_a_dropped_letter_is_given_up(policy: str, nats_server: NatsServer, s3_server: S3Server) -> None:
    async with failing(nats_server, s3_server, policy) as (settings, _, it):
        await it.offload("c1", LARGE)
        async with connected(settings) as client:
            jetstream = client.jetstream()
            await jetstream.purge_stream(it.subjects.stream("dlq"))

            async def no_timer() -> bool:
                return not (await jetstream.stream_info(it.subjects.stream("held"))).state.messages

            await eventually(no_timer, expecting="no timer any more")
