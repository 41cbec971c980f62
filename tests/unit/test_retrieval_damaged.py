"""What is damaged in storage is never given out: a clear error for who asks, one alarm for who runs it."""

from typing import Any

import pytest
from tests.support.originals import Large, Shelf

from coatcheck_schemas.refs import parse_ref

TEXT = "".join(f"line {n}: Zoë {'漢字' * (n % 7)} {n % 50}\r\n" for n in range(4000))
PLAIN = Large(compression="none", block_bytes=3000)
ZSTD = Large(compression="zstd", block_bytes=3000)
PAGES: list[dict[str, Any]] = [
    {},
    {"offset": -7},
    {"unit": "lines", "offset": -100, "limit": 3, "numbered": True},
    {"unit": "bytes", "offset": 70_000, "limit": 40_000},
]
each_form = pytest.mark.parametrize("form", [None, PLAIN, ZSTD], ids=["small", "plain", "zstd"])


def output(shelf: Shelf, ref: str) -> str:
    return shelf.keys.output("s1", parse_ref(ref).result_id)


def flipped(data: bytes) -> bytes:
    return data[:40] + bytes([data[40] ^ 1]) + data[41:]


def truncated(data: bytes) -> bytes:
    return data[:100]


def emptied(data: bytes) -> bytes:
    return b""


def anothers(data: bytes) -> bytes:
    return data[::-1]


@each_form
@pytest.mark.parametrize("damage", [flipped, truncated, emptied, anothers])
@pytest.mark.parametrize("is_remembered", [True, False], ids=["remembered", "first"])
async def test_a_damaged_object_is_never_given_out_and_raises_one_alarm(
    form: Large | None, damage: Any, is_remembered: bool, caplog: pytest.LogCaptureFixture
) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=form)
    if is_remembered:
        await shelf.ok("read", ref=ref)
    key = output(shelf, ref)
    right = await shelf.store.get(key)
    await shelf.store.put(key, damage(right))
    for times in (1, 2, 3):
        code, message = await shelf.error("read", ref=ref, limit=500)
        assert (code, "checksum" in message, ref in message) == ("internal", True, True)
        assert shelf.retrieval.damage.found == times
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert len(errors) == 1
    assert key in errors[0]
    await shelf.store.put(key, right)
    assert (await shelf.ok("read", ref=ref, offset=99_000, limit=500))["content"] == TEXT[99_000:99_500]


@each_form
async def test_objects_that_changed_places_are_never_given_out(form: Large | None) -> None:
    shelf = Shelf()
    refs = [await shelf.keep(text, large=form, call=f"c{n}") for n, text in enumerate((TEXT, TEXT[::-1]))]
    for ref in refs:
        await shelf.ok("read", ref=ref)
    keys = [output(shelf, ref) for ref in refs]
    first, second = [await shelf.store.get(key) for key in keys]
    await shelf.store.put(keys[0], second)
    await shelf.store.put(keys[1], first)
    for ref in refs:
        for fields in PAGES:
            assert (await shelf.error("read", ref=ref, **fields))[0] == "internal"


async def lost(shelf: Shelf, key: str) -> None:
    await shelf.store.delete(key)


async def cut_off(shelf: Shelf, key: str) -> None:
    await shelf.store.put(key, (await shelf.store.get(key))[:-9])


async def changed(shelf: Shelf, key: str) -> None:
    """A bit of it. In an object the seek table comes after, for other programs."""
    data = await shelf.store.get(key)
    at = len(data) - (60 if key.endswith("/index") else 600)
    await shelf.store.put(key, data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])


async def of_another(shelf: Shelf, key: str) -> None:
    """As long, in the same form, and whole."""
    form = PLAIN if key.endswith("/index") else ZSTD
    stored, written = form.write(TEXT[::-1].encode())
    await shelf.store.put(key, written.index or stored)


@pytest.mark.parametrize("damage", [lost, cut_off, changed, of_another])
@pytest.mark.parametrize("form", [PLAIN, ZSTD], ids=["plain", "zstd"])
async def test_an_index_that_is_damaged_is_an_error_and_one_alarm(
    form: Large, damage: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a compressed original it lies at the object's end."""
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=form)
    rid = parse_ref(ref).result_id
    key = shelf.keys.index("s1", rid) if form == PLAIN else shelf.keys.output("s1", rid)
    await damage(shelf, key)
    for _ in range(3):
        code, message = await shelf.error("read", ref=ref, limit=500)
        assert (code, ref in message) == ("internal", True)
    assert shelf.retrieval.damage.found == 3
    assert sum(record.levelname == "ERROR" for record in caplog.records) == 1


@pytest.mark.parametrize("others", ["a result's", "a session's"])
async def test_metadata_of_another_gives_no_other_content(others: str) -> None:
    shelf = Shelf()
    ref = await shelf.keep("mine")
    session = "s1" if others == "a result's" else "s2"
    other = await shelf.keep("other", session=session)
    body = await shelf.store.get(shelf.keys.metadata(session, parse_ref(other).result_id))
    await shelf.store.put(shelf.keys.metadata("s1", parse_ref(ref).result_id), body)
    assert (await shelf.error("read", ref=ref))[0] == "internal"
    assert shelf.retrieval.damage.found == 1


async def test_metadata_that_is_damaged_is_an_error_and_one_alarm(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT)
    await shelf.store.put(shelf.keys.metadata("s1", parse_ref(ref).result_id), b"{")
    for _ in range(3):
        assert (await shelf.error("read", ref=ref))[0] == "internal"
    assert shelf.retrieval.damage.found == 3
    assert sum(record.levelname == "ERROR" for record in caplog.records) == 1


@each_form
@pytest.mark.parametrize("is_remembered", [True, False], ids=["remembered", "first"])
async def test_an_original_whose_object_is_lost_is_an_error_and_one_alarm(
    form: Large | None, is_remembered: bool, caplog: pytest.LogCaptureFixture
) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=form)
    if is_remembered:
        await shelf.ok("read", ref=ref)
    await lost(shelf, output(shelf, ref))
    for verb, fields in (("read", {"offset": -7}), ("search", {"query": "nowhere"})):
        code, message = await shelf.error(verb, ref=ref, **fields)
        assert (code, "lost" in message, ref in message) == ("internal", True, True)
    assert sum(record.levelname == "ERROR" for record in caplog.records) == 1


@each_form
async def test_a_search_of_a_session_that_lacks_an_original_tells_no_total(form: Large | None) -> None:
    shelf = Shelf()
    ref = await shelf.keep(TEXT, large=form)
    await shelf.keep("line of another", call="call_2")
    await lost(shelf, output(shelf, ref))
    reply = await shelf.ok("search", query="line")
    assert (len(reply["matches"]), reply["total"], reply["has_more"]) == (1, None, False)
