"""AWS's Signature Version 4 of a GET of a bucket, without a body: Signature Version 4, "Create a signed request"."""

import hashlib
import hmac
from datetime import datetime

_NO_BODY = hashlib.sha256(b"").hexdigest()
_SIGNED = "host;x-amz-content-sha256;x-amz-date"


def signed_headers(
    host: str, path: str, query: str, *, access_key: str, secret_key: str, region: str, now: datetime
) -> dict[str, str]:
    """The headers of the request. `path` and `query` are encoded, the query's fields in order; `now` is UTC."""
    moment = now.strftime("%Y%m%dT%H%M%SZ")
    day = moment[:8]
    scope = f"{day}/{region}/s3/aws4_request"
    fields = {"host": host, "x-amz-content-sha256": _NO_BODY, "x-amz-date": moment}
    lines = "".join(f"{name}:{value}\n" for name, value in fields.items())
    request = f"GET\n{path}\n{query}\n{lines}\n{_SIGNED}\n{_NO_BODY}"
    text = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = f"AWS4{secret_key}".encode()
    for word in (day, region, "s3", "aws4_request"):
        key = hmac.digest(key, word.encode(), "sha256")
    signature = hmac.new(key, text.encode(), "sha256").hexdigest()
    credential = f"Credential={access_key}/{scope}, SignedHeaders={_SIGNED}, Signature={signature}"
    return fields | {"authorization": f"AWS4-HMAC-SHA256 {credential}"}
