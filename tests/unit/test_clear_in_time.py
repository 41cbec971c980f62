"""A conversation of more results than can be stored within one request."""

from itertools import count

import pytest
from tests.support.conversations import SHAPES, Say, rounds
from tests.support.originals import Shelf

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.clearing import Cleared, Rules, clear
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_workers.clearing import offloading
from coatcheck_workers.clearing.offloading import Offloading

RULES = Rules(clearing_token_threshold=100, keep_recent_tokens=300)
MESSAGES = SHAPES["chat"]([*rounds(10, size=800), Say("user", "and now?")])


def clearing(shelf: Shelf, begun_in_time: int) -> tuple[Offloading, Cleared]:
    """Time is over after so many results: the clock goes on each time that somebody looks at it."""
    ticks = count(step=shelf.retrieval.settings.requests.timeout_seconds * 0.7 / (begun_in_time + 0.5))
    clearing = Offloading(shelf.retrieval, "s1", RULES, lambda: next(ticks))
    return clearing, clear(MESSAGES, RULES, placeholder_for=clearing.placeholder_for)


async def test_what_is_stored_in_time_is_found_and_the_next_request_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offloading, "_AT_A_TIME", 1)
    store = FailingStore(MemoryStore())
    shelf = Shelf(store=store)
    for begun_in_time in (4, 7):
        begun, cleared = clearing(shelf, begun_in_time)
        with pytest.raises(RequestError, match="ask the same again") as refused:
            await begun.keep(cleared.cleared)
        assert refused.value.code is Code.UNAVAILABLE
        assert refused.value.details == {"stored": begun_in_time, "results": 8}
    begun, cleared = clearing(shelf, 8)
    await begun.keep(cleared.cleared)
    assert store.calls["put"] == 8 * 3
    for one in cleared.cleared:
        assert await shelf.read_all(str(one.ref)) == one.slot.text


async def test_all_that_is_stored_in_time_is_no_error() -> None:
    begun, cleared = clearing(Shelf(), 8)
    await begun.keep(cleared.cleared)
    assert cleared.cleared
