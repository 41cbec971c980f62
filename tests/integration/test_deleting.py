"""Deleting on real servers, with two workers: unreadable at once, freed everywhere, and nobody else is touched."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from tests.support.agents import Agent, agent
from tests.support.putting import uploaded
from tests.support.servers import connected
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck.testing import FailingStore
from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.storage import open_store

TEXT = "".join(f"line {number} of a text\n" for number in range(2500))
LARGE = TEXT * 8
NEIGHBOURS = ("s", "s1.b", "s1-", "s1=")


@asynccontextmanager
async def two_workers(settings: Settings) -> AsyncIterator[None]:
    async with worker_here(settings), worker_here(settings):
        yield


async def keys_of(settings: Settings, session: str) -> list[str]:
    """All that storage has of a session, but for the note of its deletion."""
    keys, segment = Keys(settings.storage.prefix), encode_segment(session)
    store = open_store(settings.storage)
    folders = [keys.session(segment), *(f"{keys.passing()}{name}/{segment}/" for name in PASSING)]
    return [key for folder in folders async for key in store.list(folder)]


PASSING = ("incoming", "uploads", "taken", "links", "renewed")


async def messages_of(settings: Settings, session: str) -> dict[str, int]:
    """How many messages each stream has of a session, by what they are about."""
    subjects, found = Subjects(settings.nats.prefix), dict[str, int]()
    async with connected(settings) as client:
        for name in ("results", "chunks", "stubs", "dlq", "ledger", "held"):
            info = await client.jetstream().stream_info(subjects.stream(name), subjects_filter=">")
            for subject, count in (info.state.subjects or {}).items():
                if subject.split(".")[2] == encode_segment(session):
                    found[".".join(subject.split(".")[:2])] = count
    return found


async def code_of(one: Agent, verb: str, **fields: Any) -> str:
    return str((await one.request(verb, fields)).get("error", {}).get("code"))


async def asked_often(one: Agent, verb: str, **fields: Any) -> set[str]:
    """The codes of many requests at once, which both workers answer."""
    return set(await asyncio.gather(*(code_of(one, verb, **fields) for _ in range(10))))


async def test_a_deleted_result_is_gone_on_every_worker_and_others_stay(deployment: Settings) -> None:
    async with two_workers(deployment), agent(deployment) as one:
        event, other = await one.offload("c", LARGE), await one.offload("d", TEXT)
        assert await asked_often(one, "read", ref=event.ref) == {"None"}
        assert await one.request("delete", {"ref": event.ref}) == {"ok": {"deleted": 1}}
        for verb in ("read", "link", "delete"):
            assert await asked_often(one, verb, ref=event.ref) == {"gone"}
        assert await asked_often(one, "search", ref=event.ref, query="line") == {"gone"}
        assert await one.read_all(str(other.ref)) == TEXT
        listed = (await one.request("list"))["ok"]["tool_results"]
        assert [metadata["ref"] for metadata in listed] == [other.ref]
        replayed = (await one.request("replay"))["ok"]["events"]
        assert [event["event"]["ref"] for event in replayed] == [other.ref]
        assert not [key for key in await keys_of(deployment, "s1") if str(event.result_id) in key]


async def test_before_anything_is_erased_no_worker_gives_anything_of_it(deployment: Settings) -> None:
    stores = [FailingStore(open_store(deployment.storage)) for _ in range(2)]
    settings = with_delete_seconds(deployment, 0.1)
    async with worker_here(settings, stores[0]), worker_here(settings, stores[1]), agent(settings) as one:
        event = await one.offload("c", LARGE)
        assert await asked_often(one, "read", ref=event.ref) == {"None"}
        for store in stores:
            store.hang("delete")
        try:
            assert await one.request("delete", {"all": True}) == {"ok": {"deleted": 1}}
            assert await keys_of(deployment, "s1")
            for verb in ("read", "link", "delete"):
                assert await asked_often(one, verb, ref=event.ref) == {"gone"}
            assert await asked_often(one, "search", ref=event.ref, query="line") == {"gone"}
            replies = await asyncio.gather(*(one.request(verb) for verb in ("list", "replay") for _ in range(10)))
            assert {len(reply["ok"].get("tool_results", reply["ok"].get("events"))) for reply in replies} == {0}
        finally:
            for store in stores:
                store.heal()
        await eventually(lambda: is_empty(deployment, "s1"))


def with_delete_seconds(settings: Settings, seconds: float) -> Settings:
    return msgspec.structs.replace(
        settings, requests=msgspec.structs.replace(settings.requests, delete_seconds=seconds)
    )


async def test_gone_says_when(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as one:
        event = await one.offload("c", TEXT)
        await one.request("delete", {"ref": event.ref})
        error = (await one.request("read", {"ref": event.ref}))["error"]
        assert error["details"]["deleted_at"] in error["message"]
        assert error["details"]["deleted_at"] > event.created_at


async def test_a_deleted_session_leaves_nothing_and_no_neighbour_is_touched(deployment: Settings) -> None:
    async with two_workers(deployment), agent(deployment) as one:
        await one.offload("c", LARGE)
        link = (await one.request("link", {"ref": (await one.stub("c")).ref}))["ok"]["url"]
        assert link
        await one.publish("held", "short", turn="t", turn_size=5)
        await one.offload("settled", TEXT, turn="u", turn_size=1)
        await one.publish("piece", None, upload="never-ends")
        await one.client.jetstream().publish(
            one.subjects.chunks(one.address("piece"), "never-ends"), b"x", headers={"Coat-Seq": "0"}
        )
        await one.publish_raw(one.subjects.results(one.address("bad")), b"no result")
        await one.stub("bad")
        await uploaded(one, b"put and never named")
        refs: dict[str, str] = {}
        for session in NEIGHBOURS:
            async with agent(deployment, session) as neighbour:
                refs[session] = str((await neighbour.offload("c", TEXT)).ref)

        async def are_there() -> bool:
            return len(await messages_of(deployment, "s1")) >= 6

        await eventually(are_there, expecting="something of it in each stream")

        assert await one.request("delete", {"all": True}) == {"ok": {"deleted": 2}}

        assert await keys_of(deployment, "s1") == []
        await eventually(lambda: only_refusals(deployment, "s1"))
        assert await asked_often(one, "list") == {"None"}
        assert (await one.request("list"))["ok"]["tool_results"] == []
        assert await one.request("delete", {"all": True}) == {"ok": {"deleted": 0}}
        for session, ref in refs.items():
            async with agent(deployment, session) as neighbour:
                assert await neighbour.read_all(ref) == TEXT
                assert len((await neighbour.request("replay"))["ok"]["events"]) == 1


async def only_refusals(settings: Settings, session: str) -> bool:
    """Whether no more is left than what tells of what was refused: of the upload that had not ended."""
    return set(await messages_of(settings, session)) <= {f"{settings.nats.prefix}.{name}" for name in ("stubs", "dlq")}


async def test_what_comes_again_after_a_deletion_is_stored_anew(deployment: Settings) -> None:
    async with two_workers(deployment), agent(deployment) as one:
        event = await one.offload("c", TEXT, turn="t")
        assert (await one.request("delete", {"all": True}))["ok"]["deleted"] == 1
        one.events.clear()
        again = await one.offload("c", TEXT, turn="t")
        assert again.ref == event.ref
        assert await one.read_all(str(again.ref)) == TEXT
        assert (await one.request("delete", {"ref": again.ref}))["ok"]["deleted"] == 1
        one.events.clear()
        again = await one.offload("c", TEXT, turn="t")
        assert await one.read_all(str(again.ref)) == TEXT


async def test_what_a_dead_worker_left_another_takes_up(deployment: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "coatcheck_workers.deleting.deletions"
    monkeypatch.setattr(f"{module}.FORSAKEN_SECONDS", 0.1)
    monkeypatch.setattr(f"{module}.LOOK_SECONDS", 0.1)
    async with worker_here(deployment), agent(deployment) as one:
        event = await one.offload("c", TEXT)
        hanging = asyncio.Event()

        async def hang(*_: Any, **__: Any) -> None:
            hanging.set()
            await asyncio.Event().wait()

        async with worker_here(deployment) as dying:
            deletions = dying._deletions
            assert deletions is not None
            monkeypatch.setattr(deletions._erasing, "session", hang)
            monkeypatch.setattr(deletions, "look", asyncio.Event().wait)
            request = asyncio.create_task(deletions.delete("s1", None))
            await asyncio.wait_for(hanging.wait(), 60)
            assert await code_of(one, "read", ref=event.ref) == "gone"
            request.cancel()
        await eventually(lambda: is_empty(deployment, "s1"))
        assert await code_of(one, "read", ref=event.ref) == "gone"


async def is_empty(settings: Settings, session: str) -> bool:
    return not await keys_of(settings, session) and not await messages_of(settings, session)
