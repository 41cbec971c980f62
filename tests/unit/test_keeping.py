"""Keeping a result where something is there already: after a crash, a repetition, a collision, damage."""

import asyncio
from typing import Any

import msgspec
import pytest
from tests.support.deciding import arrived, rules

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.contents import Placed
from coatcheck_core.decision import decide
from coatcheck_core.rules import Stored
from coatcheck_schemas.errors import InvalidResult, StoreUnavailable
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.metadata import Metadata
from coatcheck_workers.keeping.keeping import PARTS_AT_A_TIME, keep

KEYS = Keys("p")
TEXT = "a large result\n" * 5000


def stored(**fields: Any) -> Stored:
    decision = decide(arrived(TEXT, **fields), rules())
    assert decision.stored is not None
    return decision.stored


async def objects(store: MemoryStore) -> dict[str, bytes]:
    return {key: await store.get(key) async for key in store.list("p/")}


async def test_keeping_twice_changes_nothing() -> None:
    store, what = MemoryStore(), stored()
    await keep(store, KEYS, "s", what)
    once = await objects(store)
    await keep(store, KEYS, "s", what)
    assert await objects(store) == once
    assert len(once) == 3


@pytest.mark.parametrize("failures", range(1, 4))
@pytest.mark.parametrize("after", [False, True])
async def test_crash_at_any_put_is_mended_by_the_next_try(failures: int, after: bool) -> None:
    inner, what = MemoryStore(), stored()
    store = FailingStore(inner)
    store.fail("put", every=failures, times=1, after=after)
    with pytest.raises(StoreUnavailable):
        await keep(store, KEYS, "s", what)
    await keep(store, KEYS, "s", what)
    untroubled = MemoryStore()
    await keep(untroubled, KEYS, "s", what)
    assert await objects(inner) == await objects(untroubled)


async def test_first_metadata_stands_and_a_later_turn_adds_an_entry() -> None:
    store = MemoryStore()
    first, second = stored(message_id="one"), stored(message_id="two")
    later = msgspec.structs.replace(second, entry=msgspec.structs.replace(second.entry, turn_hash="f" * 16))
    await keep(store, KEYS, "s", first)
    await keep(store, KEYS, "s", later)
    kept = msgspec.json.decode(await store.get(KEYS.metadata("s", first.metadata.result_id)), type=Metadata)
    assert kept.message_id == "one"
    assert len([key async for key in store.list(KEYS.by_time("s"))]) == 2


async def test_another_original_under_the_same_id_is_never_overwritten() -> None:
    store, what = MemoryStore(), stored()
    key = KEYS.output("s", what.metadata.result_id)
    await store.put(key, b"another original whose hash begins alike")
    with pytest.raises(InvalidResult) as refused:
        await keep(store, KEYS, "s", what)
    assert refused.value.reason == "conflict"
    assert await store.get(key) == b"another original whose hash begins alike"


async def test_damaged_metadata_is_replaced_where_the_original_is_ours() -> None:
    store, what = MemoryStore(), stored()
    await keep(store, KEYS, "s", what)
    await store.put(KEYS.metadata("s", what.metadata.result_id), b"\x00 not JSON")
    await keep(store, KEYS, "s", what)
    kept = await store.get(KEYS.metadata("s", what.metadata.result_id))
    assert msgspec.json.decode(kept, type=Metadata).sha256 == what.metadata.sha256


async def test_workers_that_race_keep_one_result() -> None:
    store, what = MemoryStore(), stored()
    await asyncio.gather(*(keep(store, KEYS, "s", what) for _ in range(8)))
    assert len(await objects(store)) == 3


async def test_many_parts_are_kept_a_few_at_a_time_and_stop_at_the_first_failure() -> None:
    inner, what = MemoryStore(), stored()
    parts = [(index, b"x") for index in range(200)]
    store = FailingStore(inner)
    store.fail("put", key=lambda key: key.endswith("/parts/20"))
    with pytest.raises(StoreUnavailable):
        await keep(store, KEYS, "s", msgspec.structs.replace(what, parts=parts))
    assert store.calls["put"] <= 1 + 20 + PARTS_AT_A_TIME


def laid_out(key: str, **fields: Any) -> Stored:
    what = stored(**fields)
    metadata = msgspec.structs.replace(what.metadata, output_key=f"p/v1/sessions/s/{key}")
    return msgspec.structs.replace(what, metadata=metadata)


async def test_original_lies_where_its_metadata_says() -> None:
    store, what = MemoryStore(), laid_out("mine/original")
    await keep(store, KEYS, "s", what)
    assert await store.get("p/v1/sessions/s/mine/original") == what.output
    assert KEYS.output("s", what.metadata.result_id) not in store


async def test_same_original_under_another_key_is_not_kept_twice() -> None:
    """As in a layout by dates, where it comes again on another day."""
    store = MemoryStore()
    await keep(store, KEYS, "s", laid_out("monday/original"))
    await keep(store, KEYS, "s", laid_out("tuesday/original"))
    assert "p/v1/sessions/s/tuesday/original" not in store
    assert "p/v1/sessions/s/monday/original" in store


async def test_original_that_was_placed_by_default_moves_where_the_layout_says() -> None:
    store, what = MemoryStore(), laid_out("mine/original")
    default = KEYS.output("s", what.metadata.result_id)
    assert isinstance(what.output, bytes)
    await store.put(default, what.output)
    placed = Placed(key=default, form="plain", stored_bytes=len(what.output))
    await keep(store, KEYS, "s", msgspec.structs.replace(what, output=placed))
    assert await store.get("p/v1/sessions/s/mine/original") == what.output
    assert default not in store
