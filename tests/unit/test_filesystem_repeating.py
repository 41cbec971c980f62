"""Changes of files that come again, since their answer was lost on the way."""

import msgspec
import pytest
from tests.support.filing import Cabinet

from coatcheck.testing import MemoryStore
from coatcheck_core.filesystem.repeating import KEPT_REQUESTS
from coatcheck_core.filesystem.versions import head_of
from coatcheck_schemas.filesystem import MAX_REQUEST_ID_CHARS
from coatcheck_workers.filesystem.stored_versions import _HEAD_BYTES, MAX_VERSION

WRITE = {"path": "a", "content": "n=0;", "if_version": "0", "request_id": "w"}
EDIT = {"path": "/a", "old_string": "n=", "new_string": "n=n=", "request_id": "e"}


async def test_a_request_that_comes_again_is_done_once() -> None:
    cabinet = Cabinet()
    for _ in range(2):
        assert await cabinet.fs_ok("write", **WRITE) == {"path": "/a", "bytes": 4, "version": "1"}
    for _ in range(2):
        assert await cabinet.fs_ok("edit", **EDIT) == {"path": "/a", "replacements": 1, "version": "2"}
    assert await cabinet.content("a") == "n=n=0;"


async def test_a_request_that_comes_again_after_other_changes_is_answered_as_before_and_loses_none_of_them() -> None:
    cabinet = Cabinet()
    first = await cabinet.fs_ok("write", **WRITE)
    second = await cabinet.fs_ok("edit", **EDIT)
    await cabinet.fs_ok("edit", path="a", old_string=";", new_string=";;")
    for n in range(KEPT_REQUESTS - 2):
        await cabinet.fs_ok("edit", path="a", old_string="0", new_string="0+0", request_id=str(n), replace_all=True)
        await cabinet.fs_ok("write", path="a", content="0;")
    assert await cabinet.fs_ok("write", **WRITE) == first
    assert await cabinet.fs_ok("edit", **EDIT) == second
    assert await cabinet.content("a") == "0;"


async def test_a_path_that_is_written_another_way_is_the_same_request() -> None:
    cabinet = Cabinet()
    first = await cabinet.fs_ok("write", **WRITE)
    assert await cabinet.fs_ok("write", **{**WRITE, "path": "/./a"}) == first


@pytest.mark.parametrize(
    ("operation", "other"),
    [
        ("write", {**WRITE, "content": "n=1;"}),
        ("write", {**WRITE, "if_version": None}),
        ("edit", {**EDIT, "request_id": "w"}),
    ],
)
async def test_another_request_under_an_id_that_was_used_is_refused_and_writes_nothing(
    operation: str, other: dict[str, str]
) -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", **WRITE)
    code, message = await cabinet.fs_error(operation, **other)
    assert code == "invalid_argument"
    assert "request_id" in message
    assert await cabinet.content("a") == "n=0;"


async def test_an_empty_id_is_none() -> None:
    cabinet = Cabinet()
    for text in ("one", "two"):
        await cabinet.fs_ok("write", path="a", content=text, request_id="")
    assert await cabinet.content("a") == "two"


async def test_an_id_is_of_its_file_alone() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", **WRITE)
    await cabinet.fs_ok("write", **{**WRITE, "path": "b", "content": "other"})
    assert await cabinet.content("b") == "other"


async def test_an_id_of_too_many_chars_is_refused() -> None:
    too_long = "x" * (MAX_REQUEST_ID_CHARS + 1)
    assert (await Cabinet().fs_error("write", path="a", content="", request_id=too_long))[0] == "invalid_argument"


async def test_what_is_kept_of_changes_at_its_longest_is_read_back_whole() -> None:
    store = MemoryStore()
    cabinet = Cabinet(store=store)
    for n in range(KEPT_REQUESTS + 3):
        name = f"{n:02}" + "\U0001f600" * (MAX_REQUEST_ID_CHARS - 2)
        await cabinet.fs_ok("write", path="a", content=str(n), request_id=name)
    (key, *_) = [key async for key in store.list("v1/sessions/s1/files/versions/a/")]
    head = head_of((await store.get(key)).partition(b"\n")[0])
    assert len(head.done) == KEPT_REQUESTS
    most = MAX_VERSION - 1
    done = [msgspec.structs.replace(one, version=most, bytes=2**23, replacements=2**23) for one in head.done]
    longest = msgspec.structs.replace(
        head, version=most, bytes=2**23, marked=most, is_emptied=True, modified_at=10**14, marked_at=10**14, done=done
    )
    assert len(msgspec.json.encode(longest)) < _HEAD_BYTES
