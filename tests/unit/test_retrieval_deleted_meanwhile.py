"""What is deleted while a request is at work on it is not in the answer: `delete` may have been answered before."""

from datetime import datetime

import msgspec
import pytest
from tests.support.meddling import MeddlingStore, Operation
from tests.support.originals import BEGIN, Large, Shelf

from coatcheck_schemas.times import from_milliseconds
from coatcheck_workers.streams.tombstone import NoTombstones

TEXT = "a needle in a text\n" * 3
FORMS = [None, Large(), Large(compression="none")]


class Graves(NoTombstones):
    """What was deleted long after it came."""

    def __init__(self) -> None:
        self.dug: set[str | None] = set()

    def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        return from_milliseconds(BEGIN + 10**9) if self.dug & {None, result_id} else None


class Session(Shelf):
    def __init__(self) -> None:
        self.meddling, self.graves = MeddlingStore(), Graves()
        super().__init__(store=self.meddling)
        self.retrieval = msgspec.structs.replace(self.retrieval, tombstones=self.graves)

    def delete_at_reading(self, part: str, *deleted: str | None) -> None:
        """Delete these results, or with None all, once the store has given bytes of what has this in its key."""

        async def bury() -> None:
            self.graves.dug |= set(deleted)

        for operation in READS:
            self.meddling.meddle(operation, part, bury, after=True)


READS: tuple[Operation, ...] = ("get", "get_range", "get_stream")


def id_of(ref: str) -> str:
    return ref.rpartition("/")[2]


@pytest.mark.parametrize("form", FORMS, ids=["small", "zstd", "plain"])
@pytest.mark.parametrize("is_remembered", [False, True])
async def test_no_page_of_it_is_given(form: Large | None, is_remembered: bool) -> None:
    it = Session()
    ref = await it.keep(TEXT * 1000, large=form)
    if is_remembered:
        await it.ok("read", ref=ref, limit=10)
    it.delete_at_reading(f"{id_of(ref)}/output", None)
    assert (await it.error("read", ref=ref, offset=20_000, limit=100))[0] == "gone"


@pytest.mark.parametrize("form", FORMS, ids=["small", "zstd", "plain"])
async def test_no_match_in_it_is_given(form: Large | None) -> None:
    it = Session()
    ref = await it.keep(TEXT, large=form)
    it.delete_at_reading(f"{id_of(ref)}/output", id_of(ref))
    assert (await it.error("search", ref=ref, query="needle"))[0] == "gone"


@pytest.mark.parametrize("form", FORMS, ids=["small", "zstd", "plain"])
async def test_a_search_of_the_session_gives_no_match_of_what_was_loaded_ahead(form: Large | None) -> None:
    it = Session()
    refs = [await it.keep(TEXT, call=f"c{number}", large=form) for number in range(3)]
    it.delete_at_reading(f"{id_of(refs[2])}/output", id_of(refs[2]), id_of(refs[0]))
    found = await it.ok("search", query="needle")
    assert [match["ref"] for match in found["matches"]] == [refs[1]] * 3


async def test_a_search_of_the_session_gives_no_match_of_what_was_searched_before() -> None:
    it = Session()
    refs = [await it.keep(TEXT, call=f"c{number}", large=Large()) for number in range(4)]
    it.delete_at_reading(f"{id_of(refs[3])}/output", id_of(refs[0]), id_of(refs[2]))
    found = await it.ok("search", query="needle")
    assert [match["ref"] for match in found["matches"]] == [refs[1]] * 3 + [refs[3]] * 3
    assert found["total"] is None


async def test_where_a_whole_session_was_deleted_a_search_gives_nothing() -> None:
    it = Session()
    refs = [await it.keep(TEXT, call=f"c{number}") for number in range(3)]
    it.delete_at_reading(f"{id_of(refs[2])}/output", None)
    assert (await it.ok("search", query="needle"))["matches"] == []


async def test_a_list_shows_nothing_of_what_was_read_before() -> None:
    it = Session()
    refs = [await it.keep(TEXT, call=f"c{number}") for number in range(3)]
    it.delete_at_reading(f"{id_of(refs[2])}/metadata", id_of(refs[0]))
    listed = await it.ok("list")
    assert [metadata["ref"] for metadata in listed["tool_results"]] == refs[1:]
