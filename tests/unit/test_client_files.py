"""A client's pages of a file."""

import pytest
from tests.support.originals import Shelf
from tests.support.shelf_client import ShelfClient

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.refs import parse_ref

CALL = "/large_tool_result/call_1"


async def test_pages_of_a_call_are_of_one_result_though_a_newer_one_comes() -> None:
    client = ShelfClient(Shelf())
    await client.shelf.keep("a1\na2\na3\n")
    pages = client.fs("s1").pages(CALL, limit=1)
    contents = [(await anext(pages)).content]
    await client.shelf.keep("b1\nb2\nb3\n")
    contents += [page.content async for page in pages]
    assert contents == ["a1\n", "a2\n", "a3\n"]
    assert [page.content async for page in client.fs("s1").pages(CALL)] == ["b1\nb2\nb3\n"]


async def test_a_page_tells_the_original_and_of_an_own_file_none() -> None:
    client = ShelfClient(Shelf())
    ref = await client.shelf.keep("text")
    files = client.fs("s1")
    await files.write("own", "text")
    by_id = f"/large_tool_result/{parse_ref(ref).result_id}"
    assert [(await files.read(path)).ref for path in (CALL, by_id, "own")] == [ref, ref, None]


async def test_pages_of_a_file_that_is_changed_meanwhile_end_with_a_conflict() -> None:
    files = ShelfClient(Shelf()).fs("s1")
    await files.write("own", "a1\na2\na3\n")
    pages = files.pages("own", limit=1)
    assert (await anext(pages)).content == "a1\n"
    await files.write("own", "b1\nb2\nb3\n")
    with pytest.raises(RequestError, match="from version 1 to 2: begin anew") as caught:
        await anext(pages)
    assert caught.value.code is Code.CONFLICT
    assert [page.content async for page in files.pages("own", limit=2)] == ["b1\nb2\n", "b3\n"]
