"""Lists of a session with more results than a page of a real object store's listing names."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from tests.support.originals import BEGIN, Shelf

from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import TimeEntry, turn_hash
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_schemas.store import Store
from coatcheck_schemas.times import format_time, from_milliseconds
from coatcheck_workers.storage import open_store

WITHOUT_METADATA = 1100
"""Entries as a crash leaves them: names enough, and passed over."""
RESULTS = 60


class Counting:
    """A store that counts the keys which its listings give."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.keys = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        async for key in self._store.list(prefix, after=after):
            self.keys += 1
            yield key


async def put_entries(shelf: Shelf) -> None:
    async def put(numbers: Iterator[int]) -> None:
        for number in numbers:
            entry = TimeEntry(BEGIN - 1000 * number, turn_hash("t1"), result_id(f"x{number}", sha256_hex(b"")))
            await shelf.store.put(shelf.keys.time_entry("s1", entry), b"")

    numbers = iter(range(1, WITHOUT_METADATA + 1))
    await asyncio.gather(*(put(numbers) for _ in range(32)))


async def test_the_newest_of_many_are_listed_from_the_end(deployment: Settings) -> None:
    store = Counting(open_store(deployment.storage))
    shelf = Shelf(store=store, prefix=deployment.storage.prefix)
    await put_entries(shelf)
    refs = [await shelf.keep(f"{i}", call=f"c{i}", tool="rare" if i % 20 == 0 else "often") for i in range(RESULTS)]

    async def listed(**fields: Any) -> list[str]:
        reply = await shelf.ok("list", **fields)
        return [metadata["ref"] for metadata in reply["tool_results"]]

    assert await listed(order="newest") == refs[::-1][:50]
    store.keys = 0
    assert await listed(order="newest") == refs[::-1][:50]
    assert store.keys <= 200
    page = await shelf.ok("list", order="newest", limit=50)
    rest = await listed(order="newest", limit=10, cursor=page["cursor"])
    assert rest == refs[9::-1]
    since = format_time(from_milliseconds(BEGIN))
    for _ in range(2):
        assert await listed(order="oldest", tool_name="rare", since=since) == refs[::20]
        assert await listed(order="newest", tool_name="rare", limit=2) == [refs[40], refs[20]]
