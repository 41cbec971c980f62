"""Copies for links: made once, in the background, and none of it left where it fails."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.support.wait import eventually

from coatcheck.testing import MemoryStore
from coatcheck_schemas.errors import ObjectNotFound, RequestError, StoreUnavailable
from coatcheck_workers.retrieval import copies
from coatcheck_workers.retrieval.copies import Copies, Copy


class Source:
    """Gives two pieces, the second once it may; counts how often it was begun."""

    def __init__(self, *, fails: bool = False) -> None:
        self.begun = 0
        self.may_go_on = asyncio.Event()
        self._fails = fails

    async def pieces(self) -> AsyncIterator[bytes]:
        self.begun += 1
        yield b"one "
        await self.may_go_on.wait()
        if self._fails:
            raise StoreUnavailable("away")
        yield b"two"


def copy_of(source: Source) -> Copy:
    return Copy(key="links/s/r", size=7, source=source.pieces)


async def test_many_who_ask_at_once_wait_for_one() -> None:
    store, making, source = MemoryStore(), Copies(), Source()
    asking = [asyncio.create_task(making.made(store, copy_of(source))) for _ in range(5)]
    source.may_go_on.set()
    await asyncio.gather(*asking)
    assert (source.begun, await store.get("links/s/r")) == (1, b"one two")
    await making.made(store, copy_of(source))
    assert source.begun == 1


async def test_whoever_has_waited_long_enough_is_told_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "PATIENCE_SECONDS", 0.01)
    store, making, source = MemoryStore(), Copies(), Source()
    with pytest.raises(RequestError, match="ask again") as caught:
        await making.made(store, copy_of(source))
    assert caught.value.code == "unavailable"
    source.may_go_on.set()
    monkeypatch.setattr(copies, "PATIENCE_SECONDS", 10)
    await making.made(store, copy_of(source))
    assert source.begun == 1


async def test_a_copy_that_fails_is_told_and_made_anew_by_the_next() -> None:
    store, making, failing, working = MemoryStore(), Copies(), Source(fails=True), Source()
    failing.may_go_on.set()
    working.may_go_on.set()
    with pytest.raises(StoreUnavailable):
        await making.made(store, copy_of(failing))
    with pytest.raises(ObjectNotFound):
        await store.get("links/s/r")
    await making.made(store, copy_of(working))
    assert await store.get("links/s/r") == b"one two"


async def test_closing_gives_up_what_is_being_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "PATIENCE_SECONDS", 0.01)
    store, making, source = MemoryStore(), Copies(), Source()
    with pytest.raises(RequestError):
        await making.made(store, copy_of(source))
    await making.close()
    with pytest.raises(ObjectNotFound):
        await store.get("links/s/r")


async def test_a_copy_of_what_was_deleted_is_given_up_and_whoever_waits_is_told() -> None:
    store, making, source, other = MemoryStore(), Copies(), Source(), Source()
    asking = asyncio.create_task(making.made(store, copy_of(source)))
    besides = asyncio.create_task(making.made(store, Copy(key="links/s/r2", size=7, source=other.pieces)))
    await eventually(lambda: source.begun and other.begun)
    making.give_up("links/s/r.")
    making.give_up("links/s/r-")
    assert not asking.done()
    making.give_up("links/s/r2")
    with pytest.raises(ObjectNotFound):
        await besides
    source.may_go_on.set()
    await asking
    assert [key async for key in store.list("links/")] == ["links/s/r"]


async def test_more_than_a_worker_makes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(copies, "MOST_WAITING", 1)
    store, making, source = MemoryStore(), Copies(), Source()
    with pytest.raises(RequestError, match="being made"):
        await making.made(store, copy_of(source))
    with pytest.raises(RequestError, match="too many links"):
        await making.made(store, Copy(key="links/s/other", size=7, source=source.pieces))
    await making.close()
