"""A conversation of more results than can be stored within one request."""

from asyncio import Semaphore, gather, sleep
from itertools import count

import msgspec
import pytest
from tests.support.conversations import SHAPES, Say, rounds
from tests.support.originals import Shelf

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.clearing import Cleared, Rules, clear
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_workers.clearing.offloading import Offloading

RULES = Rules(clearing_token_threshold=100, keep_recent_tokens=300)
MESSAGES = SHAPES["chat"]([*rounds(10, size=800), Say("user", "and now?")])


def clearing(shelf: Shelf, begun_in_time: int) -> tuple[Offloading, Cleared]:
    """Time is over after so many results: the clock goes on each time that somebody looks at it."""
    ticks = count(step=shelf.retrieval.settings.requests.timeout_seconds * 0.7 / (begun_in_time + 0.5))
    clearing = Offloading(shelf.retrieval, "s1", RULES, lambda: next(ticks))
    return clearing, clear(MESSAGES, RULES, placeholder_for=clearing.placeholder_for)


async def test_what_is_stored_in_time_is_found_and_the_next_request_goes_on() -> None:
    store = FailingStore(MemoryStore())
    shelf = Shelf(store=store)
    shelf.retrieval = msgspec.structs.replace(shelf.retrieval, clears=Semaphore(1))
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


class Counting(MemoryStore):
    """Knows how many puts were under way at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await sleep(0)
            await super().put(key, data, exclusive=exclusive)
        finally:  # another may have put the same
            self.now -= 1


async def test_many_requests_at_once_together_take_no_more_of_the_store_than_one() -> None:
    store = Counting()
    shelf = Shelf(store=store)
    shelf.retrieval = msgspec.structs.replace(shelf.retrieval, clears=Semaphore(3))
    begun = [clearing(shelf, 8) for _ in range(5)]
    await gather(*(one.keep(cleared.cleared) for one, cleared in begun))
    assert store.most <= 3 * 2
