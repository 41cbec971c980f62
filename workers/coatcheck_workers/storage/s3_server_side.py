"""What an S3 server does by itself, by minio-py: conditional copies, and taking back what an upload has left.

obstore has no condition on a copy, and does not list multipart uploads; minio-py blocks, so each call has a thread.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

import minio
import minio.error
import urllib3
from minio.commonconfig import ComposeSource, CopySource

from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import ObjectChanged, ObjectNotFound, StoreError, StoreRejected, StoreUnavailable

WHOLE_COPY_BYTES = 1024**3
"""A larger object is copied in parts: one copy of S3 ends at 5 GiB, and takes as long as it is large."""
PART_BYTES = 512 * 1024**2
COPY_SECONDS = 60.0
"""For the slowest server that copies 10 MB a second, and a part."""
_MISSING = ("NoSuchKey", "NoSuchVersion", "NoSuchUpload")
_DENIED = ("AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch")

T = TypeVar("T")


class ServerSide:
    """One bucket's copies and multipart uploads. Raises the StoreErrors."""

    def __init__(self, storage: StorageSettings, secret_key: str) -> None:
        url = urlsplit(storage.endpoint)
        self._bucket = storage.bucket
        timeout = urllib3.Timeout(connect=min(2.0, storage.timeout_seconds), read=COPY_SECONDS)
        self._client = minio.Minio(
            url.netloc,
            storage.access_key or None,
            secret_key or None,
            secure=url.scheme == "https",
            region=storage.region,
            http_client=urllib3.PoolManager(timeout=timeout, retries=urllib3.Retry(total=1, backoff_factor=0.2)),
        )

    async def copy(self, source: str, target: str, size: int, version: str | None) -> None:
        """Raises ObjectChanged where the source is no longer of that version, and then leaves the target as it was."""
        await self._run(source, lambda: self._copy(source, target, size, version))

    async def abandon(self, key: str) -> None:
        await self._run(key, lambda: self._abandon(key))

    def _copy(self, source: str, target: str, size: int, version: str | None) -> None:
        etag = None if version is None else version.strip('"')
        if size <= WHOLE_COPY_BYTES:
            self._client.copy_object(self._bucket, target, CopySource(self._bucket, source, match_etag=etag))
            return
        parts = [
            ComposeSource(self._bucket, source, match_etag=etag, offset=start, length=min(PART_BYTES, size - start))
            for start in range(0, size, PART_BYTES)
        ]
        self._client.compose_object(self._bucket, target, parts)

    def _abandon(self, key: str) -> None:
        """The two methods are minio-py's own, without a public name; a test holds them."""
        for upload in self._client._list_multipart_uploads(self._bucket, prefix=key).uploads:
            if upload.object_name == key and upload.upload_id is not None:
                self._client._abort_multipart_upload(self._bucket, key, upload.upload_id)

    async def _run(self, key: str, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except (minio.error.MinioException, urllib3.exceptions.HTTPError, ValueError) as error:
            raise _translated(key, error) from error


def _translated(key: str, error: Exception) -> StoreError:
    code = error.code if isinstance(error, minio.error.S3Error) else None
    if code == "PreconditionFailed":
        return ObjectChanged(f"{key} is no longer the version that was read")
    if code in _MISSING:
        return ObjectNotFound(key)
    if code in _DENIED:
        return StoreRejected(f"object storage denies access ({code}): check the keys")
    return StoreUnavailable(f"object storage does not answer: {str(error)[:300]}")
