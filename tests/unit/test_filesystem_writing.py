"""`fs write`, `fs edit` and `fs read` of a session's own files."""

import asyncio
from datetime import datetime, timedelta

import msgspec
import pytest
from tests.support.filing import Cabinet
from tests.support.filing_stores import (
    HoldingStore,
    MeetingStore,
    OvertakenStore,
    SlowStore,
    Told,
    TwiceStore,
    workers_of,
)

from coatcheck.testing import MemoryStore
from coatcheck_schemas.filesystem import MAX_FILE_BYTES
from coatcheck_schemas.times import from_milliseconds
from coatcheck_workers.clock import utc_now
from coatcheck_workers.filesystem.answering import answer_file
from coatcheck_workers.filesystem.versions import KEPT_SECONDS
from coatcheck_workers.streams.tombstone import NoTombstones


async def test_what_is_written_is_read_back() -> None:
    cabinet = Cabinet()
    text = "line 1\nline 世\nlast"
    written = await cabinet.fs_ok("write", path="notes//a b.txt", content=text)
    assert written == {"path": "/notes/a b.txt", "bytes": len(text.encode()), "version": "1"}
    page = await cabinet.fs_ok("read", path="/notes/a b.txt")
    assert page["content"] == text
    assert (page["unit"], page["limit"], page["total_lines"], page["version"]) == ("lines", 200, 3, "1")


async def test_an_empty_file_is_a_file() -> None:
    cabinet = Cabinet()
    assert (await cabinet.fs_ok("write", path="e", content=""))["bytes"] == 0
    page = await cabinet.fs_ok("read", path="e")
    assert (page["content"], page["has_more"], page["total_lines"]) == ("", False, 0)


async def test_pages_go_by_lines_numbered_and_from_the_end_and_by_chars_in_a_giant_line() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="one\ntwo\nthree\n")
    assert (await cabinet.fs_ok("read", path="a", offset=-1))["content"] == "three\n"
    numbered = await cabinet.fs_ok("read", path="a", offset=1, limit=1, numbered=True)
    assert numbered["content"] == "     2\ttwo\n"
    assert numbered["next"] == {"unit": "lines", "offset": 2}
    await cabinet.fs_ok("write", path="giant", content="x" * 30_000)
    page = await cabinet.fs_ok("read", path="giant")
    assert page["next"] == {"unit": "chars", "offset": 20_000}
    assert len((await cabinet.fs_ok("read", path="giant", **page["next"]))["content"]) == 10_000


async def test_writing_again_overwrites_and_keeps_one_copy() -> None:
    store = MemoryStore()
    cabinet = Cabinet(store=store)
    for text in ("x" * 5000, "y" * 5000, "z"):
        version = (await cabinet.fs_ok("write", path="a", content=text))["version"]
    assert version == "3"
    assert await cabinet.content("a") == "z"
    sizes = [(await store.head(key)).size async for key in store.list("v1/sessions/s1/files/versions/a/")]
    assert max(sizes) < 500


async def test_a_write_of_an_older_version_is_a_conflict_that_says_the_present_one() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="1")
    await cabinet.fs_ok("write", path="a", content="2", if_version="1")
    code, message = await cabinet.fs_error("write", path="a", content="3", if_version="1")
    assert code == "conflict"
    assert "its version is 2" in message
    assert (await cabinet.fs_error("edit", path="a", old_string="2", new_string="3", if_version="1"))[0] == "conflict"
    assert await cabinet.content("a") == "2"


async def test_version_0_is_of_a_file_that_must_not_be_there() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="1", if_version="0")
    assert (await cabinet.fs_error("write", path="a", content="2", if_version="0"))[0] == "conflict"
    code, message = await cabinet.fs_error("write", path="b", content="2", if_version="1")
    assert code == "conflict"
    assert "no such file" in message


async def test_edits_at_once_are_all_made() -> None:
    cabinet, other = workers_of(SlowStore())
    await cabinet.fs_ok("write", path="a", content="".join(f"<{n}>" for n in range(6)))
    edits = [
        (cabinet, other)[n % 2].fs_ok("edit", path="a", old_string=f"<{n}>", new_string=f"[{n}]") for n in range(6)
    ]
    replies = await asyncio.gather(*edits)
    assert await cabinet.content("a") == "".join(f"[{n}]" for n in range(6))
    assert sorted(reply["version"] for reply in replies) == [str(n) for n in range(2, 8)]


async def test_of_writes_at_once_that_want_the_same_version_one_goes_through() -> None:
    cabinet, other = workers_of(SlowStore())
    await cabinet.fs_ok("write", path="a", content="")
    both = cabinet, other
    answers = await asyncio.gather(
        *(both[n % 2].fs("write", path="a", content=str(n), if_version="1") for n in range(5))
    )
    won = [n for n, got in enumerate(answers) if b'"ok"' in got.body]
    assert len(won) == 1
    assert await cabinet.content("a") == str(won[0])


async def test_an_edit_that_is_always_late_is_a_conflict_and_writes_nothing() -> None:
    store = OvertakenStore()
    cabinet, other = workers_of(store)
    await cabinet.fs_ok("write", path="a", content="old")
    store.other = lambda: other.fs_ok("write", path="a", content="old")
    code, message = await cabinet.fs_error("edit", path="a", old_string="old", new_string="new")
    assert code == "conflict"
    assert "nothing was written" in message
    assert await cabinet.content("a") == "old"


async def test_a_writer_who_was_held_up_for_long_is_told_that_others_were_quicker() -> None:
    """The place of its version is still taken, though that version was overwritten many times."""
    store = HoldingStore()
    cabinet, other = workers_of(store)
    await cabinet.fs_ok("write", path="a", content="x")
    store.held = asyncio.Event()
    late = asyncio.create_task(other.fs("write", path="a", content="late", if_version="1"))
    await store.waiting.wait()
    for n in range(20):
        await cabinet.fs_ok("write", path="a", content=str(n))
    store.held.set()
    assert b"conflict" in (await late).body
    assert await cabinet.content("a") == "19"


async def test_a_put_that_went_through_and_is_told_as_taken_counts_once() -> None:
    cabinet = Cabinet(store=TwiceStore())
    await cabinet.fs_ok("write", path="a", content="x")
    assert (await cabinet.fs_ok("edit", path="a", old_string="x", new_string="xx"))["version"] == "2"
    assert await cabinet.content("a") == "xx"


class Deleted(NoTombstones):
    """A session that was deleted at `at`; `erasing`: what it left is not all gone."""

    def __init__(self, at: datetime, *, erasing: bool) -> None:
        self._at = at
        self._erasing = erasing

    def deleted_at(self, session: str, result_id: str | None = None) -> datetime | None:
        return self._at

    def is_being_erased(self, session: str, result_id: str | None = None) -> bool:
        return self._erasing


async def test_files_of_a_session_that_was_deleted_are_gone_at_once() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="old")
    deleted = Deleted(utc_now() + timedelta(seconds=1), erasing=True)
    cabinet.retrieval = msgspec.structs.replace(cabinet.retrieval, tombstones=deleted)
    assert await cabinet.paths("ls") == ["/large_tool_result"]
    assert (await cabinet.fs_error("read", path="a"))[0] == "not_found"
    assert (await cabinet.fs_error("edit", path="a", old_string="o", new_string="x"))[0] == "unavailable"
    assert (await cabinet.fs_error("write", path="a", content="new"))[0] == "unavailable"


async def test_what_a_deletion_left_behind_is_overwritten_as_if_it_were_not_there() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="old")
    at = utc_now() + timedelta(seconds=1)
    cabinet.retrieval = msgspec.structs.replace(
        cabinet.retrieval, tombstones=Deleted(at, erasing=False), now=lambda: at + timedelta(seconds=1)
    )
    assert (await cabinet.fs_error("read", path="a"))[0] == "not_found"
    await cabinet.fs_ok("write", path="a", content="new", if_version="0")
    assert (await cabinet.fs_error("write", path="a", content="other", if_version="0"))[0] == "conflict"
    assert await cabinet.content("a") == "new"


async def test_a_version_of_before_a_deletion_is_none_of_what_is_written_after_it() -> None:
    store, told = MeetingStore(), Told()
    both = workers_of(store)
    for cabinet in both:
        cabinet.retrieval = msgspec.structs.replace(cabinet.retrieval, tombstones=told)
    before = (await both[0].fs_ok("write", path="a", content="old"))["version"]
    await told.erase(store)
    answers = await asyncio.gather(*(one.fs("write", path="a", content="new", if_version="0") for one in both))
    assert sorted(b'"ok"' in got.body for got in answers) == [False, True]
    assert (await both[0].fs_error("write", path="a", content="of the old", if_version=before))[0] == "conflict"
    assert await both[1].content("a") == "new"


@pytest.mark.parametrize("moment", ["read", "named", "written"])
async def test_an_edit_that_meets_a_deletion_of_its_session_does_not_bring_its_text_back(moment: str) -> None:
    store, told = MeetingStore(), Told()
    cabinet = Cabinet(store=store)
    await cabinet.fs_ok("write", path="a", content="secret")
    cabinet.retrieval = msgspec.structs.replace(cabinet.retrieval, tombstones=told)
    store.moment, store.meets = moment, lambda: told.erase(store)
    assert (await cabinet.fs_error("edit", path="a", old_string="s", new_string="S"))[0] == "unavailable"
    assert told.at is not None
    assert (await cabinet.fs_error("read", path="a"))[0] == "not_found"
    assert [key async for key in store.list("v1/sessions/s1/files/versions/")] == []


@pytest.mark.parametrize(
    ("moment", "is_told", "writes", "code"),
    [("written", True, 3, "unavailable"), ("written", False, 2, None), ("head read", True, 2, None)],
)
async def test_a_change_that_a_deletion_overtakes_leaves_what_is_written_after_that_alone(
    moment: str, is_told: bool, writes: int, code: str | None
) -> None:
    """Versions count from 1 again: as far as that of the late change, or of what it was to empty."""
    store, told = MeetingStore(), Told()
    cabinet, other = workers_of(store)
    for text in ("old", "older"):
        await cabinet.fs_ok("write", path="a", content=text)
    if is_told:
        cabinet.retrieval = msgspec.structs.replace(cabinet.retrieval, tombstones=told)
    store.moment, store.meets = moment, lambda: told.erase(store, other, writes)
    answer = msgspec.json.decode((await cabinet.fs("edit", path="a", old_string="old", new_string="x")).body)
    assert answer.get("error", {}).get("code") == code
    assert told.at is not None
    assert await other.content("a") == f"new {writes}"


async def test_a_late_change_does_not_clear_away_what_is_written_after_a_deletion() -> None:
    store, told = MeetingStore(), Told()
    cabinet, other = workers_of(store)
    now = from_milliseconds(1_790_000_000_000)
    for n in range(4):
        cabinet.retrieval = msgspec.structs.replace(
            cabinet.retrieval, tombstones=told, now=lambda n=n: now + timedelta(seconds=n * (KEPT_SECONDS + 1))
        )
        if n == 3:
            store.moment, store.meets = "emptied", lambda: told.erase(store, other, 1)
        await cabinet.fs_ok("write", path="a", content=str(n))
    assert told.at is not None
    assert await other.content("a") == "new 1"


async def test_what_was_overwritten_long_ago_is_deleted_at_last() -> None:
    cabinet = Cabinet()
    now = from_milliseconds(1_790_000_000_000)
    for n in range(30):
        cabinet.retrieval = msgspec.structs.replace(
            cabinet.retrieval, now=lambda n=n: now + timedelta(seconds=n * KEPT_SECONDS / 10)
        )
        await cabinet.fs_ok("write", path="a", content=str(n))
    left = [key async for key in cabinet.store.list("v1/sessions/s1/files/versions/a/")]
    assert 10 < len(left) < 25
    assert await cabinet.content("a") == "29"


async def test_a_file_of_which_only_an_emptied_version_is_left_is_not_there_and_is_written_anew() -> None:
    """A lifecycle rule counts from the emptying, which comes after the newer version; an erase goes by the key."""
    cabinet = Cabinet()
    for path in ("a", "a", "b"):
        await cabinet.fs_ok("write", path=path, content="one")
    await cabinet.store.delete("v1/sessions/s1/files/versions/a/999999999997")
    assert (await cabinet.fs_error("read", path="a"))[0] == "not_found"
    assert (await cabinet.fs_error("edit", path="a", old_string="o", new_string="x"))[0] == "not_found"
    assert await cabinet.paths("ls") == ["/b", "/large_tool_result"]
    assert await cabinet.paths("glob", pattern="*") == ["/b"]
    assert (await cabinet.fs_ok("grep", pattern="one", mode="files"))["files"] == ["/b"]
    await cabinet.fs_ok("write", path="a", content="new", if_version="0")
    assert await cabinet.content("a") == "new"


async def test_a_file_cannot_be_where_a_folder_is_nor_below_a_file() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a/b", content="")
    code, message = await cabinet.fs_error("write", path="a", content="")
    assert (code, "/a is a folder" in message) == ("invalid_argument", True)
    code, message = await cabinet.fs_error("write", path="a/b/c", content="")
    assert (code, "/a/b is a file" in message) == ("invalid_argument", True)
    for path in ("a", "/", "", "//.", "/large_tool_result/"):
        code, message = await cabinet.fs_error("read", path=path)
        assert (code, "is a folder" in message) == ("invalid_argument", True), path


async def test_what_is_not_there_is_not_found() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="", session="s2")
    for operation, fields in (("read", {}), ("edit", {"old_string": "a", "new_string": "b"}), ("ls", {})):
        code, message = await cabinet.fs_error(operation, path="a", **fields)
        assert code == "not_found"
        assert "/a" in message


async def test_a_file_of_more_than_the_most_says_how_many_bytes_that_is() -> None:
    code, message = await Cabinet().fs_error("write", path="a", content="x" * (MAX_FILE_BYTES + 1))
    assert code == "too_large"
    assert str(MAX_FILE_BYTES) in message


async def test_what_is_no_text_is_refused() -> None:
    cabinet = Cabinet()
    for body in (b'{"path":"a","content":"\xff"}', b'{"path":"a","content":5}', b'{"path":"a"}'):
        assert b"invalid_argument" in (await answer_file(cabinet.retrieval, "write", "s1", body)).body


async def test_a_damaged_file_is_not_given_out() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="right")
    (key,) = [key async for key in cabinet.store.list("v1/sessions/s1/files/versions/a/")]
    await cabinet.store.put(key, (await cabinet.store.get(key)).replace(b"right", b"wrong"))
    code, message = await cabinet.fs_error("read", path="a")
    assert code == "internal"
    assert "damaged" in message


@pytest.mark.parametrize("path", ["a" * 2000, "é" * 2000, "/".join("a" * 1000), "*?[]{}'\"`\\:|<>#%&;=~ \t".strip()])
async def test_any_path_is_written_listed_and_read(path: str) -> None:
    cabinet = Cabinet()
    whole = (await cabinet.fs_ok("write", path=path, content="here"))["path"]
    assert whole == f"/{path}"
    assert await cabinet.content(whole) == "here"
    assert await cabinet.paths("ls", path=path) == [whole]
