"""The bucket of the originals, by minio-py: it administers, obstore moves the objects."""

import asyncio
import base64
import hashlib
import logging
from collections.abc import Callable
from typing import TypeVar
from xml.etree.ElementTree import ParseError

import minio
import minio.error
import urllib3

from coatcheck_core.settings.location import locate
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreRejected, StoreUnavailable

from ..storage.pace import CONNECT_SECONDS
from ..storage.s3_client import minio_client
from ..storage.s3_endpoint import endpoint
from ..storage.tls import tls_context, tls_fault
from .lifecycle import has_rule, with_rule

log = logging.getLogger("coatcheck.provision")

DENIED = frozenset({"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch"})
OURS_ALREADY = frozenset({"BucketAlreadyOwnedByYou", "BucketAlreadyExists"})

_NO_RULES = "NoSuchLifecycleConfiguration"
_NO_LIFECYCLE = frozenset({"NotImplemented", "MethodNotAllowed"})

T = TypeVar("T")


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
            ssl_context=tls_context(storage),
        )
        self._client = minio_client(storage, location, self._pool)

    async def exists(self) -> bool:
        return await asyncio.to_thread(self._exists)

    async def create(self) -> None:
        """Make it; no error where somebody else was quicker."""
        await asyncio.to_thread(self._create)

    async def passes(self, prefix: str, days: int | None) -> bool:
        """Whether what lies below the prefix goes after so many days by a rule of the bucket, or, where `days` is None,
        stays; true where it can have none.
        """
        return await asyncio.to_thread(self._asked, lambda: has_rule(self._rules(), prefix, days), True)

    async def let_pass(self, prefix: str, days: int | None) -> None:
        """Give the bucket that rule, or take it away; all others stay as they are."""
        await asyncio.to_thread(self._asked, lambda: self._let_pass(prefix, days), None)

    def _let_pass(self, prefix: str, days: int | None) -> None:
        body = with_rule(self._rules(), prefix, days)
        digest = base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
        headers: dict[str, str | list[str] | tuple[str]] = {"Content-MD5": digest}
        self._client._execute("PUT", self.name, body=body, headers=headers, query_params={"lifecycle": ""})

    def _rules(self) -> bytes | None:
        """minio-py's own two methods go by classes of rules; this is what they send."""
        try:
            return bytes(self._client._execute("GET", self.name, query_params={"lifecycle": ""}).data)
        except minio.error.S3Error as error:
            if error.code == _NO_RULES:
                return None
            raise

    def _asked(self, ask: Callable[[], T], otherwise: T) -> T:
        try:
            return ask()
        except ParseError as error:
            raise StoreUnavailable(f"the lifecycle of bucket {self.name!r} cannot be read: {error}") from error
        except (minio.error.MinioException, urllib3.exceptions.HTTPError) as error:
            if isinstance(error, minio.error.S3Error) and error.code in _NO_LIFECYCLE:
                log.warning(
                    "%s has no lifecycle rules: clear what passes through or expires yourself",
                    self._endpoint,
                )
                return otherwise
            raise self._translated(error) from error
        finally:
            self._pool.clear()

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
        if (
            self._endpoint.startswith("http://")
            and isinstance(error, minio.error.S3Error)
            and error.code == "BadRequest"
        ):
            # A request of a bucket's head has no body that could tell.
            return StoreRejected(
                f"{self._endpoint} refuses the request (400): if it speaks TLS, write https:// in storage.endpoint"
            )
        if fault := tls_fault(error):
            return StoreRejected(f"{fault} (at {self._endpoint})")
        return StoreUnavailable(f"object storage at {self._endpoint} does not answer: {str(error)[:300]}")
