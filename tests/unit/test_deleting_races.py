"""Deletions of which a worker has not heard yet: what it makes meanwhile of the deleted does not outlive it."""

from collections.abc import Awaitable, Callable

import pytest
from tests.support.meddling import MeddlingStore
from tests.support.originals import BEGIN, Large, Shelf

from coatcheck_schemas.times import from_milliseconds
from coatcheck_workers.deleting import erasing
from coatcheck_workers.deleting.erasing import Erasing
from coatcheck_workers.deleting.stored import StoredTombstones

T = from_milliseconds(BEGIN + 500_000)
TEXT = "some text of an original\n" * 500


class Unheard(Shelf):
    """A worker that hears of no deletion, over a store in which another one erases."""

    def __init__(self) -> None:
        self.meddling = MeddlingStore()
        super().__init__(store=self.meddling)
        self.erasing = Erasing(self.store, self.keys)

    async def erase(self, rid: str | None) -> None:
        await StoredTombstones(self.store, self.keys).put("s1", rid, T)
        if rid is not None:
            await self.erasing.result("s1", rid, T)
            return
        await self.erasing.passing("s1", puts=True)
        await self.erasing.session("s1", T)

    def erasing_of(self, rid: str | None) -> Callable[[], Awaitable[None]]:
        return lambda: self.erase(rid)

    async def left(self) -> list[str]:
        folders = f"{self.keys.session('s1')}results/", self.keys.passing(), self.keys.facts("s1", "")
        return [key for folder in folders async for key in self.store.list(folder)]


@pytest.mark.parametrize("is_session", [True, False])
async def test_a_copy_for_a_link_that_lands_after_the_erasing_goes_and_nobody_gets_its_url(is_session: bool) -> None:
    it = Unheard()
    ref = await it.keep(TEXT, large=Large())
    rid = ref.rpartition("/")[2]
    it.meddling.meddle("put_stream", "/links/", it.erasing_of(None if is_session else rid))
    assert (await it.error("link", ref=ref))[0] == "gone"
    assert it.meddling.is_calm
    assert await it.left() == []


@pytest.mark.parametrize("is_session", [True, False])
async def test_a_copy_for_a_link_that_lands_before_the_metadata_goes_is_found(is_session: bool) -> None:
    it = Unheard()
    rid = (await it.keep(TEXT, large=Large())).rpartition("/")[2]
    copy = it.keys.link("s1", f"{rid}.20261130")

    async def land() -> None:
        await it.store.put(copy, b"copy")

    it.meddling.meddle("delete", it.keys.metadata("s1", rid), land)
    await it.erase(None if is_session else rid)
    assert it.meddling.is_calm
    assert await it.left() == []


async def facts_of_twenty() -> Unheard:
    it = Unheard()
    for number in range(20):
        await it.keep(f"text {number}", call=f"c{number}", tool="often")
    return it


async def test_a_page_of_facts_that_lands_after_its_session_is_erased_goes_again() -> None:
    it = await facts_of_twenty()
    it.meddling.meddle("put", "/listing/", it.erasing_of(None))
    await it.ok("list", tool_name="often")
    assert it.meddling.is_calm
    assert await it.left() == []


async def test_a_page_of_facts_that_lands_before_the_entries_go_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "PAGE", 3)
    it = await facts_of_twenty()

    async def land() -> None:
        await it.store.put(it.keys.facts("s1", "first"), b"{}")

    it.meddling.meddle("delete", f"{it.keys.session('s1')}results/", land)
    await it.erase(None)
    assert it.meddling.is_calm
    assert await it.left() == []
