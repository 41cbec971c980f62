"""`read` over a store."""

import random
from base64 import b64decode

import msgspec
import pytest
from tests.support.originals import Shelf

from coatcheck_schemas.events import Part
from coatcheck_schemas.refs import Ref, parse_ref
from coatcheck_workers.retrieval import answer


async def test_a_page_has_every_field() -> None:
    shelf = Shelf()
    ref = await shelf.keep("ab\nc漢")
    assert await shelf.ok("read", ref=ref, offset=1, limit=2) == {
        "content": "b\n",
        "offset": 1,
        "limit": 2,
        "unit": "chars",
        "parts": None,
        "total_chars": 5,
        "total_lines": 2,
        "total_bytes": 7,
        "has_more": True,
        "next": {"unit": "chars", "offset": 3},
        "metadata": None,
        "total_parts": None,
    }


async def test_the_default_limits_are_by_unit() -> None:
    shelf = Shelf()
    ref = await shelf.keep("ab\n" * 10_000)
    limits = {unit: (await shelf.ok("read", ref=ref, unit=unit))["limit"] for unit in ("chars", "lines", "bytes")}
    assert limits == {"chars": 20_000, "lines": 200, "bytes": 20_000}


async def test_metadata_comes_where_it_is_asked_for() -> None:
    shelf = Shelf()
    ref = await shelf.keep("text", tool="grep")
    page = await shelf.ok("read", ref=ref, metadata=True)
    assert (page["metadata"]["tool_name"], page["metadata"]["ref"]) == ("grep", ref)


async def test_a_bare_result_id_and_a_copied_ref_are_read() -> None:
    shelf = Shelf()
    ref = await shelf.keep("text")
    for form in (parse_ref(ref).result_id, f' "{ref}". ', f"`{ref}`"):
        assert (await shelf.ok("read", ref=form))["content"] == "text"


@pytest.mark.parametrize(
    "ref", ["", "x", "coat://", "coat://s1", "coat://s1/x/y/z", "coat://*/a-" + "0" * 32, "../../etc"]
)
async def test_a_malformed_ref_is_refused(ref: str) -> None:
    code, _ = await Shelf().error("read", ref=ref)
    assert code == "invalid_argument"


async def test_a_ref_of_another_session_is_not_found_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf()
    ref = await shelf.keep("theirs", session="s2")
    for verb, fields in (("read", {}), ("search", {"query": "theirs"})):
        code, message = await shelf.error(verb, ref=ref, **fields)
        assert code == "not_found"
        assert "theirs" not in message
    assert caplog.text.count("refused") == 1
    assert shelf.retrieval.troubles.counts == {"ref of another session": 2}


async def test_a_bare_result_id_is_the_asking_sessions() -> None:
    shelf = Shelf()
    ref = await shelf.keep("theirs", session="s2")
    code, _ = await shelf.error("read", ref=parse_ref(ref).result_id)
    assert code == "not_found"


async def test_what_never_was_is_not_found() -> None:
    code, message = await Shelf().error("read", ref="coat://s1/call_1-" + "0" * 32)
    assert code == "not_found"
    assert "call_1-" in message


@pytest.mark.parametrize("limit", [0, -2, -(10**30), 2**53])
async def test_a_limit_that_means_nothing_is_refused(limit: int) -> None:
    shelf = Shelf()
    ref = await shelf.keep("text")
    body = b'{"ref":"%s","limit":%d}' % (ref.encode(), limit)
    error = msgspec.json.decode(await raw(shelf, body))["error"]
    assert (error["code"], f"between 1 and {2**53 - 1}, or be -1" in error["message"]) == ("invalid_argument", True)


async def raw(shelf: Shelf, body: bytes) -> bytes:
    return (await answer(shelf.retrieval, "read", "s1", body)).body


@pytest.mark.parametrize("offset", [2**53, -(2**53), 10**40])
async def test_an_offset_that_no_json_number_holds_is_refused(offset: int) -> None:
    shelf = Shelf()
    ref = await shelf.keep("text")
    got = msgspec.json.decode(await raw(shelf, b'{"ref":"%s","offset":%d}' % (ref.encode(), offset)))
    assert got["error"]["code"] == "invalid_argument"


async def test_a_read_beyond_the_end_is_empty() -> None:
    shelf = Shelf()
    ref = await shelf.keep("text")
    page = await shelf.ok("read", ref=ref, offset=2**53 - 1)
    assert (page["content"], page["has_more"], page["next"], page["total_chars"]) == ("", False, None, 4)


@pytest.mark.parametrize("unit", ["chars", "bytes"])
async def test_only_lines_have_numbers(unit: str) -> None:
    shelf = Shelf()
    ref = await shelf.keep("a\nb\n")
    code, message = await shelf.error("read", ref=ref, unit=unit, numbered=True)
    assert code == "invalid_argument"
    assert "unit=lines" in message
    assert (await shelf.ok("read", ref=ref, unit="lines", numbered=True))["content"] == "     1\ta\n     2\tb\n"


async def test_an_empty_original_is_read() -> None:
    shelf = Shelf()
    page = await shelf.ok("read", ref=await shelf.keep(""))
    assert (page["content"], page["total_lines"], page["has_more"]) == ("", 0, False)


async def test_what_is_not_text_is_read_in_bytes() -> None:
    shelf = Shelf()
    ref = await shelf.keep(b"\xff\x00\xfe", kind="unknown")
    for unit in ("chars", "lines"):
        code, message = await shelf.error("read", ref=ref, unit=unit)
        assert code == "invalid_argument"
        assert "unit=bytes" in message
    page = await shelf.ok("read", ref=ref, unit="bytes")
    assert b64decode(page["content"]) == b"\xff\x00\xfe"
    assert (page["total_chars"], page["total_lines"], page["total_bytes"]) == (None, None, 3)


async def test_a_damaged_original_is_never_given_out(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf()
    ref = await shelf.keep("right " * 100_000)
    await shelf.store.put(shelf.keys.output("s1", parse_ref(ref).result_id), b"wrong")
    code, message = await shelf.error("read", ref=ref)
    assert code == "internal"
    assert "checksum" in message
    assert "sha256" in caplog.text


async def test_damaged_metadata_is_an_error_of_ours() -> None:
    shelf = Shelf()
    ref = await shelf.keep("text")
    await shelf.store.put(shelf.keys.metadata("s1", parse_ref(ref).result_id), b'{"ref": 1}')
    assert (await shelf.error("read", ref=ref))[0] == "internal"


async def test_a_part_is_its_own_bytes() -> None:
    shelf = Shelf()
    rid = parse_ref(await shelf.keep("text")).result_id
    ref = f"coat://s1/{rid}"
    parts = [
        Part(index=0, type="text", start=0, end=4),
        Part(index=1, type="image", ref=f"{ref}/1", mime_type="image/png", bytes=4),
        Part(index=2, type="resource", ref=f"{ref}/2", bytes=3),
        Part(index=3, type="resource_link"),
    ]
    await shelf.keep("text", parts=parts, bodies={1: b"\x89PNG", 2: "漢".encode()})
    assert (await shelf.ok("read", ref=ref))["parts"] == msgspec.to_builtins(parts)
    assert b64decode((await shelf.ok("read", ref=f"{ref}/1", unit="bytes"))["content"]) == b"\x89PNG"
    assert (await shelf.error("read", ref=f"{ref}/1"))[0] == "invalid_argument"
    page = await shelf.ok("read", ref=f"{ref}/2")
    assert (page["content"], page["total_chars"], page["total_bytes"], page["parts"]) == ("漢", 1, 3, None)
    assert (await shelf.ok("read", ref=f"{ref}/0", offset=1))["content"] == "ext"
    for missing in (3, 4, 999_999):
        assert (await shelf.error("read", ref=f"{ref}/{missing}"))[0] == "not_found"


async def test_a_part_of_another_size_is_never_given_out() -> None:
    shelf = Shelf()
    rid = parse_ref(await shelf.keep("text")).result_id
    ref = str(Ref("s1", rid, 0))
    await shelf.keep("text", parts=[Part(index=0, type="image", ref=ref, bytes=9)], bodies={0: b"short"})
    assert (await shelf.error("read", ref=ref, unit="bytes"))[0] == "internal"


@pytest.mark.parametrize("unit", ["chars", "lines"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\x01" * 400_000, id="control characters"),
        pytest.param('"\\' * 600_000, id="quotes"),
        pytest.param("\n" * 800_000, id="newlines"),
        pytest.param("\U0001f600漢é\x7f" * 200_000, id="wide"),
        pytest.param(("x" * 30_000 + "\r\n") * 60, id="long lines"),
    ],
)
async def test_pages_to_the_end_fit_one_message_and_join(text: str, unit: str) -> None:
    shelf = Shelf()
    ref = await shelf.keep(text)
    assert await shelf.read_all(ref, unit=unit, limit=-1) == text


async def test_a_message_that_is_just_filled_is_not_overfilled() -> None:
    """Every size of message around the size of the reply: the reply is whole, or it is cut and says so."""
    text = "".join(random.Random(7).choices("a\x00\n漢\U0001f600\\", k=800))
    whole = len((await (shelf := Shelf()).ask("read", ref=await shelf.keep(text), limit=800)).body)
    for size in range(whole - 40, whole + 120):
        shelf = Shelf(max_reply_bytes=size)
        assert await shelf.read_all(await shelf.keep(text), limit=800) == text


async def test_many_parts_leave_room_to_read() -> None:
    shelf = Shelf()
    parts = [Part(index=i, type="text", start=i, end=i + 1) for i in range(20_000)]
    ref = await shelf.keep("x" * 20_000, parts=parts)
    page = await shelf.ok("read", ref=ref)
    assert page["content"] == "x" * 20_000
    assert 0 < len(page["parts"]) < 20_000
    assert page["total_parts"] == 20_000
    page = await shelf.ok("read", ref=ref, metadata=True)
    assert page["content"] == "x" * 20_000
    assert 0 < len(page["metadata"]["parts"]) < 20_000
    assert page["metadata"]["total_parts"] == 20_000
