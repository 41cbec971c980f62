"""`list` over a store."""

from typing import Any

import pytest
from tests.support.originals import BEGIN, Shelf

from coatcheck_schemas.events import Part
from coatcheck_schemas.refs import parse_ref
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.times import format_time, from_milliseconds


def refs_of(page: dict[str, Any]) -> list[str]:
    return [metadata["ref"] for metadata in page["tool_results"]]


async def list_all(shelf: Shelf, **fields: Any) -> list[str]:
    """Follow the cursor to the end."""
    refs: list[str] = []
    for _ in range(5_000):
        page = await shelf.ok("list", **fields)
        refs += refs_of(page)
        assert page["has_more"] == (page["cursor"] is not None)
        if not page["has_more"]:
            return refs
        fields["cursor"] = page["cursor"]
    raise AssertionError("the pages do not end")


async def filled(count: int, **settings: Any) -> tuple[Shelf, list[str]]:
    shelf = Shelf(**settings)
    return shelf, [await shelf.keep(f"text {i}", call=f"c{i}") for i in range(count)]


async def test_an_empty_session_has_an_empty_list() -> None:
    assert await Shelf().ok("list") == {"tool_results": [], "has_more": False, "cursor": None}


async def test_the_whole_metadata_is_listed() -> None:
    shelf = Shelf()
    ref = await shelf.keep("漢\n", tool="搜索", turn="t/1")
    (metadata,) = (await shelf.ok("list"))["tool_results"]
    assert (metadata["ref"], metadata["tool_name"], metadata["turn_id"]) == (ref, "搜索", "t/1")
    assert (metadata["original_chars"], metadata["original_bytes"], metadata["original_lines"]) == (2, 4, 1)


async def test_oldest_first_or_newest_first_and_only_of_this_session() -> None:
    shelf, refs = await filled(60)
    await shelf.keep("theirs", session="s2")
    await shelf.keep("theirs", session="s1x")
    page = await shelf.ok("list")
    assert (refs_of(page), page["has_more"]) == (refs[:50], True)
    assert refs_of(await shelf.ok("list", order="newest")) == refs[::-1][:50]


@pytest.mark.parametrize("order", ["oldest", "newest"])
@pytest.mark.parametrize("limit", [1, 7, 20, 21])
async def test_pages_joined_are_the_list(order: str, limit: int) -> None:
    shelf, refs = await filled(20)
    assert await list_all(shelf, order=order, limit=limit) == (refs if order == "oldest" else refs[::-1])


async def test_a_page_that_takes_the_last_has_no_more() -> None:
    shelf, _ = await filled(5)
    assert (await shelf.ok("list", limit=5))["has_more"] is False


async def test_a_cursor_stays_right_while_results_arrive() -> None:
    shelf, refs = await filled(4)
    oldest = await shelf.ok("list", limit=2)
    newest = await shelf.ok("list", limit=2, order="newest")
    refs.append(await shelf.keep("late", call="late"))
    assert refs_of(await shelf.ok("list", cursor=oldest["cursor"])) == refs[2:]
    assert refs_of(await shelf.ok("list", order="newest", cursor=newest["cursor"])) == refs[1::-1]


async def test_filters_by_tool_and_kind() -> None:
    shelf = Shelf()
    grep = await shelf.keep("a", call="c1", tool="grep", kind="text")
    data = await shelf.keep("b", call="c2", tool="curl", kind="json")
    assert refs_of(await shelf.ok("list", tool_name="grep")) == [grep]
    assert refs_of(await shelf.ok("list", kind="json")) == [data]
    assert refs_of(await shelf.ok("list", kind="json", tool_name="grep")) == []


async def test_a_filter_that_few_pass_still_fills_its_pages() -> None:
    shelf = Shelf()
    wanted = [await shelf.keep(f"{i}", call=f"c{i}", tool="rare" if i % 9 == 0 else "often") for i in range(50)]
    assert await list_all(shelf, tool_name="rare", limit=2) == wanted[::9]


async def test_filters_by_turn_whatever_its_id() -> None:
    shelf = Shelf()
    ids = ["t1", "", "a.b/c *", "漢", "x" * 3000]
    refs = [await shelf.keep(f"{i}", call=f"c{i}", turn=turn) for i, turn in enumerate(ids)]
    for turn, ref in zip(ids, refs, strict=True):
        assert refs_of(await shelf.ok("list", turn_id=turn)) == [ref]
    assert refs_of(await shelf.ok("list", turn_id=encode_segment("x" * 3000))) == [refs[-1]]
    assert (await shelf.error("list", turn_id="x" * 5000))[0] == "invalid_argument"


async def test_a_result_that_came_again_is_listed_in_each_turn() -> None:
    shelf = Shelf()
    ref = await shelf.keep("same", turn="t1")
    await shelf.enter("s1", parse_ref(ref).result_id, "t2", BEGIN + 60_000)
    assert refs_of(await shelf.ok("list", turn_id="t2")) == [ref]
    assert refs_of(await shelf.ok("list")) == [ref, ref]


@pytest.mark.parametrize("order", ["oldest", "newest"])
async def test_since_is_inclusive_and_until_exclusive(order: str) -> None:
    shelf, refs = await filled(6)
    since = format_time(from_milliseconds(BEGIN + 2000))
    until = format_time(from_milliseconds(BEGIN + 4000))
    assert sorted(refs_of(await shelf.ok("list", since=since, order=order))) == sorted(refs[2:])
    assert sorted(refs_of(await shelf.ok("list", until=until, order=order))) == sorted(refs[:4])
    assert sorted(await list_all(shelf, since=since, until=until, order=order, limit=1)) == sorted(refs[2:4])
    assert refs_of(await shelf.ok("list", since=until, until=since, order=order)) == []


async def test_a_time_counts_in_its_zone_and_to_the_microsecond() -> None:
    shelf = Shelf()
    ref = await shelf.keep("x", milliseconds=1_767_225_600_000)  # 2026-01-01T00:00:00Z
    assert refs_of(await shelf.ok("list", since="2026-01-01T01:00:00+01:00")) == [ref]
    assert refs_of(await shelf.ok("list", since="2026-01-01T00:00:00.000001Z")) == []
    assert refs_of(await shelf.ok("list", until="2026-01-01T00:00:00.000001Z")) == [ref]


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "1969-12-31T23:59:59Z"])
async def test_a_time_before_all_takes_everything(time: str) -> None:
    shelf, refs = await filled(2)
    assert refs_of(await shelf.ok("list", since=time)) == refs
    assert refs_of(await shelf.ok("list", until=time)) == []


async def test_a_time_after_all_takes_nothing() -> None:
    shelf, refs = await filled(2)
    assert refs_of(await shelf.ok("list", since="9999-12-31T23:59:59Z")) == []
    assert refs_of(await shelf.ok("list", until="9999-12-31T23:59:59-14:00")) == refs


@pytest.mark.parametrize(
    "time",
    [
        "",
        "yesterday",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-13-01T00:00:00Z",
        "1767225600",
        "2026-01-01T25:00:00Z",
    ],
)
@pytest.mark.parametrize("field", ["since", "until"])
async def test_a_time_that_is_none_names_its_field(field: str, time: str) -> None:
    code, message = await Shelf().error("list", **dict[str, Any]({field: time}))
    assert code == "invalid_argument"
    assert field in message


@pytest.mark.parametrize(
    "fields",
    [
        {"limit": 0},
        {"limit": 1001},
        {"limit": -1},
        {"kind": "video"},
        {"cursor": ""},
        {"cursor": "bm9uc2Vuc2U"},
        {"cursor": "\x00"},
    ],
)
async def test_a_bad_argument_is_refused(fields: dict[str, Any]) -> None:
    assert (await Shelf().error("list", **fields))[0] == "invalid_argument"


async def test_a_cursor_of_other_filters_is_refused() -> None:
    shelf, _ = await filled(4)
    cursor = (await shelf.ok("list", limit=1))["cursor"]
    others: list[dict[str, Any]] = [{"order": "newest"}, {"tool_name": "tool"}, {"session": "s2"}]
    for other in others:
        assert (await shelf.error("list", cursor=cursor, **other))[0] == "invalid_argument"


async def test_an_entry_without_metadata_or_with_damaged_metadata_is_passed_over() -> None:
    shelf, refs = await filled(3)
    await shelf.store.delete(shelf.keys.metadata("s1", parse_ref(refs[0]).result_id))
    await shelf.store.put(shelf.keys.metadata("s1", parse_ref(refs[1]).result_id), b"{")
    assert refs_of(await shelf.ok("list")) == refs[2:]


async def test_a_reply_is_cut_to_the_message_and_goes_on() -> None:
    shelf, refs = await filled(40, max_reply_bytes=8_000)
    page = await shelf.ok("list", limit=1000)
    assert page["has_more"]
    assert await list_all(shelf, limit=1000) == refs
    assert await list_all(shelf, limit=1000, order="newest") == refs[::-1]


async def test_metadata_that_no_message_carries_does_not_end_the_list() -> None:
    shelf = Shelf(max_reply_bytes=8_000)
    parts = [Part(index=i, type="text", start=0, end=1) for i in range(1000)]
    refs = [
        await shelf.keep("a", call="c1"),
        await shelf.keep("b", call="c2", parts=parts, tool="\x01" * 5000),
        await shelf.keep("c", call="c3"),
    ]
    assert await list_all(shelf) == refs


async def test_after_its_time_a_list_answers_and_goes_on_by_its_cursor() -> None:
    shelf, refs = await filled(5, requests={"search_seconds": 1e-9})
    page = await shelf.ok("list")
    assert (refs_of(page), page["has_more"]) == (refs[:1], True)
    assert await list_all(shelf, order="newest") == refs[::-1]
