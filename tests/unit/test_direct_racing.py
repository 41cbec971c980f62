"""What is put while a worker takes what was put, and what a worker leaves that dies in between."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime

import msgspec
import pytest
from tests.support.late import late

from coatcheck.testing import MemoryStore
from coatcheck_core.original import Written
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.direct import direct_id
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_schemas.results import Received, decode_result
from coatcheck_schemas.subjects import CallAddress
from coatcheck_schemas.synopsis import Synopsis, UnknownFacts
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.uploads.direct import Direct
from coatcheck_workers.uploads.opening import Opening
from coatcheck_workers.uploads.seats import Seats
from coatcheck_workers.uploads.taking import Taking

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
UPLOAD = direct_id(None, "0" * 32)
KEY = Keys("p").upload("s", UPLOAD)
FIRST, SECOND = b"the first\n" * 20_000, b"the second\n" * 20_000
ADDRESS = CallAddress("s", "=", "c")


class PutAmid(MemoryStore):
    """Others PUT right before it copies, as long as there is something to put."""

    def __init__(self, *before_copies: bytes) -> None:
        super().__init__()
        self._before_copies = iter(before_copies)

    async def copy(self, source: str, target: str, *, version: str | None = None) -> None:
        if (data := next(self._before_copies, None)) is not None:
            await self.put(KEY, data)
        await super().copy(source, target, version=version)


class Ends:
    def prepare(self) -> None:
        """Nothing."""

    async def whole(self, path: str, written: Written, mime_type: str | None) -> Synopsis:
        return await self.ends(written, mime_type)

    async def ends(self, written: Written, mime_type: str | None) -> Synopsis:
        return Synopsis(kind="unknown", facts=UnknownFacts(why="time_limit", bytes=written.size))


Make = Callable[[MemoryStore], Direct]


@pytest.fixture
def make() -> Iterator[Make]:
    with ThreadPoolExecutor(1) as executor:
        storage = StorageSettings(large_bytes=64 * 1024)

        def made(store: MemoryStore) -> Direct:
            taking = Taking(store=store, storage=storage, executor=executor, describer=Ends())
            return Direct(
                keys=Keys("p"),
                store=store,
                taking=taking,
                seats=Seats(2),
                late=late(),
                idle_seconds=0.01,
                now=lambda: NOON,
            )

        yield made


def opening(address: CallAddress = ADDRESS, **fields: object) -> tuple[Arrived, Opening]:
    body = msgspec.json.encode({"tool_name": "t", "upload": UPLOAD, **fields})
    received: Received = decode_result(None, body)
    arrived = Arrived(subject="coat.results.s.=.c", headers={}, body=body, received_at=NOON)
    return arrived, Opening(address, received, UPLOAD)


async def taken(direct: Direct) -> str | None:
    """The sha256 of what is taken; None of what is done with."""
    async with direct.whole(*opening()) as whole:
        if whole is None:
            return None
        contents = None if whole.uploaded is None else whole.uploaded.contents
        return sha256_hex(decode_result(None, whole.body).data) if contents is None else contents.sha256


async def died(direct: Direct) -> None:
    """As `taken`, by a worker that dies before it has handled it."""
    with suppress(ConnectionAbortedError):
        async with direct.whole(*opening()):
            raise ConnectionAbortedError


async def test_a_put_before_the_copy_has_it_read_anew(make: Make) -> None:
    store = PutAmid(SECOND)
    await store.put(KEY, FIRST)
    assert await taken(make(store)) == sha256_hex(SECOND)
    assert await store.get(Keys("p").output("s", result_id("c", sha256_hex(SECOND)))) == SECOND


async def test_puts_without_end_are_a_failure_that_says_so(make: Make) -> None:
    store = PutAmid(*[SECOND, FIRST] * 10)
    await store.put(KEY, FIRST)
    with pytest.raises(InvalidResult, match="PUT once"):
        await taken(make(store))


@pytest.mark.parametrize("first", [b"small\n", FIRST], ids=["in memory", "large"])
async def test_what_a_worker_has_taken_stands_though_it_died(make: Make, first: bytes) -> None:
    store = MemoryStore()
    await store.put(KEY, first)
    await died(make(store))
    await store.put(KEY, SECOND)
    assert await taken(make(store)) == sha256_hex(first)
    assert await taken(make(store)) is None


async def test_what_is_put_after_it_was_handled_changes_nothing(make: Make) -> None:
    store = MemoryStore()
    await store.put(KEY, FIRST)
    direct = make(store)
    assert await taken(direct) == sha256_hex(FIRST)
    await direct.forget(opening()[1])
    await store.put(KEY, SECOND)
    assert await taken(direct) is None


async def test_an_original_that_was_kept_before_is_not_written_over(make: Make) -> None:
    keys, rid = Keys("p"), result_id("c", sha256_hex(FIRST))
    store = MemoryStore()
    await store.put(keys.output("s", rid), b"as it is stored, compressed")
    await store.put(keys.metadata("s", rid), b"{}")
    await store.put(KEY, FIRST)
    assert await taken(make(store)) == sha256_hex(FIRST)
    assert await store.get(keys.output("s", rid)) == b"as it is stored, compressed"


async def test_what_was_put_stays_until_its_event_is_done_with(make: Make) -> None:
    store = MemoryStore()
    await store.put(KEY, FIRST)
    direct = make(store)
    await died(direct)
    await direct.forget(opening()[1])
    assert await store.get(KEY) == FIRST
    await taken(direct)
    await direct.forget(opening()[1])
    assert [key async for key in store.list(f"{Keys('p').passing()}uploads/")] == []


async def test_another_call_does_not_get_what_one_call_has(make: Make) -> None:
    store = MemoryStore()
    await store.put(KEY, FIRST)
    direct = make(store)
    await taken(direct)
    with pytest.raises(InvalidResult, match="another call"):
        async with direct.whole(*opening(CallAddress("s", "=", "d"))):
            pass
