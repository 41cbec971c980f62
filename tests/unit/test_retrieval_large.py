"""Reading and searching large originals, which are found by their index, as if they were read whole."""

import asyncio
from base64 import b64decode
from hashlib import sha256
from typing import Any

import pytest
from tests.support.originals import Large, Shelf

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_schemas.errors import RequestError
from coatcheck_schemas.events import Part
from coatcheck_schemas.refs import parse_ref
from coatcheck_schemas.store import Store
from coatcheck_workers.retrieval.originals.loading import load_metadata
from coatcheck_workers.retrieval.originals.whole import whole

FORMS = [Large(compression="zstd", block_bytes=3000), Large(compression="none", block_bytes=700)]
TEXT = "".join(f"line {n}: Zoë {'漢字' * (n % 7)}{chr(0x1F600) * (n % 3)} needle{n % 50}\r\n" for n in range(800))
GIANT_LINES = ("x" * 40_000 + "\n") * 3 + "y" * 40_000
both_forms = pytest.mark.parametrize("large", FORMS, ids=["zstd", "plain"])


REQUESTS: list[dict[str, Any]] = [
    {},
    {"limit": -1},
    {"offset": -5},
    {"offset": 10_000, "limit": 3_000},
    {"offset": 10**9},
    {"unit": "bytes", "offset": 2999, "limit": 3},
    {"unit": "bytes", "offset": -700, "limit": -1},
    {"unit": "bytes", "offset": 10**9},
    {"unit": "lines"},
    {"unit": "lines", "offset": 399, "limit": 3, "numbered": True},
    {"unit": "lines", "offset": -1},
    {"unit": "lines", "offset": -2, "limit": -1, "numbered": True},
    {"unit": "lines", "offset": 800},
    {"unit": "lines", "offset": 10**9},
    {"unit": "lines", "offset": 1, "limit": -1},
]


@both_forms
@pytest.mark.parametrize("fields", REQUESTS, ids=str)
@pytest.mark.parametrize("text", [TEXT, TEXT + "no newline at the end", GIANT_LINES], ids=["even", "open", "giant"])
async def test_a_page_is_the_one_of_the_whole(large: Large, fields: dict[str, Any], text: str) -> None:
    shelf, other = Shelf(max_reply_bytes=50_000), Shelf(max_reply_bytes=50_000)
    ref = await shelf.keep(text, large=large)
    assert await other.keep(text) == ref
    assert await shelf.ok("read", ref=ref, **fields) == await other.ok("read", ref=ref, **fields)


@both_forms
@pytest.mark.parametrize("fields", [{"limit": 777}, {"unit": "lines", "limit": 70}, {"unit": "lines", "limit": -1}])
async def test_pages_joined_are_the_original(large: Large, fields: dict[str, Any]) -> None:
    shelf = Shelf(max_reply_bytes=20_000)
    for text in (TEXT, GIANT_LINES, "\n" * 5000):
        assert await shelf.read_all(await shelf.keep(text, large=large), **fields) == text


@both_forms
async def test_a_page_is_one_ranged_read(large: Large) -> None:
    inner = MemoryStore()
    store = FailingStore(inner)
    shelf = Shelf(store=store)
    ref = await shelf.keep(TEXT * 20, large=large)
    await shelf.ok("read", ref=ref)
    before = dict(store.calls)
    for fields in ({"offset": 200_000, "limit": 10}, {"unit": "lines", "offset": -100}, {"unit": "bytes", "offset": 9}):
        await shelf.ok("read", ref=ref, **fields)
    used = {name: calls - before.get(name, 0) for name, calls in store.calls.items()}
    assert {name: calls for name, calls in used.items() if calls} == {"get_range": 3}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "iso8859-1", "gb18030"])
async def test_text_in_another_encoding_is_read_as_text_and_its_bytes_as_they_were(encoding: str) -> None:
    text = "".join(f"line {n}: Zoë größer\n" for n in range(500))
    data = text.encode(encoding)
    shelf = Shelf()
    large = Large(block_bytes=999, mime_type=f"text/plain; charset={encoding}")
    ref = await shelf.keep(data, large=large)
    page = await shelf.ok("read", ref=ref, offset=5000, limit=100)
    assert (page["content"], page["total_chars"], page["total_lines"]) == (text[5000:5100], len(text), 500)
    assert page["total_bytes"] == len(data)
    page = await shelf.ok("read", ref=ref, unit="lines", offset=400, limit=1)
    assert page["content"] == "line 400: Zoë größer\n"
    page = await shelf.ok("read", ref=ref, unit="bytes", offset=1001, limit=11)
    assert b64decode(page["content"]) == data[1001:1012]
    (match,) = (await shelf.ok("search", ref=ref, query="line 321: Zoë"))["matches"]
    assert (match["offset"], match["line"]) == (text.index("line 321:"), 321)
    found = data[match["byte_offset"] :].decode(encoding)
    assert found.startswith("line 321: Zoë")


async def test_a_small_original_in_another_encoding_is_read_as_text() -> None:
    shelf = Shelf()
    data = "größer\n".encode("utf-16")
    ref = await shelf.keep(data, large=Large(compression="none"))
    key = shelf.keys.metadata("s1", parse_ref(ref).result_id)
    small = (await shelf.store.get(key)).replace(b'"index_bytes":', b'"was":')
    await shelf.store.put(key, small)
    page = await shelf.ok("read", ref=ref)
    assert (page["content"], page["total_chars"], page["total_bytes"]) == ("\ufeffgrößer\n", 8, 16)


async def test_what_is_not_text_is_read_in_bytes_and_not_searched() -> None:
    shelf = Shelf()
    data = bytes(range(256)) * 100
    ref = await shelf.keep(data, large=Large(block_bytes=1000))
    page = await shelf.ok("read", ref=ref, unit="bytes", offset=999, limit=3)
    assert (b64decode(page["content"]), page["total_chars"], page["total_bytes"]) == (data[999:1002], None, 25_600)
    for verb, fields in (("read", dict[str, Any]()), ("search", {"query": "a"})):
        code, message = await shelf.error(verb, ref=ref, **fields)
        assert (code, "not text" in message) == ("invalid_argument", True)
    assert (await shelf.ok("search", query="a"))["total"] == 0


@both_forms
@pytest.mark.parametrize("bounds", [(0, 0), (0, 100), (350, 351), (5_003, 9_007), (9_000, None)])
async def test_a_part_s_text_is_read_and_searched_as_a_text_of_its_own(
    large: Large, bounds: tuple[int, int | None]
) -> None:
    start, end = bounds[0], len(TEXT) if bounds[1] is None else bounds[1]
    shelf, other = Shelf(max_reply_bytes=30_000), Shelf(max_reply_bytes=30_000)
    parts = [Part(index=0, type="text", start=start, end=end)]
    ref = f"{await shelf.keep(TEXT, large=large, parts=parts)}/0"
    assert f"{await other.keep(TEXT, parts=parts)}/0" == ref
    for fields in REQUESTS:
        assert await shelf.ok("read", ref=ref, **fields) == await other.ok("read", ref=ref, **fields), fields
    assert await shelf.read_all(ref, unit="lines", limit=3) == TEXT[start:end]
    for query in ("needle7", "needle", "Zoë", "\n"):
        found = await shelf.ok("search", ref=ref, query=query)
        expected = await other.ok("search", ref=ref, query=query)
        assert found["matches"] == expected["matches"]
        assert found["total"] == expected["total"]


async def test_a_part_beyond_the_text_is_not_found() -> None:
    shelf = Shelf()
    parts = [Part(index=0, type="text", start=10, end=10**6)]
    ref = await shelf.keep(TEXT, large=FORMS[0], parts=parts)
    assert (await shelf.error("read", ref=f"{ref}/0"))[0] == "not_found"


@both_forms
@pytest.mark.parametrize("query", ["needle", "needle7\r\nline", "漢字漢字", "\r\n", "nowhere", "ee"])
async def test_a_search_finds_what_one_in_the_whole_finds(large: Large, query: str) -> None:
    shelf, other = Shelf(), Shelf()
    ref = await shelf.keep(TEXT, large=large)
    await other.keep(TEXT)
    fields: dict[str, Any] = {"ref": ref, "query": query, "limit": 1000, "context_chars": 40}
    assert await shelf.ok("search", **fields) == await other.ok("search", **fields)


@both_forms
async def test_the_pages_of_a_search_joined_are_all_matches(large: Large) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=large)
    whole_of_it = await shelf.ok("search", ref=ref, query="needle", limit=1000)
    assert whole_of_it["total"] == len(whole_of_it["matches"]) == 800
    scopes: list[dict[str, Any]] = [{"ref": ref}, {}]
    for scope in scopes:
        page = await shelf.ok("search", query="needle", limit=99, **scope)
        assert page["total"] == 800
        matches = page["matches"]
        while page["has_more"]:
            page = await shelf.ok("search", query="needle", limit=99, cursor=page["cursor"], **scope)
            assert page["total"] == (800 if scope else None)
            matches += page["matches"]
        assert matches == whole_of_it["matches"]


@both_forms
async def test_a_search_that_takes_too_long_answers_with_what_it_has_and_goes_on(large: Large) -> None:
    text = TEXT * 3 + "rare rare" + TEXT * 3 + "rare"
    shelf = Shelf(requests={"search_seconds": 0.000001})
    ref = await shelf.keep(text, large=large)
    expected = [at for at in range(len(text)) if text.startswith("rare", at)]
    scopes: list[dict[str, Any]] = [{"ref": ref}, {}]
    for scope in scopes:
        offsets: list[int] = []
        page = await shelf.ok("search", query="rare", limit=1000, **scope)
        replies = 1
        assert page["total"] is None
        while page["has_more"]:
            offsets += [match["offset"] for match in page["matches"]]
            page = await shelf.ok("search", query="rare", limit=1000, cursor=page["cursor"], **scope)
            replies += 1
        offsets += [match["offset"] for match in page["matches"]]
        assert offsets == expected
        assert 3 <= replies <= 40


@both_forms
async def test_a_damaged_block_is_never_given_out_and_the_others_are(
    large: Large, caplog: pytest.LogCaptureFixture
) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=large)
    key = shelf.keys.output("s1", parse_ref(ref).result_id)
    stored = bytearray(await shelf.store.get(key))
    stored[40] ^= 1
    await shelf.store.put(key, bytes(stored))
    for fields in ({"offset": 0, "limit": 5}, {"unit": "lines", "limit": 1}, {"unit": "bytes", "limit": 1}):
        code, message = await shelf.error("read", ref=ref, **fields)
        assert (code, "checksum" in message) == ("internal", True)
    assert "damaged" in caplog.text
    assert (await shelf.error("search", ref=ref, query="needle"))[0] == "internal"
    found = await shelf.ok("search", query="needle")
    assert (found["matches"], found["total"]) == ([], None)
    assert (await shelf.ok("read", ref=ref, offset=-5))["content"] == TEXT[-5:]


@both_forms
async def test_a_truncated_object_is_damaged(large: Large) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=large)
    key = shelf.keys.output("s1", parse_ref(ref).result_id)
    await shelf.store.put(key, (await shelf.store.get(key))[:500])
    assert (await shelf.error("read", ref=ref, offset=-5))[0] == "internal"


async def test_another_original_s_index_is_not_believed() -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=FORMS[1])
    other = await shelf.keep(TEXT[::-1], large=FORMS[1], call="c2")
    theirs = await shelf.store.get(shelf.keys.index("s1", parse_ref(other).result_id))
    await shelf.store.put(shelf.keys.index("s1", parse_ref(ref).result_id), theirs)
    assert (await shelf.error("read", ref=ref))[0] == "internal"


@pytest.mark.parametrize("was", FORMS)
@pytest.mark.parametrize("is_now", [*FORMS, Large(block_bytes=1234), Large(compression="none", block_bytes=999)])
@pytest.mark.parametrize("is_cached", [True, False])
async def test_an_object_that_was_written_again_in_another_form_is_read(
    was: Large, is_now: Large, is_cached: bool
) -> None:
    """Two workers store one original at once: the metadata is the one's, the object the other's."""
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=was)
    if is_cached:
        await shelf.ok("read", ref=ref)
    stored, written = is_now.write(TEXT.encode())
    await shelf.store.put(shelf.keys.output("s1", parse_ref(ref).result_id), stored)
    if written.index is not None:
        await shelf.store.put(shelf.keys.index("s1", parse_ref(ref).result_id), written.index)
    assert (await shelf.ok("read", ref=ref, offset=7000, limit=50))["content"] == TEXT[7000:7050]
    assert await shelf.read_all(ref, unit="lines", limit=100) == TEXT
    assert (await shelf.ok("search", ref=ref, query="needle49"))["total"] == 16


async def test_an_object_that_is_written_again_while_it_passes_is_searched_to_the_end() -> None:
    shelf = Shelf()
    text = TEXT * 100
    ref = await shelf.keep(text, large=Large())
    metadata = await load_metadata(shelf.retrieval, "s1", parse_ref(ref).result_id)
    stored, _ = Large(block_bytes=77_777).write(text.encode())
    digest = sha256()
    async for piece in whole(shelf.retrieval, "s1", metadata):
        digest.update(piece)
        await shelf.store.put(shelf.keys.output("s1", metadata.result_id), stored)
    assert digest.hexdigest() == metadata.sha256


@pytest.mark.parametrize("invert", [False, True])
async def test_a_search_finds_what_is_there_while_its_object_is_written_again(
    monkeypatch: pytest.MonkeyPatch, invert: bool
) -> None:
    for name in ("originals.indexed.FETCHED_BYTES", "originals.sections.STEP_BYTES", "working.PIECE_BYTES"):
        monkeypatch.setattr(f"coatcheck_workers.retrieval.{name}", 10_000)
    shelf, other = Shelf(), Shelf()
    ref = await shelf.keep(TEXT, large=Large(compression="none", block_bytes=1000))
    await other.keep(TEXT)
    fields: dict[str, Any] = {"ref": ref, "query": "needle49", "invert": invert, "limit": 1000}
    expected = await other.ok("search", **fields)
    metadata = await load_metadata(shelf.retrieval, "s1", parse_ref(ref).result_id)
    stored, _ = Large(block_bytes=777).write(TEXT.encode())
    key = shelf.keys.output("s1", metadata.result_id)
    writing = _WritingAgain(shelf.store, key, stored)
    found = await Shelf(store=writing).ok("search", **fields)
    assert writing.is_written
    assert found == expected


class _WritingAgain(FailingStore):
    """Puts an object after some ranges of it were read."""

    def __init__(self, inner: Store, key: str, data: bytes) -> None:
        super().__init__(inner)
        self._again = (inner, key, data)
        self.is_written = False

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        if self.calls.get("get_range", 0) == 3 and not self.is_written:
            inner, name, data = self._again
            await inner.put(name, data)
            self.is_written = True
        return await super().get_range(key, start, end)


@both_forms
async def test_the_whole_comes_in_order_in_pieces(large: Large) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=large)
    metadata = await load_metadata(shelf.retrieval, "s1", parse_ref(ref).result_id)
    assert b"".join([piece async for piece in whole(shelf.retrieval, "s1", metadata)]) == TEXT.encode()
    small = await load_metadata(shelf.retrieval, "s1", parse_ref(await shelf.keep("small")).result_id)
    assert [piece async for piece in whole(shelf.retrieval, "s1", small)] == [b"small"]


async def test_the_whole_of_a_damaged_one_ends_in_an_error() -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=FORMS[1])
    key = shelf.keys.output("s1", parse_ref(ref).result_id)
    await shelf.store.put(key, (await shelf.store.get(key))[:-1] + b"?")
    metadata = await load_metadata(shelf.retrieval, "s1", parse_ref(ref).result_id)
    with pytest.raises(RequestError, match="checksum"):
        async for _ in whole(shelf.retrieval, "s1", metadata):
            pass


async def test_one_that_is_deleted_meanwhile_is_not_found() -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=FORMS[0])
    await shelf.ok("read", ref=ref)
    for key in (shelf.keys.output, shelf.keys.metadata):
        await shelf.store.delete(key("s1", parse_ref(ref).result_id))
    assert (await shelf.error("read", ref=ref))[0] == "not_found"


@both_forms
async def test_many_readers_at_once_get_what_each_asked_for(large: Large) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=large)
    starts = range(0, 9000, 100)
    pages = await asyncio.gather(*(shelf.ok("read", ref=ref, offset=at, limit=100) for at in starts))
    assert [page["content"] for page in pages] == [TEXT[at : at + 100] for at in starts]
