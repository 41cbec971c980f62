"""Own files expire as results do, counted from when they were last written."""

from datetime import timedelta

import msgspec
from tests.support.filing import Cabinet

from coatcheck_schemas.times import format_time
from coatcheck_workers.clock import utc_now


async def cabinet_of_a_month() -> Cabinet:
    """With a file `/a` of 40 days ago, and `/b` of five."""
    cabinet = Cabinet(storage={"retention_days": 30})
    for path, days in (("a", 40), ("b", 5)):
        at(cabinet, days_ago=days)
        await cabinet.fs_ok("write", path=path, content="x", request_id="1")
    at(cabinet, days_ago=0)
    return cabinet


def at(cabinet: Cabinet, *, days_ago: int) -> None:
    moment = NOW - timedelta(days=days_ago)
    cabinet.retrieval = msgspec.structs.replace(cabinet.retrieval, now=lambda: moment)


NOW = utc_now()


async def test_what_has_expired_is_gone_and_says_when() -> None:
    cabinet = await cabinet_of_a_month()
    for operation, fields in (
        ("read", {}),
        ("ls", {}),
        ("edit", {"old_string": "x", "new_string": "y"}),
        ("grep", {"pattern": "x"}),
        ("glob", {"pattern": "*"}),
    ):
        error = msgspec.json.decode((await cabinet.fs(operation, path="a", **fields)).body)["error"]
        moment = format_time(NOW - timedelta(days=10))
        assert (error["code"], error["details"]) == ("gone", {"path": "/a", "expired_at": moment}), operation


async def test_what_has_expired_is_in_no_list_and_no_search() -> None:
    cabinet = await cabinet_of_a_month()
    assert await cabinet.paths("ls") == ["/b", "/large_tool_result"]
    assert await cabinet.paths("glob", pattern="**") == ["/b"]
    assert [one["path"] for one in (await cabinet.fs_ok("grep", pattern="x"))["matches"]] == ["/b"]


async def test_what_has_expired_is_written_anew_and_is_of_a_later_version() -> None:
    cabinet = await cabinet_of_a_month()
    assert (await cabinet.fs_error("write", path="a", content="new", if_version="1"))[0] == "conflict"
    reply = await cabinet.fs_ok("write", path="a", content="new", if_version="0", request_id="1")
    assert (reply["version"], await cabinet.content("a")) == ("2", "new")
    at(cabinet, days_ago=-29)
    assert await cabinet.content("a") == "new"


async def test_what_is_read_is_no_use() -> None:
    cabinet = await cabinet_of_a_month()
    assert await cabinet.content("b") == "x"
    at(cabinet, days_ago=-26)
    assert (await cabinet.fs_error("read", path="b"))[0] == "gone"


async def test_a_folder_of_which_all_has_expired_is_none() -> None:
    cabinet = await cabinet_of_a_month()
    at(cabinet, days_ago=40)
    await cabinet.fs_ok("write", path="d/x", content="")
    at(cabinet, days_ago=0)
    assert await cabinet.paths("ls") == ["/b", "/large_tool_result"]
    await cabinet.fs_ok("write", path="d", content="")
    assert await cabinet.content("d") == ""
