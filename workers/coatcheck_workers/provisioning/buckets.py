"""The bucket of the originals, by minio-py: it administers, obstore moves the objects."""

import asyncio

import minio
import minio.error
import urllib3

from coatcheck_core.settings.location import locate
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreRejected, StoreUnavailable

from ..storage.s3_client import endpoint, minio_client

CONNECT_SECONDS = 2.0
DENIED = frozenset({"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch"})
OURS_ALREADY = frozenset({"BucketAlreadyOwnedByYou", "BucketAlreadyExists"})


class Bucket:
    """The configured bucket. Every request is made in a thread and bounded in time.

    Raises StoreRejected where the endpoint or the keys are wrong, StoreUnavailable where a later try may go through.
    """

    def __init__(self, storage: StorageSettings) -> None:
        location = locate(storage)
        self.name = location.name
        self._endpoint = endpoint(storage, location)
        self._pool = urllib3.PoolManager(
            timeout=urllib3.Timeout(
                connect=min(CONNECT_SECONDS, storage.timeout_seconds), read=storage.timeout_seconds
            ),
            retries=urllib3.Retry(total=1, backoff_factor=0.2),
        )
        self._client = minio_client(storage, location, self._pool)

    async def exists(self) -> bool:
        return await asyncio.to_thread(self._exists)

    async def create(self) -> None:
        """Make it; no error where somebody else was quicker."""
        await asyncio.to_thread(self._create)

    def _exists(self) -> bool:
        try:
            return bool(self._client.bucket_exists(self.name))
        except (minio.error.MinioException, urllib3.exceptions.HTTPError) as error:
            raise self._translated(error) from error
        finally:
            self._pool.clear()

    def _create(self) -> None:
        try:
            self._client.make_bucket(self.name)
        except minio.error.S3Error as error:
            if error.code not in OURS_ALREADY:
                raise self._translated(error) from error
        except (minio.error.MinioException, urllib3.exceptions.HTTPError) as error:
            raise self._translated(error) from error
        finally:
            self._pool.clear()

    def _translated(self, error: Exception) -> StoreRejected | StoreUnavailable:
        if isinstance(error, minio.error.S3Error) and error.code in DENIED:
            return StoreRejected(
                f"{self._endpoint} denies access to bucket {self.name!r} ({error.code}): check the keys"
            )
        return StoreUnavailable(f"object storage at {self._endpoint} does not answer: {str(error)[:300]}")
