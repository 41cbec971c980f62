"""Whatever happens in storage behind two workers that remember: a page is right, or an error says what is so."""

import asyncio
from typing import Any, Literal

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.originals import Large, Shelf

from coatcheck_schemas.refs import parse_ref
from coatcheck_workers.retrieval import Answer, Retrieval, answer
from coatcheck_workers.retrieval.originals.damage import Damage
from coatcheck_workers.retrieval.originals.indexes import Indexes
from coatcheck_workers.retrieval.originals.known import Known

TEXT = "".join(f"line {n}: Zoë {'漢字' * (n % 5)}\n" for n in range(900))
FORMS = {
    "small": None,
    "plain": Large(compression="none", block_bytes=1000),
    "finer": Large(compression="none", block_bytes=333),
    "zstd": Large(compression="zstd", block_bytes=1000),
}

Step = tuple[str, Any]
READS = st.tuples(st.just("read"), st.tuples(st.integers(0, 1), st.integers(-20_000, 20_000), st.integers(1, 3000)))
STORES = st.tuples(st.just("store"), st.sampled_from(sorted(FORMS)))
OTHERS = st.tuples(st.sampled_from(["delete", "repair"]), st.none())
DAMAGES = st.tuples(
    st.just("damage"), st.tuples(st.sampled_from(["flip", "noise", "cut", "swap"]), st.integers(0, 10**6))
)
STEPS = st.lists(st.one_of(READS, READS, READS, STORES, OTHERS, DAMAGES), min_size=2, max_size=25)


class World:
    """One store, two workers, one result."""

    def __init__(self) -> None:
        self.shelf = Shelf()
        self.workers = [self._worker(), self._worker()]
        self.state: Literal["whole", "damaged", "gone"] = "gone"
        self._right = b""

    def _worker(self) -> Retrieval:
        return msgspec.structs.replace(self.shelf.retrieval, indexes=Indexes(), known=Known(), damage=Damage())

    async def store(self, form: str) -> None:
        """As a flow does: nothing is left of what was there before."""
        await self.delete()
        self.ref = await self.shelf.keep(TEXT, large=FORMS[form])
        self.state = "whole"
        self._right = await self.shelf.store.get(self.key)

    @property
    def key(self) -> str:
        return self.shelf.keys.output("s1", self.rid)

    @property
    def rid(self) -> str:
        return parse_ref(self.ref).result_id

    async def delete(self) -> None:
        keys = self.shelf.keys
        if self.state != "gone":
            for key in (keys.metadata("s1", self.rid), self.key, keys.index("s1", self.rid)):
                await self.shelf.store.delete(key)
        self.state = "gone"

    async def damage(self, how: str, where: int) -> None:
        if self.state == "gone":
            return
        data = bytearray(self._right)
        at = where % len(data)
        if how == "flip":
            data[at] ^= 1 << where % 8
        elif how == "noise":
            for at in range(where % 100, len(data), 100):
                data[at] ^= 1
        elif how == "cut":
            del data[at:]
        else:
            data = bytearray(data[::-1])
        await self.shelf.store.put(self.key, bytes(data))
        self.state = "damaged"

    async def repair(self) -> None:
        if self.state == "damaged":
            await self.shelf.store.put(self.key, self._right)
            self.state = "whole"

    async def ask(self, worker: int, offset: int, limit: int) -> Answer:
        body = msgspec.json.encode({"ref": self.ref, "offset": offset, "limit": limit})
        return await answer(self.workers[worker], "read", "s1", body)

    async def check(self, worker: int, offset: int, limit: int) -> None:
        reply = msgspec.json.decode((await self.ask(worker, offset, limit)).body)
        if "ok" in reply:
            assert self.state != "gone"
            start = offset if offset >= 0 else max(0, len(TEXT) + offset)
            assert reply["ok"]["content"] == TEXT[start : start + limit]
            assert reply["ok"]["total_chars"] == len(TEXT)
            return
        expected = {"gone": "not_found", "damaged": "internal", "whole": "no error"}[self.state]
        assert reply["error"]["code"] == expected


async def run(steps: list[Step]) -> None:
    world = World()
    await world.store("small")
    for name, given_with in steps:
        if name == "read":
            await world.check(*given_with)
        elif name == "store":
            await world.store(given_with)
        elif name == "damage":
            await world.damage(*given_with)
        elif name == "repair":
            await world.repair()
        else:
            await world.delete()
    alarms = sum(worker.damage.found for worker in world.workers)
    assert not alarms or any(name == "damage" for name, _ in steps)


READ: Step = ("read", (0, 5000, 100))
BEYOND: Step = ("read", (0, 20_000, 10))


@given(steps=STEPS)
@example(steps=[READ, ("delete", None), READ])
@example(steps=[READ, ("delete", None), BEYOND])
@example(steps=[READ, ("damage", ("noise", 0)), READ])
@example(steps=[("store", "plain"), READ, ("damage", ("noise", 0)), READ])
@example(steps=[READ, ("store", "zstd"), READ, ("store", "small"), READ, ("store", "finer"), READ])
@example(steps=[READ, ("damage", ("flip", 5100)), READ, ("repair", None), READ])
@settings(max_examples=120, deadline=None)
def test_a_page_is_right_or_the_error_says_what_is_so(steps: list[Step]) -> None:
    asyncio.run(run(steps))
