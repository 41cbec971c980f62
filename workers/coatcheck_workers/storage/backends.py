"""What differs from one provider of object storage to another; each has a small class."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal, Protocol

import msgspec
import obstore
from obstore.store import ObjectStore

from coatcheck_schemas.errors import ObjectChanged, StoreRejected

from .translating import translated

Method = Literal["GET", "PUT"]


class Clients(msgspec.Struct, frozen=True):
    """Two of obstore's clients for the same objects, with the limits of Pace: `small` for what moves little."""

    small: ObjectStore
    bulk: ObjectStore


class Backend(Protocol):
    """Where the objects lie. What it raises is a StoreError."""

    place: str
    """What holds the objects, as messages name it: `bucket 'coatcheck'`."""
    sorts_listings: bool
    """Whether listings come in the order of the keys' bytes."""

    async def check(self) -> None:
        """What is to be proved besides that a listing is answered."""
        ...

    def uri(self, key: str) -> str: ...

    async def copy(self, source: str, target: str, size: int, version: str) -> None:
        """Copy what is `size` bytes of this version. Raises ObjectChanged, with the target as it was or absent."""
        ...

    async def abandon(self, key: str) -> None:
        """Free the parts of uploads to exactly this key that nobody will complete."""
        ...

    async def presign(self, method: Method, key: str, expires_seconds: int) -> str: ...

    async def beginning_with(self, start: str, most: int) -> Sequence[str] | None:
        """See `beginnings.ListsBeginnings`."""
        ...


class Plain:
    """A provider without a condition on copies, whose own rules take away what an upload has left.

    Google Cloud Storage needs a lifecycle rule for that (AbortIncompleteMultipartUpload); Azure drops blocks that
    nobody has committed after a week; a memory has none.
    """

    def __init__(self, clients: Clients, place: str, base_uri: str, *, sorts_listings: bool, signs: bool) -> None:
        self.place = place
        self.sorts_listings = sorts_listings
        self._clients = clients
        self._base_uri = base_uri
        self._signs = signs

    async def check(self) -> None:
        """A listing proves all."""

    def uri(self, key: str) -> str:
        return f"{self._base_uri}/{key}"

    async def copy(self, source: str, target: str, size: int, version: str) -> None:
        await checked_copy(self._clients.bulk, self.place, source, target, version)

    async def abandon(self, key: str) -> None:
        """Left to the provider."""

    async def beginning_with(self, start: str, most: int) -> Sequence[str] | None:
        """obstore lists by whole folders."""
        return None

    async def presign(self, method: Method, key: str, expires_seconds: int) -> str:
        if not self._signs:
            raise StoreRejected(f"{self.place} gives no presigned URLs")
        return await signed(self._clients.small, self.place, method, key, expires_seconds)


async def checked_copy(client: ObjectStore, place: str, source: str, target: str, version: str) -> None:
    """A copy where the provider knows no condition: what was copied is judged by the source afterwards.

    `version` is what the source was right before; a source that is the same after the copy was so within, since these
    providers make a new version at each write and none comes back.
    """
    with translated(place, source):
        await obstore.copy_async(client, source, target)
        try:
            now = (await obstore.head_async(client, source))["e_tag"]
        except FileNotFoundError:
            now = None
    if now != version:
        with translated(place, target):
            await obstore.delete_async(client, target)
        raise ObjectChanged(f"{source} was replaced while it was copied")


async def signed(client: ObjectStore, place: str, method: Method, key: str, expires_seconds: int) -> str:
    """A presigned URL. Raises StoreRejected where the credentials at hand sign none."""
    with translated(place, key):
        try:
            return await obstore.sign_async(client, method, key, timedelta(seconds=expires_seconds))  # type: ignore[arg-type]
        except ValueError as error:
            raise StoreRejected(f"{place} gives no presigned URLs: {str(error)[:300]}") from error
