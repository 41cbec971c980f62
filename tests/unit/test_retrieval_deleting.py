"""`delete` as a request, and what is told of what was deleted."""

from typing import Any

import msgspec
import pytest
from tests.support.graveyard import Graveyard
from tests.support.originals import BEGIN, Shelf, problem

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_schemas.times import format_time, from_milliseconds
from coatcheck_workers.deleting.stored import StoredTombstones
from coatcheck_workers.streams.tombstone import Stage

NEVER = f"call_9-{'0' * 32}"
VERBS: list[tuple[str, dict[str, Any]]] = [("read", {}), ("search", {"query": "t"}), ("link", {}), ("delete", {})]


class Session(Shelf):
    """A shelf at which things can be deleted; `yard` is where that is known, and says the time."""

    def __init__(self, store: Any = None) -> None:
        super().__init__(store=store)
        self.yard = Graveyard()
        self.yard.now = from_milliseconds(BEGIN + 500_000)
        self.tombstones = self.yard.worker()
        self.retrieval = msgspec.structs.replace(
            self.retrieval, tombstones=self.tombstones, deleter=self.yard.deletions(self.store, self.tombstones)
        )

    async def details(self, verb: str, **fields: Any) -> dict[str, Any]:
        error: dict[str, Any] = msgspec.json.decode((await self.ask(verb, **fields)).body)["error"]
        return error


async def test_a_result_is_deleted_by_its_ref_or_its_bare_id() -> None:
    it = Session()
    first, second = await it.keep("text"), await it.keep("other", call="call_2")
    assert await it.ok("delete", ref=first) == {"deleted": 1}
    assert await it.ok("delete", ref=second.rpartition("/")[2]) == {"deleted": 1}
    assert (await it.ok("list"))["tool_results"] == []


async def test_a_session_is_deleted_with_all_its_results() -> None:
    it = Session()
    for number in range(3):
        await it.keep(f"text {number}")
    other = await it.keep("text", session="s2")
    assert await it.ok("delete", all=True) == {"deleted": 3}
    assert (await it.ok("list"))["tool_results"] == []
    assert (await it.ok("read", session="s2", ref=other))["content"] == "text"


async def test_an_empty_session_has_nothing_to_delete() -> None:
    assert await Session().ok("delete", all=True) == {"deleted": 0}


@pytest.mark.parametrize("fields", [{}, {"ref": NEVER, "all": True}, {"all": False}, {"ref": ""}, {"ref": "no ref"}])
async def test_what_is_to_be_deleted_must_be_said(fields: dict[str, Any]) -> None:
    assert (await Session().error("delete", **fields))[0] == "invalid_argument"


async def test_a_part_is_not_deleted_alone() -> None:
    it = Session()
    ref = await it.keep("text")
    code, message = await it.error("delete", ref=f"{ref}/0")
    assert code == "invalid_argument"
    assert ref in message
    assert (await it.ok("read", ref=ref))["content"] == "text"


async def test_what_never_was_is_not_found_and_leaves_no_trace() -> None:
    it = Session()
    assert (await it.error("delete", ref=NEVER))[0] == "not_found"
    assert it.tombstones.deleted_at("s1", NEVER) is None


async def test_another_sessions_result_is_not_found_and_stays() -> None:
    it = Session()
    ref = await it.keep("text", session="s2")
    assert (await it.error("delete", ref=ref))[0] == "not_found"
    assert (await it.ok("read", session="s2", ref=ref))["content"] == "text"


@pytest.mark.parametrize(("verb", "fields"), VERBS)
async def test_what_was_deleted_is_gone_and_says_when(verb: str, fields: dict[str, Any]) -> None:
    it = Session()
    ref = await it.keep("text")
    await it.ok("delete", ref=ref)
    error = await it.details(verb, ref=ref, **fields)
    assert error["code"] == "gone"
    assert error["details"] == {"ref": ref, "deleted_at": format_time(it.yard.now)}
    assert format_time(it.yard.now) in error["message"]


@pytest.mark.parametrize(("verb", "fields"), VERBS)
async def test_what_was_deleted_with_its_session_is_gone(verb: str, fields: dict[str, Any]) -> None:
    it = Session()
    ref = await it.keep("text")
    await it.ok("delete", all=True)
    assert (await it.error(verb, ref=ref, **fields))[0] == "gone"


@pytest.mark.parametrize(("verb", "fields"), VERBS)
async def test_what_the_stream_no_longer_knows_is_gone_by_the_note_in_storage(
    verb: str, fields: dict[str, Any]
) -> None:
    it = Session()
    ref = f"coat://s1/{NEVER}"
    await StoredTombstones(it.store, it.keys).put("s1", NEVER, it.yard.now)
    error = await it.details(verb, ref=ref, **fields)
    assert (error["code"], error["details"]["deleted_at"]) == ("gone", format_time(it.yard.now))


@pytest.mark.parametrize(("verb", "fields"), VERBS)
async def test_what_is_not_erased_yet_is_gone_all_the_same(verb: str, fields: dict[str, Any]) -> None:
    it = Session()
    ref = await it.keep("text")
    await it.tombstones.bury("s1")
    assert (await it.error(verb, ref=ref, **fields))[0] == "gone"
    assert (await it.ok("list"))["tool_results"] == []
    assert (await it.ok("list", order="newest", tool_name="tool"))["tool_results"] == []
    assert (await it.ok("search", query="text"))["matches"] == []


async def test_what_is_not_purged_yet_is_not_replayed() -> None:
    it = Session()
    old, new = format_time(from_milliseconds(BEGIN)), format_time(from_milliseconds(BEGIN + 600_000))
    for subject, created_at in (("t", old), ("u", new)):
        it.events.publish(f"coat.stubs.s1.{subject}.{NEVER}", msgspec.json.encode({"created_at": created_at}))
    it.events.publish("coat.stubs.s1.t.c-failed", msgspec.json.encode({"created_at": old}))
    it.events.publish("coat.stubs.s1.t.odd", msgspec.json.encode({"created_at": "?"}))
    it.events.publish("coat.settled.s1.t", b"{}")
    tombstone = await it.tombstones.bury("s1")
    subjects = [event["subject"] for event in (await it.ok("replay"))["events"]]
    assert subjects == [f"coat.stubs.s1.u.{NEVER}", "coat.stubs.s1.t.c-failed"]
    assert (await it.ok("replay", turn_id="t", settled=True))["events"] == []
    await it.tombstones.advance(tombstone, Stage.ERASING)
    assert len((await it.ok("replay", turn_id="t", settled=True))["events"]) == 1


async def test_what_comes_again_after_its_deletion_is_read_and_deleted_again() -> None:
    it = Session()
    ref = await it.keep("text")
    await it.ok("delete", ref=ref)
    assert await it.keep("text", milliseconds=BEGIN + 600_000) == ref
    assert (await it.ok("read", ref=ref))["content"] == "text"
    it.yard.pass_seconds(600)
    assert await it.ok("delete", ref=ref) == {"deleted": 1}
    assert (await it.error("read", ref=ref))[0] == "gone"


async def test_what_has_but_a_stub_is_deleted_too() -> None:
    """A small result that went inline, or one that the store could not take yet."""
    it = Session()
    it.events.publish(f"coat.stubs.s1.t.{NEVER}", b'{"reason": null}')
    assert await it.ok("delete", ref=NEVER) == {"deleted": 1}
    assert it.tombstones.deleted_at("s1", NEVER) is not None


async def test_a_damaged_result_is_deleted() -> None:
    it = Session()
    ref = await it.keep("text")
    await it.store.put(it.keys.metadata("s1", ref.rpartition("/")[2]), b"{")
    assert await it.ok("delete", ref=ref) == {"deleted": 1}
    assert (await it.error("read", ref=ref))[0] == "gone"


async def test_while_the_store_is_away_nobody_is_told_that_it_never_was() -> None:
    store = FailingStore(MemoryStore())
    it = Session(store)
    ref = await it.keep("text")
    store.fail("get", key=lambda key: "/deleted/" in key)
    assert (await it.error("read", ref=NEVER))[0] == "unavailable"
    store.fail()
    assert (await it.error("delete", ref=ref))[0] == "unavailable"
    assert (await it.error("read", ref=NEVER))[0] == "unavailable"


async def test_where_nothing_can_be_deleted_that_is_said() -> None:
    assert problem(await Shelf().ask("delete", all=True))[0] == "unavailable"
