"""`replay` over a list of events."""

from typing import Any

import msgspec
import pytest
from tests.support.originals import Shelf


def published(shelf: Shelf, count: int, *, session: str = "s1", turn: str = "t1", size: int = 10) -> list[int]:
    """Publish events; the numbers that they bear."""
    begin = len(shelf.events.events)
    for number in range(begin, begin + count):
        body = msgspec.json.encode({"number": number, "content": "x" * size})
        shelf.events.publish(f"coat.stubs.{session}.{turn}.c{number}-0", body)
    return list(range(begin, begin + count))


def numbers(page: dict[str, Any]) -> list[int]:
    return [replayed["event"]["number"] for replayed in page["events"]]


async def replay_all(shelf: Shelf, **fields: Any) -> list[int]:
    """Follow the cursor to the end."""
    seen: list[int] = []
    for _ in range(5_000):
        page = await shelf.ok("replay", **fields)
        seen += numbers(page)
        if not page["has_more"]:
            return seen
        fields["after"] = page["cursor"]
    raise AssertionError("the pages do not end")


async def test_events_come_as_they_were_published() -> None:
    shelf = Shelf()
    shelf.events.publish("coat.stubs.s1.t1.c1-0", b'{"b": 1.50, "a": "\\u6f22"}')
    got = await shelf.ask("replay")
    assert b'"event":{"b": 1.50, "a": "\\u6f22"}' in got.body
    assert msgspec.json.decode(got.body)["ok"]["events"][0]["subject"] == "coat.stubs.s1.t1.c1-0"


async def test_only_this_sessions_events_come() -> None:
    shelf = Shelf()
    ours = published(shelf, 3)
    published(shelf, 3, session="s2")
    ours += published(shelf, 2)
    assert numbers(await shelf.ok("replay")) == ours


async def test_a_turns_events_come_alone() -> None:
    shelf = Shelf()
    published(shelf, 2, turn="t1")
    dotted = published(shelf, 2, turn="a=2Eb")
    none = published(shelf, 2, turn="=")
    assert numbers(await shelf.ok("replay", turn_id="a.b")) == dotted
    assert numbers(await shelf.ok("replay", turn_id="")) == none
    assert (await shelf.error("replay", turn_id="x" * 5000))[0] == "invalid_argument"


@pytest.mark.parametrize("limit", [1, 3, 10, 11])
async def test_pages_joined_are_all_events_once(limit: int) -> None:
    shelf = Shelf()
    assert await replay_all(shelf, limit=limit) == []
    expected = published(shelf, 10)
    assert await replay_all(shelf, limit=limit) == expected


async def test_a_present_cursor_skips_what_was_and_nothing_that_comes() -> None:
    shelf = Shelf()
    published(shelf, 3)
    present = await shelf.ok("replay", limit=0)
    assert (present["events"], present["has_more"]) == ([], False)
    later = published(shelf, 2)
    assert await replay_all(shelf, after=present["cursor"]) == later


async def test_with_no_event_the_cursor_stays() -> None:
    shelf = Shelf()
    published(shelf, 1)
    page = await shelf.ok("replay")
    published(shelf, 3, session="s2")
    again = await shelf.ok("replay", after=page["cursor"])
    assert (again["events"], again["cursor"]) == ([], page["cursor"])
    later = published(shelf, 1)
    assert numbers(await shelf.ok("replay", after=again["cursor"])) == later


async def test_a_page_is_cut_to_the_message_and_goes_on() -> None:
    shelf = Shelf(max_reply_bytes=5_000)
    expected = published(shelf, 20, size=700)
    page = await shelf.ok("replay", limit=20)
    assert 0 < len(page["events"]) < 20
    assert page["has_more"]
    assert await replay_all(shelf, limit=20) == expected


async def test_an_event_that_fits_one_message_less_its_reserve_is_carried() -> None:
    shelf = Shelf()
    body = b'{"number": 0, "content": "%s"}' % (b"x" * (1024 * 1024 - 8192 - 29))
    assert len(body) <= 1024 * 1024 - 8192
    shelf.events.publish(f"coat.stubs.{'s' * 80}.{'t' * 80}.{'c' * 80}-{'0' * 32}", body)
    assert numbers(await shelf.ok("replay", session="s" * 80)) == [0]


async def test_an_event_that_no_message_carries_says_where_to_go_on() -> None:
    shelf = Shelf(max_reply_bytes=4_000)
    published(shelf, 1, size=9_000)
    small = published(shelf, 1)
    got = msgspec.json.decode((await shelf.ask("replay")).body)
    assert got["error"]["code"] == "too_large"
    assert numbers(await shelf.ok("replay", after=got["error"]["details"]["cursor"])) == small


@pytest.mark.parametrize("junk", [b"", b"not json", b"[]", b'{"a": "\xff"}', b"{} {}"])
async def test_what_is_no_event_is_passed_over(junk: bytes, caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf()
    shelf.events.publish("coat.stubs.s1.t1.c-0", junk)
    after = published(shelf, 1)
    for _ in range(3):
        assert await replay_all(shelf, limit=1) == after
    assert caplog.text.count("not JSON") == 1
    assert shelf.retrieval.troubles.counts == {"event that is not JSON": 3}


@pytest.mark.parametrize(
    "fields", [{"limit": -1}, {"limit": 1001}, {"after": ""}, {"after": "7"}, {"after": "漢"}, {"after": "W10"}]
)
async def test_a_bad_argument_is_refused(fields: dict[str, Any]) -> None:
    assert (await Shelf().error("replay", **fields))[0] == "invalid_argument"


@pytest.mark.parametrize("limit", [0, 10])
async def test_a_cursor_beyond_the_stream_is_refused(limit: int) -> None:
    before, anew = Shelf(), Shelf()
    published(before, 5)
    cursor = (await before.ok("replay", limit=0))["cursor"]
    published(anew, 2)
    code, message = await anew.error("replay", after=cursor, limit=limit)
    assert code == "invalid_argument"
    assert "begin without it" in message


async def test_a_turns_manifest_comes_where_it_is_asked_for_and_alone() -> None:
    shelf = Shelf()
    assert (await shelf.ok("replay", turn_id="t1", settled=True))["events"] == []
    published(shelf, 2)
    for session, turn in (("s1", "t1"), ("s1", "t2"), ("s2", "t1")):
        shelf.events.publish(
            f"coat.settled.{session}.{turn}", b'{"turn": "%s of %s"}' % (turn.encode(), session.encode())
        )
    page = await shelf.ok("replay", turn_id="t1", settled=True)
    assert page["events"] == [{"subject": "coat.settled.s1.t1", "event": {"turn": "t1 of s1"}}]
    assert not page["has_more"]
    assert (await shelf.ok("replay", turn_id="t1", settled=True, after=page["cursor"]))["events"] == []
    assert await replay_all(shelf, turn_id="t1") == [0, 1]


async def test_a_manifest_of_no_turn_is_refused() -> None:
    assert await Shelf().error("replay", settled=True) == (
        "invalid_argument",
        "settled asks for the manifest of one turn: give its turn_id",
    )
