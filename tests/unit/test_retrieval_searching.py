"""`search` over a store."""

import threading
from typing import Any

import pytest
from tests.support.originals import Large, Shelf

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.searching import Finder
from coatcheck_schemas.events import Part
from coatcheck_schemas.refs import parse_ref
from coatcheck_workers.retrieval.filling import Filling


async def search_all(shelf: Shelf, **fields: Any) -> list[dict[str, Any]]:
    """Follow the cursor to the end."""
    matches: list[dict[str, Any]] = []
    for _ in range(5_000):
        page = await shelf.ok("search", **fields)
        matches += page["matches"]
        assert page["has_more"] == (page["cursor"] is not None)
        if not page["has_more"]:
            return matches
        fields["cursor"] = page["cursor"]
    raise AssertionError("the pages do not end")


async def test_one_original_is_searched_whole() -> None:
    shelf = Shelf()
    ref = await shelf.keep("漢\nneedle needle needle")
    page = await shelf.ok("search", ref=ref, query="needle", limit=2, context_chars=1)
    assert (page["total"], page["has_more"]) == (3, True)
    assert page["matches"][0] == {
        "ref": ref,
        "offset": 2,
        "line": 1,
        "byte_offset": 4,
        "length": 6,
        "snippet": "\nneedle ",
        "snippet_offset": 1,
    }
    rest = await shelf.ok("search", ref=ref, query="needle", cursor=page["cursor"])
    assert ([match["offset"] for match in rest["matches"]], rest["total"], rest["has_more"]) == ([16], 3, False)


@pytest.mark.parametrize("size", [1, 2000], ids=["in memory", "large"])
async def test_matches_are_counted_once_and_not_with_each_page(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    counted: list[int] = []
    count = Finder.count

    def counting(finder: Finder) -> int:
        counted.append(1)
        return count(finder)

    monkeypatch.setattr(Finder, "count", counting)
    shelf = Shelf()
    ref = await shelf.keep("needle hay " * 100 * size, large=None if size == 1 else Large(compression="none"))
    page, totals = await shelf.ok("search", ref=ref, query="needle", limit=3), []
    with_the_first = len(counted)
    for _ in range(3):
        page = await shelf.ok("search", ref=ref, query="needle", limit=3, cursor=page["cursor"])
        totals.append(page["total"])
    assert (totals, len(counted)) == ([100 * size] * 3, with_the_first)
    assert with_the_first > 0


async def test_an_offset_goes_straight_into_read() -> None:
    shelf = Shelf()
    ref = await shelf.keep("\U0001f600" * 50 + "\r\nneedle")
    (match,) = (await shelf.ok("search", ref=ref, query="needle"))["matches"]
    read = await shelf.ok("read", ref=ref, offset=match["offset"], limit=match["length"])
    assert read["content"] == "needle"


async def test_a_session_is_searched_oldest_first() -> None:
    shelf = Shelf()
    refs = [await shelf.keep(f"needle {i}", call=f"c{i}") for i in range(10)]
    await shelf.keep("needle", session="s2")
    page = await shelf.ok("search", query="needle")
    assert [match["ref"] for match in page["matches"]] == refs
    assert (page["total"], page["has_more"], page["cursor"]) == (10, False, None)


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
async def test_pages_of_a_session_joined_are_all_matches_once(limit: int) -> None:
    shelf = Shelf()
    for i in range(6):
        await shelf.keep("needle " * i + str(i), call=f"c{i}")
    whole = (await shelf.ok("search", query="needle"))["matches"]
    assert len(whole) == 15
    assert await search_all(shelf, query="needle", limit=limit) == whole


async def test_a_limit_that_takes_the_last_match_has_no_more() -> None:
    shelf = Shelf()
    await shelf.keep("needle needle", call="c1")
    await shelf.keep("nothing", call="c2")
    page = await shelf.ok("search", query="needle", limit=2)
    assert (page["has_more"], page["total"]) == (False, 2)


async def test_an_original_that_came_again_is_searched_once() -> None:
    shelf = Shelf()
    ref = await shelf.keep("needle needle", milliseconds=1_790_000_000_000)
    await shelf.keep("needle", call="c2", milliseconds=1_790_000_001_000)
    await shelf.enter("s1", parse_ref(ref).result_id, "t2", 1_790_000_002_000)
    assert len(await search_all(shelf, query="needle", limit=1)) == 3


async def test_what_is_not_text_is_passed_over_in_a_session_and_refused_alone() -> None:
    shelf = Shelf()
    binary = await shelf.keep(b"\xff needle", call="c1")
    await shelf.keep("needle", call="c2")
    assert (await shelf.ok("search", query="needle"))["total"] == 1
    code, message = await shelf.error("search", ref=binary, query="needle")
    assert code == "invalid_argument"
    assert "not text" in message


async def test_an_entry_without_its_result_is_passed_over() -> None:
    shelf = Shelf()
    await shelf.enter("s1", "gone-" + "0" * 32, "t1", 1_700_000_000_000)
    await shelf.enter("s1", "not a result id", "t1", 1_700_000_000_000)
    await shelf.keep("needle")
    assert (await shelf.ok("search", query="needle"))["total"] == 1


async def test_a_damaged_original_is_left_out_and_no_total_claimed(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf()
    ref = await shelf.keep("needle", call="c1")
    await shelf.keep("needle", call="c2")
    await shelf.store.put(shelf.keys.output("s1", parse_ref(ref).result_id), b"needle needle")
    page = await shelf.ok("search", query="needle")
    assert (len(page["matches"]), page["total"]) == (1, None)
    assert "sha256" in caplog.text


async def test_after_its_time_a_search_answers_and_goes_on_by_its_cursor() -> None:
    shelf = Shelf(requests={"search_seconds": 1e-9})
    refs = [await shelf.keep("needle", call=f"c{i}") for i in range(5)]
    page = await shelf.ok("search", query="needle")
    assert (len(page["matches"]), page["has_more"], page["total"]) == (1, True, None)
    assert [match["ref"] for match in await search_all(shelf, query="needle")] == refs


async def test_a_cursor_stays_right_while_results_arrive() -> None:
    shelf = Shelf()
    first = await shelf.keep("needle", call="c1")
    second = await shelf.keep("needle", call="c2")
    page = await shelf.ok("search", query="needle", limit=1)
    third = await shelf.keep("needle", call="c3")
    rest = await shelf.ok("search", query="needle", cursor=page["cursor"])
    assert [match["ref"] for match in page["matches"] + rest["matches"]] == [first, second, third]
    assert rest["total"] is None


async def test_a_part_is_searched() -> None:
    shelf = Shelf()
    rid = parse_ref(await shelf.keep("one two")).result_id
    ref = f"coat://s1/{rid}/1"
    await shelf.keep("one two", parts=[Part(index=1, type="resource", ref=ref, bytes=3)], bodies={1: b"two"})
    page = await shelf.ok("search", ref=ref, query="two")
    assert [(match["ref"], match["offset"]) for match in page["matches"]] == [(ref, 0)]


OPTIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({"query": "NEEDLE", "ignore_case": True}, ["needle", "Needle", "needle"]),
    ({"query": "n[e]+dle", "regex": True}, ["needle", "needle"]),
    ({"query": "needle", "whole_word": True}, ["needle"]),
    ({"query": "needle", "invert": True}, ["Needle"]),
    ({"query": "^N", "regex": True, "ignore_case": True, "whole_word": True, "invert": True}, ["needle", "Needle"]),
]


@pytest.mark.parametrize(("fields", "expected"), OPTIONS)
@pytest.mark.parametrize("large", [None, Large(block_bytes=3)], ids=["small", "large"])
@pytest.mark.parametrize("limit", [1, 20])
async def test_options_hold_over_one_original_and_over_the_session(
    fields: dict[str, Any], expected: list[str], large: Large | None, limit: int
) -> None:
    shelf = Shelf()
    text = "needle\nNeedle\nneedles"
    ref = await shelf.keep(text, large=large)
    for scope in ({"ref": ref}, {}):
        matches = await search_all(shelf, limit=limit, **scope, **fields)
        assert [text[match["offset"] :][: match["length"]] for match in matches][: len(expected)] == expected


async def test_an_expression_that_is_none_is_refused_before_anything_is_fetched() -> None:
    store = FailingStore(MemoryStore())
    code, message = await Shelf(store=store).error("search", query="(?<=a)b", regex=True)
    assert code == "invalid_argument"
    assert "lookbehind" in message
    assert sum(store.calls.values()) == 0


async def test_a_cursor_goes_on_with_the_same_options_only() -> None:
    shelf = Shelf()
    await shelf.keep("a a a")
    cursor = (await shelf.ok("search", query="a", limit=1))["cursor"]
    for option in ("regex", "ignore_case", "whole_word", "invert"):
        code, message = await shelf.error("search", query="a", cursor=cursor, **dict[str, Any]({option: True}))
        assert code == "invalid_argument"
        assert "another request" in message


@pytest.mark.parametrize(
    "fields",
    [
        {"query": ""},
        {"query": "x" * 10_001},
        {"query": "x", "context_chars": -1},
        {"query": "x", "context_chars": 10_001},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 1001},
        {"query": "x", "limit": -1},
        {"query": "x", "cursor": ""},
        {"query": "x", "cursor": "AAAA"},
        {"query": "x", "cursor": "漢"},
        {"query": "x", "cursor": "=" * 5000},
        {"query": "x", "ref": "nonsense"},
    ],
)
async def test_a_bad_argument_is_refused(fields: dict[str, Any]) -> None:
    code, _ = await Shelf().error("search", **fields)
    assert code == "invalid_argument"


async def test_a_cursor_of_another_question_is_refused() -> None:
    shelf = Shelf()
    ref = await shelf.keep("a a b b")
    cursor = (await shelf.ok("search", query="a", limit=1))["cursor"]
    others: list[dict[str, Any]] = [{"query": "b"}, {"query": "a", "ref": ref}, {"query": "a", "session": "s2"}]
    for other in others:
        code, message = await shelf.error("search", cursor=cursor, **other)
        assert code == "invalid_argument"
        assert "another request" in message
    assert (await shelf.error("list", cursor=cursor))[0] == "invalid_argument"
    assert (await shelf.error("replay", after=cursor))[0] == "invalid_argument"


async def test_a_reply_is_cut_to_the_message_and_goes_on() -> None:
    shelf = Shelf(max_reply_bytes=60_000)
    text = ("\x01" * 500 + "needle") * 200
    ref = await shelf.keep(text)
    for fields in ({"ref": ref}, {}):
        page = await shelf.ok("search", query="needle", limit=1000, **fields)
        assert page["has_more"]
        matches = await search_all(shelf, query="needle", limit=1000, **fields)
        assert [match["offset"] for match in matches] == [500 + 506 * i for i in range(200)]


async def test_a_match_that_no_message_carries_comes_with_less_context() -> None:
    shelf = Shelf(max_reply_bytes=8_000)
    ref = await shelf.keep("\x01" * 5000 + "needle" + "\x02" * 5000)
    (match,) = (await shelf.ok("search", ref=ref, query="needle", context_chars=10_000))["matches"]
    at = match["offset"] - match["snippet_offset"]
    assert match["snippet"][at : at + 6] == "needle"
    assert match["offset"] == 5000
    assert 0 < at < 5000


async def test_of_a_match_that_no_message_carries_the_beginning_is_shown() -> None:
    shelf = Shelf(max_reply_bytes=8_000)
    await shelf.keep("\x01" * 5000)
    (match,) = (await shelf.ok("search", query="\x01" * 5000))["matches"]
    assert (match["offset"], match["length"], match["snippet_offset"]) == (0, 5000, 0)
    assert set(match["snippet"]) == {"\x01"}


async def test_a_store_that_fails_midway_is_unavailable() -> None:
    shelf = Shelf()
    for i in range(8):
        await shelf.keep("needle", call=f"c{i}")
    failing = FailingStore(shelf.store)
    failing.fail("get", every=7)
    assert (await Shelf(store=failing).error("search", query="needle"))[0] == "unavailable"


async def test_a_large_original_is_searched_off_the_loop_with_the_same_outcome() -> None:
    shelf = Shelf()
    ref = await shelf.keep("é" * 400_000 + "needle")
    (match,) = (await shelf.ok("search", ref=ref, query="needle"))["matches"]
    assert (match["offset"], match["byte_offset"]) == (400_000, 800_000)


@pytest.mark.parametrize(
    ("fields", "in_a_thread"),
    [
        ({"query": "a"}, False),
        ({"query": "a", "invert": True}, True),
        ({"query": "a", "regex": True}, True),
        ({"query": "a", "ignore_case": True}, True),
    ],
)
async def test_only_a_literal_is_looked_for_in_the_event_loop(
    fields: dict[str, Any], in_a_thread: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf()
    ref = await shelf.keep("a b")
    threads: list[int] = []
    take = Filling.take

    def noted(filling: Filling[Any], item: Any) -> bool:
        threads.append(threading.get_ident())
        return take(filling, item)

    monkeypatch.setattr(Filling, "take", noted)
    await shelf.ok("search", ref=ref, **(fields | {"query": "x" if fields.get("invert") else "a"}))
    assert [thread != threading.get_ident() for thread in threads] == [in_a_thread]
