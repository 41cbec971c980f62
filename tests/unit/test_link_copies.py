"""Copies for links: made once, in the background, and none of it left where it fails."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest
from tests.support.wait import eventually

from coatcheck.testing import MemoryStore
from coatcheck_core.settings.model import RequestsSettings
from coatcheck_schemas.errors import ObjectNotFound, RequestError, StoreUnavailable
from coatcheck_workers.retrieval.linking import copies
from coatcheck_workers.retrieval.linking.copies import Copies, Copy


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
    return Copy(key="links/s/r", session="s", size=7, source=source.pieces)


def other_copy(source: Source, name: str, session: str = "s") -> Copy:
    return Copy(key=f"links/{session}/{name}", session=session, size=7, source=source.pieces)


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
    store, making, source, other = MemoryStore(), Copies(RequestsSettings(copies=3)), Source(), Source()
    asking = asyncio.create_task(making.made(store, copy_of(source)))
    besides = asyncio.create_task(making.made(store, other_copy(other, "r2")))
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


async def test_more_than_may_wait_are_refused_with_the_setting_s_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "PATIENCE_SECONDS", 0.01)
    store, making, source = MemoryStore(), Copies(RequestsSettings(copies=1, copies_waiting=2)), Source()
    for name in ("at work", "waits"):
        with pytest.raises(RequestError, match="being made"):
            await making.made(store, other_copy(source, name))
    with pytest.raises(RequestError, match="too many copies") as caught:
        await making.made(store, other_copy(source, "too many"))
    assert caught.value.details == {"limit": "requests.copies_waiting", "value": 2}
    with pytest.raises(RequestError, match="being made"):
        await making.made(store, other_copy(source, "another's", "t"))
    await making.close()


async def test_a_session_leaves_a_place_to_others() -> None:
    store, making, source, quick = MemoryStore(), Copies(RequestsSettings(copies=2)), Source(), Source()
    quick.may_go_on.set()
    asking = [asyncio.create_task(making.made(store, other_copy(source, str(number)))) for number in range(4)]
    await eventually(lambda: source.begun == 1, expecting="one of the session to be made")
    await making.made(store, other_copy(quick, "r", "t"))
    assert source.begun == 1
    source.may_go_on.set()
    await asyncio.gather(*asking)
    assert source.begun == 4


async def test_one_that_is_given_up_while_it_waits_takes_no_place() -> None:
    store, making, source = MemoryStore(), Copies(RequestsSettings(copies=1)), Source()
    asking = [asyncio.create_task(making.made(store, other_copy(source, name))) for name in "abc"]
    await eventually(lambda: source.begun == 1 and len(making._making) == 3, expecting="one made, two waiting")
    making.give_up("links/s/b")
    with pytest.raises(ObjectNotFound):
        await asking[1]
    source.may_go_on.set()
    await asyncio.gather(asking[0], asking[2])
    assert (making._line.at_work, making._line.sessions) == (0, 0)


@pytest.mark.parametrize("wanted", [[False, False], [True, False]], ids=["before", "meanwhile"])
async def test_nothing_is_left_of_a_copy_of_what_was_deleted(wanted: list[bool]) -> None:
    store, making, source = MemoryStore(), Copies(), Source()
    source.may_go_on.set()
    told = iter(wanted)

    async def is_wanted() -> bool:
        return next(told)

    copy = msgspec.structs.replace(copy_of(source), is_wanted=is_wanted)
    with pytest.raises(ObjectNotFound):
        await making.made(store, copy)
    with pytest.raises(ObjectNotFound):
        await store.get("links/s/r")
    assert source.begun == wanted.count(True)
