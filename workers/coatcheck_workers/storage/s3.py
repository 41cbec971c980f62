"""Originals in a bucket of S3, or of a server that speaks it.

obstore has no condition on a copy, does not list multipart uploads, and lists whole folders alone: those three go
through minio-py, which blocks, so each has a thread.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from obstore.store import S3Store

from .backends import Method, signed
from .threads import in_thread

if TYPE_CHECKING:
    from .s3_administered import Administered


class S3Bucket:
    """One bucket; `path` is what all keys begin with there.

    `signer` is obstore's client under the name by which agents know the server; `administer`, called in a thread, gives
    the bucket by minio-py.
    """

    sorts_listings = True

    def __init__(self, signer: S3Store, administer: "Callable[[], Administered]", bucket: str, path: str = "") -> None:
        self.place = f"bucket {bucket!r}"
        self._signer = signer
        self._administer = administer
        self._bucket = bucket
        self._path = path

    async def check(self) -> None:
        """A listing proves all."""

    def uri(self, key: str) -> str:
        return f"s3://{self._bucket}/{self._full(key)}"

    async def presign(self, method: Method, key: str, expires_seconds: int) -> str:
        return await signed(self._signer, self.place, method, key, expires_seconds)

    async def copy(self, source: str, target: str, size: int, version: str) -> None:
        await in_thread(lambda: self._administer().copy(self._full(source), self._full(target), size, version))

    async def beginning_with(self, start: str, most: int) -> Sequence[str] | None:
        begin = len(self._full(""))
        keys = await in_thread(lambda: self._administer().beginning_with(self._full(start), most))
        return None if keys is None else [key[begin:] for key in keys]

    async def abandon(self, key: str) -> None:
        await in_thread(lambda: self._administer().abandon(self._full(key)))

    def _full(self, key: str) -> str:
        return f"{self._path}/{key}" if self._path else key
