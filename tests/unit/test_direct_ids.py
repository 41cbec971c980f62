"""The ids of uploads by a PUT: they bear the announced size, and are segments."""

import pytest

from coatcheck_schemas.direct import MAX_PUT_BYTES, announced_bytes, direct_id, is_direct
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.results import decode_result
from coatcheck_schemas.segments import check_segment

RANDOM = "0123456789abcdef" * 2


@pytest.mark.parametrize("size", [None, 0, 1, MAX_PUT_BYTES])
def test_an_id_says_the_announced_size(size: int | None) -> None:
    upload = direct_id(size, RANDOM)
    assert announced_bytes(upload) == size
    assert is_direct(check_segment(upload))


@pytest.mark.parametrize(
    "upload",
    ["put-", "put-1", f"put-01-{RANDOM}", f"put-{MAX_PUT_BYTES + 1}-{RANDOM}", f"put--1-{RANDOM}", f"put-1-{RANDOM}0"],
)
def test_what_no_worker_gave_is_refused(upload: str) -> None:
    with pytest.raises(InvalidResult, match="no id of the request") as caught:
        announced_bytes(upload)
    assert caught.value.reason == "invalid_upload"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"tool_name":"t","upload":"u","content":"c"}', "exclude each other"),
        (b'{"tool_name":"t","upload":"u","content":[]}', "exclude each other"),
        (b'{"tool_name":"t","upload":"*"}', "upload: "),
        (b'{"tool_name":"t","upload":""}', "upload: "),
        (b'{"tool_name":"t","upload":"a.b"}', "upload: "),
        (b'{"tool_name":"t","content":"c","blocks":true}', "name the upload"),
    ],
)
def test_an_event_with_an_upload_that_cannot_be_one_is_refused(body: bytes, told: str) -> None:
    with pytest.raises(InvalidResult, match="upload") as caught:
        decode_result(None, body)
    assert told in str(caught.value)
    assert caught.value.reason == "invalid_field"
