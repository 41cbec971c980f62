"""Where the originals are to lie: looked for, and made where it is ours to make."""

import asyncio
from pathlib import Path
from typing import Protocol

from coatcheck_core.settings.location import Location, locate
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreRejected, StoreUnavailable

from ..storage import open_store


class Place(Protocol):
    """What `exists` and `create` raise is a StoreError."""

    @property
    def name(self) -> str: ...

    async def exists(self) -> bool: ...

    async def create(self) -> None: ...

    async def passes(self, prefix: str, days: int | None) -> bool:
        """Whether what lies below the prefix goes after so many days, or with None stays, as it should.

        True where that is not up to us.
        """
        ...

    async def let_pass(self, prefix: str, days: int | None) -> None: ...


def place_of(storage: StorageSettings) -> Place:
    """The place that the settings name. Raises ConfigError, and StoreError where it can be none."""
    location = locate(storage)
    match location.kind:
        case "endpoint" | "s3":
            from .buckets import Bucket  # here, since every worker has this module and minio-py takes time to import

            return Bucket(storage)
        case "file":
            return Folder(location)
        case _:
            return Checked(storage, location)


class _Unruled:
    """A place that has no rules from us: its owner clears what only passes through, and what has expired."""

    async def passes(self, prefix: str, days: int | None) -> bool:
        return True

    async def let_pass(self, prefix: str, days: int | None) -> None:
        """Nothing is there to be told."""


class Folder(_Unruled):
    """A folder of this machine."""

    def __init__(self, location: Location) -> None:
        self.name = location.name

    async def exists(self) -> bool:
        return await asyncio.to_thread(Path(self.name).is_dir)

    async def create(self) -> None:
        try:
            await asyncio.to_thread(Path(self.name).mkdir, mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreRejected(f"folder {self.name!r} cannot be made: {error.strerror or error}") from error


class Checked(_Unruled):
    """A place that its owner makes: a bucket of Google's, a container of Azure's, a store of one's own."""

    def __init__(self, storage: StorageSettings, location: Location) -> None:
        self.name = location.name or location.kind
        self._kind = location.kind
        self._store = open_store(storage)
        self._why = ""

    async def exists(self) -> bool:
        """Whether it can be used; StoreUnavailable where it does not say."""
        try:
            await self._store.check()
        except StoreUnavailable:
            raise
        except StoreRejected as error:
            self._why = str(error)
            return False
        return True

    async def create(self) -> None:
        raise StoreRejected(
            f"{self._kind} storage {self.name!r} cannot be used, and only buckets of S3 and folders are made here:"
            f" make it, and let these credentials use it ({self._why})"
        )
