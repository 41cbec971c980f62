"""What the settings, or AWS's own variables, say of a server of S3."""

import os
from urllib.parse import urlsplit

from coatcheck_core.settings.location import Location
from coatcheck_core.settings.model import StorageSettings
from coatcheck_core.settings.redacting import redact_url
from coatcheck_schemas.errors import StoreRejected

DEFAULT_REGION = "us-east-1"
AMAZON = "https://s3.amazonaws.com"
ENDPOINT_VARIABLES = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")


def region(storage: StorageSettings, location: Location) -> str:
    """The setting, and where it is empty what AWS's own variables say, if those are asked at all."""
    said = "" if location.kind == "endpoint" else _first_of(REGION_VARIABLES)
    return storage.region or said or DEFAULT_REGION


def endpoint(storage: StorageSettings, location: Location) -> str:
    """The server's URL, `http(s)://HOST[:PORT]`. Raises StoreRejected for what is none."""
    name, value = "storage.endpoint", storage.endpoint
    if location.kind == "s3":
        name, value = "AWS_ENDPOINT_URL", _first_of(ENDPOINT_VARIABLES) or AMAZON
    url = urlsplit(value)
    if url.scheme not in ("http", "https") or not url.hostname or url.path not in ("", "/") or "@" in url.netloc:
        raise StoreRejected(f"{name} must be http(s)://HOST:PORT, got {redact_url(value)!r}")
    return value.rstrip("/")


def _first_of(variables: tuple[str, ...]) -> str:
    return next((os.environ[name] for name in variables if os.environ.get(name)), "")
