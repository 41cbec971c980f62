"""Keeping parts where another result of the call, with the same text, is being kept."""

import base64
from typing import Any

import pytest
from tests.support.deciding import arrived, rules

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.decision import decide
from coatcheck_core.rules import Stored
from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_schemas.keys import Keys
from coatcheck_workers.keeping.keeping import keep

KEYS = Keys("p")


def stored(data: bytes) -> Stored:
    image: dict[str, Any] = {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": "image/x-any"}
    decision = decide(arrived([{"type": "text", "text": "a large result\n" * 5000}, image]), rules())
    assert decision.stored is not None
    return decision.stored


async def cut_short(store: MemoryStore, what: Stored) -> None:
    """All of it kept but its metadata, as by a worker that died."""
    failing = FailingStore(store)
    failing.fail("put", every=3, times=1)
    with pytest.raises(StoreUnavailable):
        await keep(failing, KEYS, "s", what)


async def test_the_parts_of_another_result_are_never_written_over() -> None:
    store, one, two = MemoryStore(), stored(b"\0one"), stored(b"\0two")
    await cut_short(store, one)
    with pytest.raises(StoreUnavailable, match="another result's"):
        await keep(store, KEYS, "s", two)
    assert await store.get(KEYS.part("s", one.metadata.result_id, 1)) == b"\0one"


async def test_a_result_that_was_cut_short_is_kept_by_its_next_try() -> None:
    store, one = MemoryStore(), stored(b"\0one")
    await cut_short(store, one)
    await keep(store, KEYS, "s", one)
    await keep(store, KEYS, "s", one)
    assert await store.get(KEYS.part("s", one.metadata.result_id, 1)) == b"\0one"
    assert await store.get(KEYS.metadata("s", one.metadata.result_id))
