"""Of a result that was deleted every operation says `gone`, by its id and by its call's."""

from datetime import datetime
from typing import Any

import msgspec
import pytest
from tests.support.filing import Cabinet
from tests.support.graveyard import Graveyard
from tests.support.originals import BEGIN

from coatcheck_schemas.refs import parse_ref
from coatcheck_schemas.times import format_time, from_milliseconds
from coatcheck_workers.deleting.stored import StoredTombstones

FOLDER = "/large_tool_result"
AT = from_milliseconds(BEGIN + 500_000)
OPERATIONS: list[tuple[str, dict[str, Any]]] = [
    ("ls", {}),
    ("read", {}),
    ("grep", {"pattern": "x"}),
    ("glob", {"pattern": "*"}),
]


async def deleted(cabinet: Cabinet, ref: str, at: datetime = AT) -> None:
    """As another worker deletes: its word lies in storage, and nothing else of the result."""
    result_id = parse_ref(ref).result_id
    await StoredTombstones(cabinet.store, cabinet.keys).put("s1", result_id, at)
    for key in [key async for key in cabinet.store.list("v1/sessions/s1/")]:
        if result_id in key:
            await cabinet.store.delete(key)


async def error(cabinet: Cabinet, operation: str, **fields: Any) -> dict[str, Any]:
    reply: dict[str, Any] = msgspec.json.decode((await cabinet.fs(operation, **fields)).body)["error"]
    return reply


@pytest.mark.parametrize(("operation", "fields"), OPERATIONS)
async def test_what_was_deleted_is_gone_by_its_id_and_by_its_call(operation: str, fields: dict[str, Any]) -> None:
    cabinet = Cabinet()
    await cabinet.keep("x", call="call_1-a")
    ref = await cabinet.keep("x", call="call_1")
    await deleted(cabinet, ref)
    for name in (parse_ref(ref).result_id, "call_1"):
        told = await error(cabinet, operation, path=f"{FOLDER}/{name}", **fields)
        assert (told["code"], told["details"]) == ("gone", {"ref": ref, "deleted_at": format_time(AT)})


async def test_of_a_call_the_result_that_is_left_is_read() -> None:
    cabinet = Cabinet()
    refs = [await cabinet.keep(text, call="call_1") for text in ("old", "new")]
    await deleted(cabinet, refs[1])
    assert await cabinet.content(f"{FOLDER}/call_1") == "old"


async def test_a_call_that_begins_like_one_that_was_deleted_never_was() -> None:
    cabinet = Cabinet()
    await deleted(cabinet, await cabinet.keep("x", call="call_1-a"))
    for name in ("call_1", "call", "call_1-"):
        assert (await error(cabinet, "read", path=f"{FOLDER}/{name}"))["code"] == "not_found"


async def test_what_this_worker_has_heard_of_alone_is_gone_as_well() -> None:
    cabinet = Cabinet()
    yard = Graveyard()
    yard.now = AT
    tombstones = yard.worker()
    deleter = yard.deletions(cabinet.store, tombstones)
    cabinet.retrieval = msgspec.structs.replace(cabinet.retrieval, tombstones=tombstones, deleter=deleter)
    ref = await cabinet.keep("x", call="call_1")
    await cabinet.content(f"{FOLDER}/call_1")
    await cabinet.ok("delete", ref=ref)
    for operation, fields in OPERATIONS:
        for name in (parse_ref(ref).result_id, "call_1"):
            assert (await error(cabinet, operation, path=f"{FOLDER}/{name}", **fields))["code"] == "gone"
