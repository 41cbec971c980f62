"""A result that comes again lasts anew, and one that has expired, or was deleted, is stored anew."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from tests.support.deciding import address, rules
from tests.support.late import SaidTombstones, late
from tests.support.meddling import MeddlingStore

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.arrival import identify
from coatcheck_core.contents import Placed
from coatcheck_core.decision import decide
from coatcheck_core.rules import Stored
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.store import Store
from coatcheck_schemas.times import format_time
from coatcheck_workers.deleting.erasing import Erasing
from coatcheck_workers.flow.forming import formed
from coatcheck_workers.flow.keeping import keep
from coatcheck_workers.flow.renewing import renew

KEYS = Keys("p")
FIRST = datetime(2026, 1, 31, 12, tzinfo=UTC)
SAME_DAY, NEXT_DAY = FIRST + timedelta(hours=11), FIRST + timedelta(hours=13)
DAYS = 30
CONTENT: list[Any] = [
    {"type": "text", "text": "a large result\n" * 5000},
    {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
]


class CopyingStore(MemoryStore):
    """Notes what is copied where."""

    def __init__(self) -> None:
        super().__init__()
        self.copied: list[str] = []

    async def copy(self, source: str, target: str, *, version: str | None = None) -> None:
        await super().copy(source, target, version=version)
        self.copied.append(target)

    async def names(self) -> set[str]:
        return {key.rpartition("/")[2] async for key in self.list("p/")}


async def stored(at: datetime, **fields: Any) -> Stored:
    body = msgspec.json.encode({"tool_name": "tool", "content": CONTENT, **fields})
    decision = decide(identify(address("s"), decode_result(None, body), at), rules())
    assert decision.stored is not None
    return await formed(decision.stored, StorageSettings(large_bytes=64 * 1024, compression="none"))


async def keep_at(store: Store, at: datetime, *, days: int = DAYS, **fields: Any) -> Metadata:
    """Keep it as a worker does; the metadata that stands then."""
    what, asked = await stored(at, **fields), late(retention_days=days)
    await keep(store, KEYS, "s", what, lambda there: asked.is_void("s", there, at), renews=days > 0)
    return await standing(store, what)


async def standing(store: Store, what: Stored) -> Metadata:
    raw = await store.get(KEYS.metadata("s", what.metadata.result_id))
    return msgspec.json.decode(raw, type=Metadata)


async def test_its_last_use_is_noted_and_its_first_metadata_stands() -> None:
    store = CopyingStore()
    await keep_at(store, FIRST, message_id="one")
    kept = await keep_at(store, SAME_DAY, message_id="two")
    assert (kept.message_id, kept.created_at, kept.last_used_at) == ("one", format_time(FIRST), format_time(SAME_DAY))
    assert store.copied == []


async def test_on_the_first_use_of_a_day_all_its_objects_are_put_again() -> None:
    store = CopyingStore()
    await keep_at(store, FIRST)
    before = {key: await store.get(key) async for key in store.list("p/v1/sessions/s/results/")}
    kept = await keep_at(store, NEXT_DAY)
    folder = KEYS.result("s", kept.result_id)
    in_place = {key.removeprefix(folder) for key in store.copied if key.startswith(folder)}
    assert in_place == {"output", "index", "parts/1"}
    del before[KEYS.metadata("s", kept.result_id)]
    assert {key: await store.get(key) for key in before} == before
    assert [key async for key in store.list(KEYS.passing())] == []
    await keep_at(store, NEXT_DAY + timedelta(hours=1))
    assert len(store.copied) == 2 * len(in_place)


async def test_a_use_before_the_last_one_changes_nothing() -> None:
    store = CopyingStore()
    await keep_at(store, FIRST)
    await keep_at(store, NEXT_DAY)
    copied = len(store.copied)
    assert (await keep_at(store, SAME_DAY)).last_used_at == format_time(NEXT_DAY)
    assert len(store.copied) == copied


async def test_where_nothing_expires_nothing_is_noted() -> None:
    store = CopyingStore()
    await keep_at(store, FIRST, days=0)
    assert (await keep_at(store, NEXT_DAY, days=0)).last_used_at is None
    assert store.copied == []


async def test_fields_of_a_newer_version_stay() -> None:
    store = MemoryStore()
    kept = await keep_at(store, FIRST)
    key = KEYS.metadata("s", kept.result_id)
    await store.put(key, msgspec.json.encode(msgspec.to_builtins(kept) | {"of_a_newer_version": [1, {"a": None}]}))
    await keep_at(store, SAME_DAY)
    assert msgspec.json.decode(await store.get(key))["of_a_newer_version"] == [1, {"a": None}]


@pytest.mark.parametrize(("operation", "every"), [("copy", 2), ("put", 5), ("delete", 2), ("list", 1)])
@pytest.mark.parametrize("after", [False, True])
async def test_a_crash_in_the_midst_is_mended_by_the_next_try(operation: Any, every: int, after: bool) -> None:
    inner = CopyingStore()
    await keep_at(inner, FIRST)
    store = FailingStore(inner)
    store.fail(operation, every=every, times=1, after=after)
    with pytest.raises(StoreUnavailable):
        await keep_at(store, NEXT_DAY)
    kept = await keep_at(store, NEXT_DAY)
    assert kept.last_used_at == format_time(NEXT_DAY)
    assert [key async for key in inner.list(KEYS.passing())] == []
    assert {"output", "index", "1", "metadata.json"} <= await inner.names()


@pytest.mark.parametrize("is_placed", [False, True])
async def test_what_has_expired_is_stored_anew_whole(is_placed: bool) -> None:
    store, again = CopyingStore(), FIRST + timedelta(days=DAYS)
    first = await keep_at(store, FIRST, message_id="one")
    await store.put(KEYS.output("s", first.result_id), b"what the rule is about to free")
    what = await stored(again, message_id="two")
    if is_placed:
        assert isinstance(what.output, bytes)
        await store.put("p/incoming", what.output)
        placed = Placed(key="p/incoming", form="plain", stored_bytes=len(what.output), index=what.index)
        what = msgspec.structs.replace(what, output=placed)
    asked = late(retention_days=DAYS)
    await keep(store, KEYS, "s", what, lambda there: asked.is_void("s", there, again), renews=True)
    kept = await standing(store, what)
    assert (kept.message_id, kept.created_at, kept.last_used_at) == ("two", format_time(again), None)
    assert (await store.get(KEYS.output("s", kept.result_id))).startswith(b"a large result")


async def test_what_is_left_of_a_deleted_result_counts_for_nothing() -> None:
    store, tombstones = MemoryStore(), SaidTombstones()
    first = await keep_at(store, FIRST, message_id="one")
    tombstones.bury("s", first.result_id, FIRST)
    asked, what = late(tombstones), await stored(SAME_DAY, message_id="two")
    await keep(store, KEYS, "s", what, lambda there: asked.is_void("s", there, SAME_DAY))
    assert (await standing(store, what)).message_id == "two"


@pytest.mark.parametrize("is_session", [True, False])
async def test_a_copy_that_a_dead_worker_left_aside_goes_with_its_result_and_its_session(is_session: bool) -> None:
    store = MemoryStore()
    kept = await keep_at(store, FIRST)
    for session in ("s", "s-"):
        await store.put(KEYS.renewed(session, kept.result_id, "output"), b"aside")
    if is_session:
        await Erasing(store, KEYS).passing("s", puts=False)
    else:
        await Erasing(store, KEYS).result("s", kept.result_id, SAME_DAY)
    assert [key async for key in store.list(KEYS.passing())] == [KEYS.renewed("s-", kept.result_id, "output")]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("place", ["/renewed/", "/results/"])
async def test_what_is_erased_while_it_is_renewed_does_not_come_back(place: str, after: bool) -> None:
    store = MeddlingStore()
    kept = await keep_at(store, FIRST)
    erasing = Erasing(store, KEYS)
    store.meddle("copy", place, lambda: erasing.result("s", kept.result_id, SAME_DAY), after=after)
    there, ours = kept, msgspec.structs.replace(kept, created_at=format_time(NEXT_DAY))
    await renew(store, KEYS, "s", there, ours)
    assert store.is_calm
    assert [key async for key in store.list("p/v1/") if "/by-time/" not in key] == []


async def test_what_comes_anew_while_a_renewal_takes_its_copy_back_keeps_its_bytes() -> None:
    store = MeddlingStore()
    kept = await keep_at(store, FIRST)
    output, metadata = KEYS.output("s", kept.result_id), KEYS.metadata("s", kept.result_id)
    text, body = await store.get(output), await store.get(metadata)
    for index in ("parts/1", "index"):
        await store.delete(f"{KEYS.result('s', kept.result_id)}{index}")
    store.meddle("copy", output, lambda: store.delete(metadata))
    store.meddle("delete", output, lambda: store.put(metadata, body))
    await renew(store, KEYS, "s", kept, msgspec.structs.replace(kept, created_at=format_time(NEXT_DAY)))
    assert store.is_calm
    assert await store.get(output) == text
