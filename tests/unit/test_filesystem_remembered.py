"""What a worker remembers of a session's own files, and never takes for what is there."""

from collections import Counter
from hashlib import sha256

import msgspec
from tests.support.filing import Cabinet
from tests.support.filing_stores import Told

from coatcheck.testing import MemoryStore
from coatcheck_workers.retrieval.originals.recent import Recent

TEXT = "".join(f"line {number}\n" for number in range(3000))
LONG = "ä" * 200
"""A name that is stored shortened."""


class GettingStore(MemoryStore):
    """It counts the bytes that it gives, by the folder below `files`, and the requests for whole objects."""

    def __init__(self) -> None:
        super().__init__()
        self.given: Counter[str] = Counter()
        self.wholes: Counter[str] = Counter()

    async def get(self, key: str) -> bytes:
        data = await super().get(key)
        self.wholes[key.split("/")[4]] += 1
        self.given[key.split("/")[4]] += len(data)
        return data

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        data = await super().get_range(key, start, end)
        self.given[key.split("/")[4]] += len(data)
        return data


async def test_paging_through_a_file_fetches_it_once() -> None:
    store = GettingStore()
    cabinet = Cabinet(store=store)
    await cabinet.fs_ok("write", path="a", content=TEXT)
    store.given.clear()
    pages = [(await cabinet.fs_ok("read", path="a", offset=at))["content"] for at in range(0, 3000, 200)]
    assert "".join(pages) == TEXT
    assert store.wholes["versions"] == 1
    assert store.given["versions"] < len(TEXT) + 16 * 2100


async def test_what_another_worker_wrote_is_read() -> None:
    store = MemoryStore()
    one, other = Cabinet(store=store), Cabinet(store=store)
    await one.fs_ok("write", path="a", content="old")
    assert await one.content("a") == "old"
    await other.fs_ok("edit", path="a", old_string="old", new_string="new")
    assert await one.content("a") == "new"
    assert (await one.fs_ok("edit", path="a", old_string="new", new_string="newer"))["version"] == "3"


class MarkingStore(MemoryStore):
    """It tells an object's ETag with the first key of a listing, as S3 does."""

    async def first_of(self, prefix: str) -> tuple[str, str] | None:
        async for key in self.list(prefix):
            return key, sha256(await self.get(key)).hexdigest()
        return None


async def test_a_version_that_was_emptied_since_is_told_by_its_mark() -> None:
    store = MarkingStore()
    one, other = Cabinet(store=store), Cabinet(store=store)
    await one.fs_ok("write", path="a", content="old")
    assert await one.content("a") == "old"
    (first,) = [key async for key in store.list("v1/sessions/s1/files/versions/")]
    await other.fs_ok("write", path="a", content="new")
    newest, emptied = [key async for key in store.list("v1/sessions/s1/files/versions/")]
    assert emptied == first
    await store.delete(newest)  # as what expires: the one before is the newest then
    assert (await one.fs_error("read", path="a"))[0] == "not_found"


async def test_a_version_with_the_same_mark_is_not_fetched_again() -> None:
    store = MarkingStore()
    cabinet = Cabinet(store=store)
    await cabinet.fs_ok("write", path="a", content=TEXT)
    await cabinet.content("a")
    kept = cabinet.retrieval.known.files.get(("s1", "/a"))
    await cabinet.content("a")
    assert kept is not None
    assert cabinet.retrieval.known.files.get(("s1", "/a")) is kept


async def test_a_file_of_a_session_that_began_anew_is_not_the_one_of_before() -> None:
    store, told = MemoryStore(), Told()
    one, other = Cabinet(store=store), Cabinet(store=store)
    for cabinet in (one, other):
        cabinet.retrieval = msgspec.structs.replace(cabinet.retrieval, tombstones=told)
    await one.fs_ok("write", path="a", content="old")
    assert await one.content("a") == "old"
    await told.erase(store)
    assert (await one.fs_error("read", path="a"))[0] == "not_found"
    await other.fs_ok("write", path="a", content="new")
    page = await one.fs_ok("read", path="a")
    assert page["content"] == "new"
    assert page["version"] not in ("0", "1")


async def test_memory_is_bounded() -> None:
    cabinet = Cabinet()
    files = cabinet.retrieval.known.files = Recent(100_000)
    for number in range(20):
        await cabinet.fs_ok("write", path=f"{number}", content="x" * 20_000)
        await cabinet.content(f"{number}")
    assert 0 < len(files) <= 5
    assert files.bytes <= 100_000


async def test_the_names_of_long_paths_are_fetched_once() -> None:
    store = GettingStore()
    cabinet = Cabinet(store=store)
    for number in range(30):
        await cabinet.fs_ok("write", path=f"{number:02}{LONG}", content="x")
    wanted = [f"/{number:02}{LONG}" for number in range(30)]
    assert await cabinet.paths("ls", path="/") == [*wanted, "/large_tool_result"]
    store.wholes.clear()
    assert await cabinet.paths("glob", pattern="*") == wanted
    assert store.wholes["names"] == 0
