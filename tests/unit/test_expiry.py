"""When a stored result expires, and what whoever asks for it is told."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from tests.support.deciding import arrived, rules
from tests.support.originals import BEGIN, Large, Shelf

from coatcheck_core.decision import decide
from coatcheck_core.expiry import expires_at, is_expired
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import parse_ref
from coatcheck_schemas.times import format_time, from_milliseconds

DAYS = 30
USED = datetime(2026, 2, 3, 10, 11, 12, 345000, UTC)
KEPT_AT = from_milliseconds(BEGIN)
EXPIRES = KEPT_AT + timedelta(days=DAYS)
JUST = timedelta(milliseconds=1)
VERBS: list[tuple[str, dict[str, Any]]] = [("read", {}), ("search", {"query": "t"}), ("link", {})]


def metadata(**fields: Any) -> Metadata:
    stored = decide(arrived("x" * 50_000), rules()).stored
    assert stored is not None
    return msgspec.structs.replace(stored.metadata, **fields)


def shelf_at(now: datetime, days: int = DAYS) -> Shelf:
    shelf = Shelf(storage={"retention_days": days})
    shelf.retrieval = msgspec.structs.replace(shelf.retrieval, now=lambda: now)
    return shelf


async def problem_of(shelf: Shelf, verb: str, **fields: Any) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode((await shelf.ask(verb, **fields)).body)["error"]
    return found


def test_it_is_counted_from_the_last_use() -> None:
    fresh, used = metadata(created_at="2026-01-31T23:59:59.123Z"), metadata(last_used_at=format_time(USED))
    assert expires_at(fresh, 1) == datetime(2026, 2, 1, 23, 59, 59, 123000, UTC)
    assert expires_at(used, DAYS) == USED + timedelta(days=DAYS)


def test_without_a_retention_nothing_ever_expires() -> None:
    assert expires_at(metadata(), 0) is None
    assert not is_expired(metadata(), 0, datetime.max.replace(tzinfo=UTC))


@pytest.mark.parametrize("text", ["", "yesterday", "9999-12-31T00:00:00.000Z", "2026-01-31T23:59:59.123"])
def test_what_has_no_time_of_ours_does_not_expire(text: str) -> None:
    assert not is_expired(metadata(created_at=text), DAYS, datetime.max.replace(tzinfo=UTC))


@pytest.mark.parametrize(("verb", "fields"), VERBS)
@pytest.mark.parametrize("large", [None, Large()])
async def test_what_has_expired_is_gone_and_says_when(verb: str, fields: dict[str, Any], large: Large | None) -> None:
    shelf = shelf_at(EXPIRES)
    ref = await shelf.keep("text", large=large)
    error = await problem_of(shelf, verb, ref=ref, **fields)
    moment = format_time(EXPIRES)
    assert error["code"] == "gone"
    assert error["details"] == {"ref": ref, "expired_at": moment}
    assert error["message"] == f"{ref} expired at {moment}, 30 days after its last use"


async def test_until_then_it_is_there() -> None:
    shelf = shelf_at(EXPIRES - JUST)
    assert (await shelf.ok("read", ref=await shelf.keep("text")))["content"] == "text"


async def test_what_a_worker_remembers_expires_as_well_and_lives_on_where_it_was_used_since() -> None:
    shelf = shelf_at(EXPIRES - JUST)
    ref = await shelf.keep("text")
    await shelf.ok("read", ref=ref)
    shelf.retrieval = msgspec.structs.replace(shelf.retrieval, now=lambda: EXPIRES + JUST)
    assert (await problem_of(shelf, "read", ref=ref))["code"] == "gone"
    key = shelf.keys.metadata("s1", parse_ref(ref).result_id)
    kept = msgspec.json.decode(await shelf.store.get(key), type=Metadata)
    used = msgspec.structs.replace(kept, last_used_at=format_time(EXPIRES - timedelta(days=1)))
    await shelf.store.put(key, msgspec.json.encode(used))
    assert (await shelf.ok("read", ref=ref))["content"] == "text"


async def test_what_has_expired_is_in_no_list_and_no_search_of_the_session() -> None:
    shelf = shelf_at(EXPIRES)
    await shelf.keep("text that is old")
    later = await shelf.keep("text that is new", call="call_2", milliseconds=BEGIN + 86_400_000)
    assert [one["ref"] for one in (await shelf.ok("list"))["tool_results"]] == [later]
    assert {match["ref"] for match in (await shelf.ok("search", query="text"))["matches"]} == {later}
