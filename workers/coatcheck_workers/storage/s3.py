"""Originals in a bucket of S3, or of a server that speaks it.

obstore has no condition on a copy and does not list multipart uploads: those two go through minio-py, which blocks, so
each has a thread.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from obstore.store import S3Store

from .backends import Method, signed
from .threads import in_thread

if TYPE_CHECKING:
    from .s3_administered import Administered
    from .s3_beginnings import S3Beginnings


class S3Bucket:
    """One bucket; `path` is what all keys begin with there.

    `signer` is obstore's client under the name by which agents know the server; `administer`, called in a thread, gives
    the bucket by minio-py. `beginnings` gives what lists keys so, once; None where that cannot be.
    """

    sorts_listings = True

    def __init__(
        self,
        signer: S3Store,
        administer: "Callable[[], Administered]",
        beginnings: "Callable[[], S3Beginnings | None]",
        bucket: str,
        path: str = "",
    ) -> None:
        self.place = f"bucket {bucket!r}"
        self._signer = signer
        self._administer = administer
        self._make_beginnings = beginnings
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
        beginnings = self._beginnings
        return None if beginnings is None else await beginnings.beginning_with(start, most)

    def close(self) -> None:
        if "_beginnings" in self.__dict__ and self._beginnings is not None:
            self._beginnings.close()

    @cached_property
    def _beginnings(self) -> "S3Beginnings | None":
        return self._make_beginnings()

    async def abandon(self, key: str) -> None:
        await in_thread(lambda: self._administer().abandon(self._full(key)))

    def _full(self, key: str) -> str:
        return f"{self._path}/{key}" if self._path else key
