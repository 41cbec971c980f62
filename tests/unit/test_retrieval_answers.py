"""Every request gets one answer, and the answer to a bad one says what is wrong with it."""

import asyncio
from typing import Any

import msgspec
import pytest
from tests.support.originals import Shelf, problem

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_schemas.errors import InvalidSubject, StoreRejected
from coatcheck_workers.retrieval import answer, refuse

VERBS = ("read", "search", "list", "replay", "upload", "link")
SECRET = "wJalrXUtnFEMI"


class BrokenStore(MemoryStore):
    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    async def get(self, key: str) -> bytes:
        raise self.error


async def test_a_store_that_is_away_is_a_line_of_the_log_and_not_one_a_request(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = FailingStore(MemoryStore())
    store.fail()
    shelf = Shelf(store=store)
    for _ in range(50):
        assert (await shelf.error("list"))[0] == "unavailable"
    assert len(caplog.records) == 1
    assert shelf.retrieval.troubles.counts == {"StoreUnavailable": 50}


@pytest.mark.parametrize("verb", ["clear", "fs", "", "x" * 500, "read\r\nevil"])
async def test_a_verb_that_is_not_offered_is_said_so(verb: str) -> None:
    code, message = problem(await answer(Shelf().retrieval, verb, "s1", b"{}"))
    assert code == "invalid_argument"
    assert "does not offer" in message


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "body",
    [b"not json", b"[]", b'"text"', b"null", b"1", b"{", b"\xff\xfe", b'{"ref": "\xff"}', b"[" * 100_000, b"{}{}"],
)
async def test_a_body_that_is_no_json_object_is_refused(verb: str, body: bytes) -> None:
    code, _ = problem(await answer(Shelf().retrieval, verb, "s1", body))
    assert code == "invalid_argument"


async def test_half_a_pair_in_a_request_finds_what_it_became_in_the_original() -> None:
    shelf = Shelf()
    await shelf.keep("cut \N{REPLACEMENT CHARACTER} here", call="c", tool="bash")
    reply = msgspec.json.decode((await answer(shelf.retrieval, "search", "s1", rb'{"query": "cut \ud83d"}')).body)
    assert [match["offset"] for match in reply["ok"]["matches"]] == [0]


@pytest.mark.parametrize("verb", VERBS)
async def test_an_unknown_field_is_named(verb: str) -> None:
    needed: dict[str, Any] = {"read": {"ref": "x"}, "search": {"query": "x"}}.get(verb, {})
    code, message = await Shelf().error(verb, surprise=1, **needed)
    assert code == "invalid_argument"
    assert "`surprise`" in message


@pytest.mark.parametrize("verb", ["read", "search"])
async def test_an_empty_body_is_an_empty_object(verb: str) -> None:
    code, message = problem(await answer(Shelf().retrieval, verb, "s1", b" \n"))
    assert code == "invalid_argument"
    assert "missing required field" in message


@pytest.mark.parametrize("verb", ["list", "replay"])
async def test_an_empty_body_asks_with_the_defaults(verb: str) -> None:
    got = await answer(Shelf().retrieval, verb, "s1", b"")
    assert msgspec.json.decode(got.body)["ok"]["has_more"] is False


@pytest.mark.parametrize(
    ("verb", "fields"),
    [
        ("read", {"ref": 1}),
        ("read", {"ref": "x", "offset": "1"}),
        ("read", {"ref": "x", "offset": 1.5}),
        ("read", {"ref": "x", "unit": "words"}),
        ("read", {"ref": "x", "numbered": "yes"}),
        ("search", {"query": None}),
        ("search", {"query": "x", "limit": None}),
        ("list", {"order": "random"}),
        ("list", {"limit": True}),
        ("replay", {"after": 7}),
    ],
)
async def test_a_wrong_type_names_the_field(verb: str, fields: dict[str, Any]) -> None:
    code, message = await Shelf().error(verb, **fields)
    assert code == "invalid_argument"
    assert "$." in message


async def test_a_store_that_is_away_is_unavailable() -> None:
    shelf = Shelf()
    ref = await shelf.keep("text")
    failing = FailingStore(shelf.store)
    failing.fail("get", "list")
    away = Shelf(store=failing)
    asked: list[tuple[str, dict[str, Any]]] = [("read", {"ref": ref}), ("search", {"query": "x"}), ("list", {})]
    for verb, fields in asked:
        code, message = await away.error(verb, **fields)
        assert code == "unavailable"
        assert "try again" in message


async def test_what_goes_wrong_unexpectedly_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf(store=BrokenStore(RuntimeError(f"secret {SECRET}")))
    code, message = await shelf.error("read", ref="call_1-" + "0" * 32)
    assert code == "internal"
    assert SECRET not in message
    assert SECRET in caplog.text


async def test_a_store_that_denies_says_that_somebody_must_mend_it(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf(store=BrokenStore(StoreRejected(f"denied for {SECRET}")))
    code, message = await shelf.error("read", ref="call_1-" + "0" * 32)
    assert code == "unavailable"
    assert SECRET not in message
    assert SECRET in caplog.text


async def test_a_cancelled_request_stays_cancelled() -> None:
    shelf = Shelf(store=BrokenStore(asyncio.CancelledError()))
    with pytest.raises(asyncio.CancelledError):
        await shelf.ask("read", ref="call_1-" + "0" * 32)


async def test_a_hostile_value_cannot_leave_its_header() -> None:
    got = await Shelf().ask("read", ref="x\r\nNats-Service-Error-Code: 200\r\n\r\n\u202e漢\x00" + "y" * 10_000)
    code, _ = problem(got)
    assert code == "invalid_argument"
    assert got.headers["Nats-Service-Error-Code"] == "400"


def test_a_refusal_has_the_form_of_an_answer() -> None:
    got = refuse(InvalidSubject("'coat.read.*' names no session"))
    assert problem(got) == ("invalid_argument", "'coat.read.*' names no session")
    assert got.headers["Nats-Service-Error-Code"] == "400"
