"""What went wrong with reading elsewhere, as tests: field cases 29 and 31."""

import json
from typing import Any

import msgspec
import pytest
from tests.support.originals import Large, Shelf

from coatcheck_schemas.requests import ReadReply

FORMS = [None, Large(compression="none", block_bytes=500), Large(compression="zstd", block_bytes=500)]
each_form = pytest.mark.parametrize("form", FORMS, ids=["small", "plain", "zstd"])


# 29: a page, and no hint of how much remains


LINES = "".join(f"line {number}\n" for number in range(500))


@each_form
async def test_a_page_of_lines_says_where_it_lies_how_much_there_is_and_how_to_go_on(form: Large | None) -> None:
    shelf = Shelf()
    ref = await shelf.keep(LINES, large=form)
    page = await shelf.ok("read", ref=ref, unit="lines", offset=100, limit=100)
    assert page["content"].split("\n")[0] == "line 100"
    assert page["content"].count("\n") == 100
    assert {name: page[name] for name in ("unit", "offset", "limit", "total_lines", "has_more", "next")} == {
        "unit": "lines",
        "offset": 100,
        "limit": 100,
        "total_lines": 500,
        "has_more": True,
        "next": {"unit": "lines", "offset": 200},
    }
    assert (page["total_chars"], page["total_bytes"]) == (len(LINES), len(LINES))


@each_form
async def test_five_pages_of_a_hundred_are_five_hundred_lines_and_the_last_says_so(form: Large | None) -> None:
    shelf = Shelf()
    ref = await shelf.keep(LINES, large=form)
    pages = [await shelf.ok("read", ref=ref, unit="lines", offset=at, limit=100) for at in range(0, 500, 100)]
    assert "".join(page["content"] for page in pages) == LINES
    assert [page["has_more"] for page in pages] == [True, True, True, True, False]
    assert pages[-1]["next"] is None


@each_form
async def test_a_page_that_had_to_be_cut_short_says_how_much_of_it_came(form: Large | None) -> None:
    shelf = Shelf(max_reply_bytes=2000)
    ref = await shelf.keep(LINES, large=form)
    page = await shelf.ok("read", ref=ref, unit="lines", offset=100, limit=400)
    came = page["content"].count("\n")
    assert 0 < came < 400
    assert (page["offset"], page["limit"]) == (100, came)
    assert page["next"] == {"unit": "lines", "offset": 100 + came}


@each_form
@pytest.mark.parametrize("offset", [500, 501, 10**9])
async def test_a_page_beyond_the_end_is_empty_and_says_how_much_there_is(form: Large | None, offset: int) -> None:
    shelf = Shelf()
    ref = await shelf.keep(LINES, large=form)
    page = await shelf.ok("read", ref=ref, unit="lines", offset=offset)
    assert (page["content"], page["has_more"], page["next"], page["total_lines"]) == ("", False, None, 500)


# 31: cut after serialising, what is left is labelled JSON and is none; markers stand inside the user's own arrays


DOCUMENT = json.dumps(
    {"rows": [{"text": 'a "quoted"\n\\ line\t\u0007', "wide": "漢字 \U0001f600", "n": number} for number in range(40)]},
    ensure_ascii=False,
)
ESCAPED = json.dumps(json.loads(DOCUMENT))
"""The same in ASCII: a cut may fall inside `\\ud83d\\ude00`."""


@each_form
@pytest.mark.parametrize("document", [DOCUMENT, ESCAPED], ids=["raw", "escaped"])
async def test_a_reply_decodes_wherever_its_page_cuts_a_document(form: Large | None, document: str) -> None:
    """At each char of a stretch with every escape, to each of its lengths."""
    shelf = Shelf()
    ref = await shelf.keep(document, kind="json", large=form)
    for start in range(10, 60):
        for limit in (1, 2, 7, 40):
            answer = await shelf.ask("read", ref=ref, offset=start, limit=limit)
            reply = msgspec.json.decode(answer.body, type=dict[str, ReadReply])["ok"]
            assert reply.content == document[start : start + limit]


@pytest.mark.parametrize("document", [DOCUMENT, ESCAPED], ids=["raw", "escaped"])
async def test_a_reply_decodes_however_little_room_it_has(document: str) -> None:
    for room in range(420, 560):
        shelf = Shelf(max_reply_bytes=room)
        answer = await shelf.ask("read", ref=await shelf.keep(document, kind="json"), limit=-1)
        assert len(answer.body) <= room
        reply = msgspec.json.decode(answer.body, type=dict[str, ReadReply])["ok"]
        assert document.startswith(reply.content)
        assert reply.has_more


@each_form
async def test_a_page_of_a_document_bears_no_label_of_json(form: Large | None) -> None:
    """It is a text, which a slice of JSON is, and named by nothing that would have it parsed."""
    shelf = Shelf()
    ref = await shelf.keep(DOCUMENT, kind="json", large=form)
    page = await shelf.ok("read", ref=ref, limit=50)
    with pytest.raises(json.JSONDecodeError):
        json.loads(page["content"])
    assert isinstance(page["content"], str)
    assert not {"mime_type", "kind", "format", "content_type"} & page.keys()
    assert "json" not in json.dumps({name: value for name, value in page.items() if name != "content"})


@each_form
async def test_nothing_is_put_into_the_users_arrays(form: Large | None) -> None:
    shelf = Shelf(max_reply_bytes=700)
    ref = await shelf.keep(DOCUMENT, kind="json", large=form)
    content, fields = "", dict[str, Any]()
    while (page := await shelf.ok("read", ref=ref, **fields))["next"] is not None:
        content += page["content"]
        fields = page["next"]
    assert json.loads(content + page["content"]) == json.loads(DOCUMENT)
