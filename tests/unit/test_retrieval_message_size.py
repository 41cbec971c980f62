"""Whatever the size of a message, a reply fills it and never more: it is cut, and goes on by its cursor."""

from typing import Any

import msgspec
import pytest
from tests.support.originals import Shelf

SIZES = range(5_000, 5_400, 7)
LONG_CALL = "x" * 60 + "==0123456789abcdef"
"""A segment of the greatest length, so that cursors are as long as they get."""


async def shelf_of(size: int) -> Shelf:
    shelf = Shelf(max_reply_bytes=size)
    for index in range(4):
        await shelf.keep(f"{index}" + "needle\x00\u6f22" * 30, call=LONG_CALL, session="s" * 80)
    for number in range(30):
        body = msgspec.json.encode({"number": number, "content": "\\" * 150})
        shelf.events.publish(f"coat.stubs.{'s' * 80}.t.{LONG_CALL}-{number:032x}", body)
    return shelf


@pytest.mark.parametrize(
    ("verb", "items", "after", "fields"),
    [
        pytest.param("search", "matches", "cursor", {"query": "needle", "context_chars": 40}, id="search"),
        pytest.param("list", "tool_results", "cursor", {"order": "newest"}, id="list"),
        pytest.param("replay", "events", "after", {}, id="replay"),
    ],
)
async def test_replies_of_every_size_fit_and_go_on(verb: str, items: str, after: str, fields: dict[str, Any]) -> None:
    expected: list[Any] | None = None
    for size in SIZES:
        shelf = await shelf_of(size)
        asked = {"session": "s" * 80, "limit": 1000, **fields}
        gathered: list[Any] = []
        replies = 0
        while True:
            page = await shelf.ok(verb, **asked)
            gathered += page[items]
            replies += 1
            if not page["has_more"]:
                break
            asked[after] = page["cursor"]
        assert replies > 1
        expected = gathered if expected is None else expected
        assert gathered == expected
    assert expected
