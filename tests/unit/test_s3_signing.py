"""Signatures of listings are those that minio-py makes of the same requests."""

from datetime import UTC, datetime
from urllib.parse import SplitResult, quote

import pytest
from minio.credentials.credentials import Credentials
from minio.signer import sign_v4_s3

from coatcheck_workers.storage.s3_signing import signed_headers

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
NO_BODY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("host", ["127.0.0.1:9000", "s3.eu-central-1.amazonaws.com", "[::1]:9000"])
@pytest.mark.parametrize("start", ["c/v1/sessions/s/results/call_1-", "a=2Eb/c d/ä+%&~", ""])
@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1"])
def test_signature_is_the_library_s(host: str, start: str, region: str) -> None:
    query = f"list-type=2&max-keys=100&prefix={quote(start, safe='')}"
    ours = signed_headers(host, "/bucket.one", query, access_key="key", secret_key="se/cr+et", region=region, now=NOW)
    theirs = sign_v4_s3(
        method="GET",
        url=SplitResult("http", host, "/bucket.one", query, ""),
        region=region,
        headers={"Host": host, "x-amz-content-sha256": NO_BODY, "x-amz-date": "20260304T050607Z"},
        credentials=Credentials("key", "se/cr+et"),
        content_sha256=NO_BODY,
        date=NOW,
    )
    assert ours["authorization"] == theirs["Authorization"]
    assert ours["host"] == host
