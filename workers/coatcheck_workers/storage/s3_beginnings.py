"""S3's listing by the beginning of keys, which obstore asks for by whole folders only.

Where a server does not answer it as it should it is left alone for a while: whoever asks has another way.
"""

import asyncio
import logging
import ssl
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from urllib.parse import quote, urlsplit
from urllib.request import getproxies

from lxml import etree

from coatcheck_core.settings.location import Location
from coatcheck_core.settings.model import StorageSettings

from .http_get import HttpGet, Refused
from .pace import CONNECT_SECONDS
from .s3_endpoint import endpoint, region
from .s3_signing import signed_headers
from .secret import secret_key

log = logging.getLogger("coatcheck.storage")

AGAIN_SECONDS = 30.0
_PORTS = {"http": 80, "https": 443}
_WRONG = (OSError, TimeoutError, Refused, etree.XMLSyntaxError, ValueError)
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)


class S3Beginnings:
    """The keys of a bucket; `path` is what all of them begin with there.

    `headers` signs a request of a path and a query, both encoded.
    """

    def __init__(self, get: HttpGet, headers: Callable[[str, str], dict[str, str]], bucket: str, path: str) -> None:
        self._get = get
        self._headers = headers
        self._bucket = f"/{quote(bucket)}"
        self._path = f"{path}/" if path else ""
        self._again_at = 0.0

    async def beginning_with(self, start: str, most: int) -> Sequence[str] | None:
        """See `beginnings.ListsBeginnings`."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._again_at:
            return None
        query = f"list-type=2&max-keys={most}&prefix={quote(self._path + start, safe='')}"
        try:
            keys = _keys(await self._get.get(f"{self._bucket}?{query}", self._headers(self._bucket, query)))
        except _WRONG as error:
            self._again_at = loop.time() + AGAIN_SECONDS
            why = str(error)[:300] or type(error).__name__
            log.info("keys are not listed by their beginning for %d s: %s", AGAIN_SECONDS, why)
            return None
        return None if keys is None else [key.removeprefix(self._path) for key in keys]

    def close(self) -> None:
        self._get.close()


def s3_beginnings(storage: StorageSettings, location: Location, tls: ssl.SSLContext | None) -> S3Beginnings | None:
    """Nothing is connected yet. None where the keys are not those of the settings, or the way leads over a proxy."""
    url = urlsplit(endpoint(storage, location))
    if not storage.access_key or url.hostname is None or getproxies():
        return None
    is_secure = url.scheme == "https"
    seconds = min(CONNECT_SECONDS, storage.timeout_seconds)
    get = HttpGet(
        url.hostname,
        url.port or _PORTS[url.scheme],
        (tls or ssl.create_default_context()) if is_secure else None,
        seconds,
    )
    sign = partial(
        signed_headers,
        url.netloc,
        access_key=storage.access_key,
        secret_key=secret_key(storage),
        region=region(storage, location),
    )
    return S3Beginnings(get, lambda path, query: sign(path, query, now=datetime.now(UTC)), location.name, location.path)


def _keys(body: bytes) -> list[str] | None:
    """Of a page; None where there are more. Raises ValueError for what is no page."""
    page = etree.fromstring(body, _PARSER)
    if etree.QName(page).localname != "ListBucketResult":
        raise ValueError(f"{etree.QName(page).localname} is no ListBucketResult")
    if page.findtext("{*}IsTruncated") == "true":
        return None
    return [one.findtext("{*}Key") or "" for one in page.iterfind("{*}Contents")]
