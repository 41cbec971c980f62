"""Originals in a folder of this machine, or of one that is mounted here."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from coatcheck_schemas.errors import StoreRejected, StoreUnavailable

from .backends import Clients, Method, checked_copy


class LocalFolder:
    """obstore writes beside the target, `KEY#1`, and renames: a reader sees a whole object or none.

    Listings leave such files out, and `abandon` removes those of writers that have died.
    """

    sorts_listings = False

    def __init__(self, clients: Clients, folder: Path) -> None:
        self.place = f"folder {str(folder)!r}"
        self._clients = clients
        self._folder = folder

    async def check(self) -> None:
        """A folder that is gone would list as an empty one."""
        if not await asyncio.to_thread(self._folder.is_dir):
            raise StoreRejected(f"{self.place} is missing: run `coatcheck provision`")

    def uri(self, key: str) -> str:
        return f"file://{self._folder}/{key}"

    async def copy(self, source: str, target: str, size: int, version: str) -> None:
        await checked_copy(self._clients.bulk, self.place, source, target, version)

    async def abandon(self, key: str) -> None:
        try:
            await asyncio.to_thread(self._abandon, key)
        except OSError as error:
            raise StoreUnavailable(f"{self.place}: {error.strerror or error}") from error

    def _abandon(self, key: str) -> None:
        target = self._folder / key
        if not target.parent.is_dir():
            return
        staged = re.compile(re.escape(target.name) + r"#[0-9]+")
        for file in target.parent.iterdir():
            if staged.fullmatch(file.name):
                file.unlink(missing_ok=True)

    async def beginning_with(self, start: str, most: int) -> Sequence[str] | None:
        """Any listing reads all of a folder's names."""
        return None

    async def presign(self, method: Method, key: str, expires_seconds: int) -> str:
        raise StoreRejected(f"{self.place} gives no presigned URLs: only s3, gs and az have them")
