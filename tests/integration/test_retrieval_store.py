"""Read, search and list over a real object store."""

from typing import Any

import msgspec
import pytest
from tests.support.originals import Shelf

from coatcheck_core.settings import Settings
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.storage import open_store

CALLS = ["plain", "=", "a=2Eb", "=E6=BC=A2", "x" * 60 + "==0123456789abcdef", "-", "_"]


@pytest.fixture
async def shelf(deployment: Settings) -> Shelf:
    return Shelf(store=open_store(deployment.storage), prefix=deployment.storage.prefix)


async def gathered(shelf: Shelf, verb: str, field: str, **fields: Any) -> list[Any]:
    items: list[Any] = []
    for _ in range(100):
        page = await shelf.ok(verb, **fields)
        items += page[field]
        if not page["has_more"]:
            return items
        fields["cursor"] = page["cursor"]
    raise AssertionError("the pages do not end")


async def test_originals_under_calls_of_any_shape_are_read_searched_and_listed(shelf: Shelf) -> None:
    refs = [await shelf.keep(f"needle 漢 {i}", call=call) for i, call in enumerate(CALLS)]
    for i, ref in enumerate(refs):
        assert (await shelf.ok("read", ref=ref))["content"] == f"needle 漢 {i}"
    matches = await gathered(shelf, "search", "matches", query="needle", limit=2)
    assert [match["ref"] for match in matches] == refs
    listed = await gathered(shelf, "list", "tool_results", limit=3)
    assert [metadata["ref"] for metadata in listed] == refs
    newest = await gathered(shelf, "list", "tool_results", limit=3, order="newest")
    assert [metadata["ref"] for metadata in newest] == refs[::-1]


async def test_one_session_sees_nothing_of_another(shelf: Shelf) -> None:
    ref = await shelf.keep("needle", session="s2")
    assert (await shelf.error("read", ref=ref))[0] == "not_found"
    assert (await shelf.error("search", ref=ref, query="needle"))[0] == "not_found"
    assert (await shelf.ok("search", query="needle"))["matches"] == []
    assert (await shelf.ok("list"))["tool_results"] == []


async def test_a_megabyte_is_read_to_the_end_in_pages(shelf: Shelf) -> None:
    text = "".join(f"{i}\tlog line 漢\x01\r\n" for i in range(50_000))
    ref = await shelf.keep(text)
    content = ""
    fields: dict[str, Any] = {"unit": "lines", "limit": -1}
    while fields:
        page = await shelf.ok("read", ref=ref, **fields)
        content += page["content"]
        fields = page["next"] and {**page["next"], "limit": -1}
    assert content == text


async def test_a_store_that_is_away_is_unavailable(own_s3: S3Server, deployment: Settings) -> None:
    storage = msgspec.structs.replace(
        deployment.storage,
        endpoint=own_s3.endpoint,
        access_key=own_s3.access_key,
        secret_key=own_s3.secret_key,
        timeout_seconds=1.0,
    )
    away = Shelf(store=open_store(storage), prefix=storage.prefix)
    await own_s3.kill()
    asked: list[tuple[str, dict[str, Any]]] = [
        ("read", {"ref": "call_1-" + "0" * 32}),
        ("search", {"query": "x"}),
        ("list", {}),
    ]
    for verb, fields in asked:
        code, message = await away.error(verb, **fields)
        assert code == "unavailable"
        assert "try again" in message
