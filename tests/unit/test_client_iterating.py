"""Pages, matches and results by an iterator: what is joined is what there is, also where workers do not answer."""

import asyncio
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.requested import REF, Answer, finder_of, reader_of, requests_on

from coatcheck.client import Segment, requesting
from coatcheck.client.requesting import Requests
from coatcheck_schemas.errors import Code, InvalidInput, InvalidRef, RequestError
from coatcheck_schemas.requests import DeleteReply, ListReply, ReadReply, SearchReply
from coatcheck_schemas.segments import encode_segment


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requesting, "FIRST_DELAY", 0.001)


async def joined(requests: Requests, **fields: Any) -> str:
    return "".join([page.content async for page in requests.pages("s", REF, **fields)])


texts = st.lists(st.sampled_from(["a", "é", "搜", "😀", "\n", "\r\n", "x" * 40, '"\\']), max_size=40).map("".join)


@given(texts, st.sampled_from([None, -1, 1, 3]), st.sampled_from(["chars", "lines"]), st.sampled_from([16, 40, 4000]))
def test_pages_joined_are_the_text(text: str, limit: int | None, unit: str, budget: int) -> None:
    requests, _ = requests_on(reader_of(text, budget))
    assert asyncio.run(joined(requests, limit=limit, unit=unit)) == text


@given(texts, st.sampled_from([24, 40, 4000]))
def test_each_line_has_its_number_once_also_after_one_that_is_longer_than_a_page(text: str, budget: int) -> None:
    lines = [line for line in text.split("\n") if line]
    text = "\n".join(lines)
    requests, _ = requests_on(reader_of(text, budget))
    shown = asyncio.run(joined(requests, unit="lines", numbered=True))
    assert shown == "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, 1))


async def test_a_negative_offset_begins_at_the_end() -> None:
    requests, connection = requests_on(reader_of("one\ntwo\nthree\nfour\n"))
    assert await joined(requests, offset=-3, unit="lines", limit=1) == "two\nthree\nfour\n"
    assert [fields["offset"] for _, fields in connection.asked] == [-3, 2, 3]


async def test_metadata_is_asked_for_once() -> None:
    requests, connection = requests_on(reader_of("x" * 100))
    await joined(requests, metadata=True)
    assert [fields.get("metadata", False) for _, fields in connection.asked] == [True, False, False, False, False]


async def test_a_page_that_does_not_get_on_is_an_error_and_no_loop() -> None:
    def answer(subject: str, fields: dict[str, Any]) -> ReadReply:
        page = cast(ReadReply, reader_of("x" * 100)(subject, {**fields, "offset": 0}))
        return msgspec.structs.replace(page, content="", next=msgspec.structs.replace(cast(Any, page.next), offset=0))

    requests, _ = requests_on(answer)
    with pytest.raises(RequestError, match="does not get on") as caught:
        await joined(requests)
    assert caught.value.code is Code.INTERNAL


@pytest.mark.parametrize(
    ("session", "ref"), [(REF, None), ("a.b", REF), (Segment("a=2Eb"), REF), (f'"{REF}".', None)], ids=repr
)
async def test_a_whole_reference_needs_no_session_beside_it(session: str, ref: str | None) -> None:
    requests, connection = requests_on(reader_of("text"))
    await requests.read(session, ref)
    assert connection.asked[0][0] == "coat.read.a=2Eb"


@pytest.mark.parametrize("text", ["s", f"call_1-{'0' * 32}", "coat://s", f"coat://*/call_1-{'0' * 32}"])
async def test_a_session_alone_or_a_bare_result_id_is_refused(text: str) -> None:
    requests, connection = requests_on(reader_of("text"))
    with pytest.raises(InvalidRef):
        await requests.delete(text)
    assert connection.asked == []


async def test_matches_go_on_where_a_time_limit_left_nothing_but_a_cursor() -> None:
    requests, connection = requests_on(finder_of([[1, 2], [], [], [], [], [3]]))
    found = [match.offset async for match in requests.matches("s", "x", regex=True, limit=2)]
    assert found == [1, 2, 3]
    assert all(fields["query"] == "x" and fields["regex"] and fields["limit"] == 2 for _, fields in connection.asked)


async def test_matches_that_do_not_get_on_are_an_error_and_no_loop() -> None:
    def answer(subject: str, fields: dict[str, Any]) -> SearchReply:
        return SearchReply(matches=[], total=None, has_more=True, cursor="0")

    requests, connection = requests_on(answer)
    with pytest.raises(RequestError, match="does not get on"):
        assert [match async for match in requests.matches("s", "x")] == []
    assert len(connection.asked) < 10


@pytest.mark.parametrize(
    ("session", "ref", "asked"),
    [
        (REF, None, ("coat.search.a=2Eb", REF)),
        ("s", REF, ("coat.search.s", REF)),
        ("s", None, ("coat.search.s", None)),
        (Segment(encode_segment(REF)), None, (f"coat.search.{encode_segment(REF)}", None)),
    ],
    ids=str,
)
async def test_a_search_asks_a_session_or_what_a_whole_reference_names(
    session: str, ref: str | None, asked: tuple[str, str | None]
) -> None:
    requests, connection = requests_on(finder_of([[]]))
    await requests.search(session, "x", ref=ref)
    subject, fields = connection.asked[0]
    assert (subject, fields.get("ref")) == asked


async def test_a_search_in_a_malformed_reference_is_no_search_in_a_session_of_that_name() -> None:
    requests, connection = requests_on(finder_of([[]]))
    with pytest.raises(InvalidInput, match="is not a reference"):
        await requests.search("coat://s/call", "x")
    assert connection.asked == []


async def test_results_go_through_all_pages_under_the_same_filters() -> None:
    def answer(subject: str, fields: dict[str, Any]) -> ListReply:
        more = "cursor" not in fields
        return ListReply(tool_results=[], has_more=more, cursor="1" if more else None)

    requests, connection = requests_on(answer)
    assert [one async for one in requests.results("s", turn="", kind="json", order="newest")] == []
    filters = {"turn_id": "", "kind": "json", "order": "newest"}
    assert connection.asked == [("coat.list.s", filters), ("coat.list.s", {**filters, "cursor": "1"})]


def failing_at(text: str, asked: set[int], error: RequestError) -> Answer:
    calls = iter(range(1000))

    def answer(subject: str, fields: dict[str, Any]) -> msgspec.Struct:
        if next(calls) in asked:
            raise error
        return reader_of(text)(subject, fields)

    return answer


async def test_what_has_begun_is_tried_again_where_a_worker_is_busy() -> None:
    busy = RequestError(Code.UNAVAILABLE, "busy", limit="requests.waiting")
    requests, connection = requests_on(failing_at("x" * 100, {1, 2, 3}, busy))
    assert await joined(requests) == "x" * 100
    assert len(connection.asked) == 5 + 3


async def test_a_first_request_that_is_not_answered_is_an_error_at_once() -> None:
    requests, connection = requests_on(failing_at("x" * 100, {0}, RequestError(Code.UNAVAILABLE, "no worker")))
    with pytest.raises(RequestError, match="no worker"):
        await joined(requests)
    assert len(connection.asked) == 1


@pytest.mark.parametrize(
    "error", [RequestError(Code.GONE, "deleted"), RequestError(Code.UNAVAILABLE, "denied", denied="coat.read.s")]
)
async def test_an_error_that_no_time_mends_ends_an_iterator_at_once(error: RequestError) -> None:
    requests, connection = requests_on(failing_at("x" * 100, {1}, error))
    with pytest.raises(RequestError, match=error.message):
        await joined(requests)
    assert len(connection.asked) == 2


async def test_a_worker_that_stays_away_ends_an_iterator() -> None:
    away = RequestError(Code.UNAVAILABLE, "away")
    requests, connection = requests_on(failing_at("x" * 100, set(range(1, 100)), away))
    with pytest.raises(RequestError, match="away"):
        await joined(requests)
    assert len(connection.asked) == 1 + requesting.TRIES


async def test_a_deletion_is_waited_for_longer_than_a_read() -> None:
    def answer(subject: str, fields: dict[str, Any]) -> msgspec.Struct:
        return DeleteReply(deleted=1) if "delete" in subject else reader_of("x")(subject, fields)

    requests, connection = requests_on(answer)
    assert (await requests.delete(REF)).deleted == 1
    assert (await requests.delete_session("s")).deleted == 1
    await requests.read(REF)
    assert connection.asked[:2] == [("coat.delete.a=2Eb", {"ref": REF}), ("coat.delete.s", {"all": True})]
    assert connection.seconds[0] == connection.seconds[1] > connection.seconds[2]
