"""What a request looks like on the wire, and what is made of any answer."""

import msgspec
import pytest

from coatcheck.client.asking import _decode, encode_request
from coatcheck_schemas.errors import Code, InvalidInput, RequestError
from coatcheck_schemas.filesystem import WriteRequest
from coatcheck_schemas.requests import ListReply, ReadRequest, SearchRequest


def test_a_request_says_only_what_differs_from_its_defaults() -> None:
    assert msgspec.json.decode(encode_request(ReadRequest(ref="r"))) == {"ref": "r"}
    request = ReadRequest(ref="r", offset=-5, limit=0, unit="lines", numbered=True)
    assert msgspec.json.decode(encode_request(request)) == {
        "ref": "r",
        "offset": -5,
        "limit": 0,
        "unit": "lines",
        "numbered": True,
    }


def test_a_lone_surrogate_in_a_request_is_refused() -> None:
    with pytest.raises(InvalidInput, match="surrogate"):
        encode_request(SearchRequest(query="\ud800"))


@pytest.mark.parametrize(
    "request_",
    [SearchRequest(query=b"q"), WriteRequest(path="a", content=bytearray(b"\xff"))],  # type: ignore[arg-type]
)
def test_bytes_for_a_text_are_refused_and_not_sent_as_base64(request_: msgspec.Struct) -> None:
    with pytest.raises(InvalidInput, match="is a text, not byte"):
        encode_request(request_)


def test_an_error_reply_is_raised_with_all_it_says() -> None:
    details = {"code": 1, "message": 2, "self": 3}
    body = msgspec.json.encode({"error": {"code": "gone", "message": "deleted", "details": details}})
    with pytest.raises(RequestError, match="deleted") as caught:
        _decode(body, ListReply, "s")
    assert (caught.value.code, caught.value.details) == (Code.GONE, details)


def test_an_unknown_field_of_a_newer_worker_is_passed_over() -> None:
    body = b'{"ok": {"tool_results": [], "has_more": false, "cursor": null, "newer": 1}, "newer": 2}'
    assert _decode(body, ListReply, "s") == ListReply(tool_results=[], has_more=False, cursor=None)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"null",
        b"[]",
        b"+OK",
        b"\xff",
        b'{"ok": 1}',
        b'{"ok": {}}',
        b'{"error": {"code": "odd", "message": ""}}',
        b'{"ok":' + b"[" * 100_000,
    ],
    ids=lambda body: repr(body[:20]),
)
def test_an_answer_that_is_none_of_ours_is_an_error_of_its_own(body: bytes) -> None:
    with pytest.raises(RequestError, match="none of ours") as caught:
        _decode(body, ListReply, "s")
    assert caught.value.code is Code.INTERNAL
