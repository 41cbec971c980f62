"""What obstore has no request for, by minio-py: a copy on a condition, the end of a multipart upload, and a listing by
how keys begin.

Imported when first needed: it takes a quarter of a worker's start, and most workers never need it.
"""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import minio
import minio.error
import urllib3
from minio.commonconfig import ComposeSource, CopySource

from coatcheck_core.settings.location import Location
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import ObjectChanged, ObjectNotFound, StoreError, StoreRejected, StoreUnavailable

from .pace import CONNECT_SECONDS, COPY_PART_BYTES, Pace
from .s3_client import minio_client
from .tls import tls_fault

_MISSING = frozenset({"NoSuchKey", "NoSuchVersion", "NoSuchUpload"})
_DENIED = frozenset({"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch"})
_MALFORMED = (AttributeError, TypeError, ValueError)
"""What minio-py raises for an answer that is not the XML it expects, as a proxy's error page."""


class Administered:
    """The configured bucket, by whole keys. All methods block and raise StoreErrors."""

    def __init__(self, storage: StorageSettings, location: Location, pace: Pace, tls: ssl.SSLContext | None) -> None:
        self._storage = storage
        self._location = location
        self._pace = pace
        self._tls = tls
        self._bucket = location.name
        self._place = f"bucket {location.name!r}"

    def copy(self, source: str, target: str, size: int, version: str) -> None:
        """minio-py compares ETags without their quotes."""
        etag = version.strip('"')
        with self._administering(source, self._pace.copy_seconds(min(size, COPY_PART_BYTES))) as client:
            if size <= COPY_PART_BYTES:
                client.copy_object(self._bucket, target, CopySource(self._bucket, source, match_etag=etag))
                return
            parts = [
                ComposeSource(self._bucket, source, match_etag=etag, offset=at, length=min(COPY_PART_BYTES, size - at))
                for at in range(0, size, COPY_PART_BYTES)
            ]
            client.compose_object(self._bucket, target, parts)

    def abandon(self, key: str) -> None:
        """The two methods are minio-py's own, without a public name; a test holds them."""
        with self._administering(key, self._pace.timeout_seconds) as client:
            after: tuple[str | None, str | None] = (None, None)
            while True:
                page = client._list_multipart_uploads(
                    self._bucket, prefix=key, key_marker=after[0], upload_id_marker=after[1]
                )
                for upload in page.uploads:
                    if upload.object_name == key and upload.upload_id:
                        self._abort(client, key, upload.upload_id)
                following = (page.next_key_marker, page.next_upload_id_marker)
                # Uploads come in the order of their keys, and `key` itself is the first of what begins with it.
                if not page.is_truncated or following == after or following[0] != key:
                    return
                after = following

    def beginning_with(self, start: str, most: int) -> list[str] | None:
        """See `beginnings.ListsBeginnings`; one request."""
        with self._administering(start, self._pace.timeout_seconds) as client:
            found = client.list_objects(self._bucket, prefix=start, recursive=True)
            keys = [one.object_name or "" for one in islice(found, most + 1)]
        return None if len(keys) > most else keys

    def _abort(self, client: minio.Minio, key: str, upload_id: str) -> None:
        try:
            client._abort_multipart_upload(self._bucket, key, upload_id)
        except minio.error.S3Error as error:
            if error.code != "NoSuchUpload":  # somebody else was quicker
                raise

    @contextmanager
    def _administering(self, key: str, seconds: float) -> Iterator[minio.Minio]:
        """A client of its own, whose connections are closed at the end; each of its requests may take so long."""
        pool = urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=min(CONNECT_SECONDS, self._pace.timeout_seconds), read=seconds),
            retries=False,
            ssl_context=self._tls,
        )
        try:
            yield minio_client(self._storage, self._location, pool)
        except (minio.error.MinioException, urllib3.exceptions.HTTPError, *_MALFORMED) as error:
            raise _translated(self._place, key, error) from error
        finally:
            pool.clear()


def _translated(place: str, key: str, error: Exception) -> StoreError:
    code = error.code if isinstance(error, minio.error.S3Error) else None
    if code == "PreconditionFailed":
        return ObjectChanged(f"{key} is no longer the version that was read")
    if code in _MISSING:
        return ObjectNotFound(key)
    if code == "NoSuchBucket":
        return StoreRejected(f"{place} is missing: run `coatcheck provision`")
    if code in _DENIED or any(f"Response code: {status}" in str(error) for status in (401, 403)):
        return StoreRejected(f"object storage denies access to {place} ({code or 'by its status'}): check the keys")
    if fault := tls_fault(error):
        return StoreRejected(fault)
    return StoreUnavailable(f"object storage does not answer: {str(error)[:300] or type(error).__name__}")
