"""What of the suite is about streams, versions and copies."""

from collections.abc import AsyncIterator, Awaitable, Callable

from coatcheck_schemas.errors import ObjectChanged, ObjectNotFound
from coatcheck_schemas.store import Store

from .expecting import below, expect, must_raise, same

PART_BYTES = 5 * 1024**2
"""The least that S3 takes as a part of an upload."""
SIZES = (0, 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 17)


class SourceFailed(Exception):
    """What a stream's source raises here."""


async def streams_what_comes(store: Store) -> None:
    """Of any size, in chunks of any size, over what was there."""
    key = f"{below()}streamed"
    for size in SIZES:
        data = _data(size)
        await store.put_stream(key, _chunks(data, 777_777))
        info = await store.head(key)
        same(info.size, size)
        same(b"".join([chunk async for chunk in store.get_stream(key)]), data)
        same(b"".join([chunk async for chunk in store.get_stream(key, version=info.version)]), data)


async def leaves_nothing_of_a_stream_that_fails(store: Store) -> None:
    key = f"{below()}failed"
    await must_raise(SourceFailed, store.put_stream(key, _failing(_data(2 * PART_BYTES + 1))))
    await must_raise(ObjectNotFound, store.head(key))
    await store.put(key, b"before")
    await must_raise(SourceFailed, store.put_stream(key, _failing(_data(10))))
    same(await store.get(key), b"before")
    await store.abandon(key)
    same(await store.get(key), b"before")


async def tells_versions_apart(store: Store) -> None:
    key = f"{below()}versioned"
    await must_raise(ObjectNotFound, store.head(key))
    await must_raise(ObjectNotFound, _read(store, key, None))
    await store.put(key, b"first")
    first = (await store.head(key)).version
    await store.put(key, b"other")
    expect((await store.head(key)).version != first, "other bytes have the same version")
    await must_raise(ObjectChanged, _read(store, key, first))


async def copies_one_version(store: Store) -> None:
    here = below()
    source, target = f"{here}source", f"{here}target"
    await must_raise(ObjectNotFound, store.copy(source, target))
    await store.put(source, b"one")
    version = (await store.head(source)).version
    await store.copy(source, target, version=version)
    same(await store.get(target), b"one")
    await store.put(source, b"two")
    await must_raise(ObjectChanged, store.copy(source, target, version=version))
    same(await store.get(target), b"one")
    await store.copy(source, target)
    same(await store.get(target), b"two")


STREAM_CHECKS: tuple[Callable[[Store], Awaitable[None]], ...] = (
    streams_what_comes,
    leaves_nothing_of_a_stream_that_fails,
    tells_versions_apart,
    copies_one_version,
)


def _data(size: int) -> bytes:
    return (bytes(range(251)) * (size // 251 + 1))[:size]


async def _chunks(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def _failing(data: bytes) -> AsyncIterator[bytes]:
    async for chunk in _chunks(data, 1024**2):
        yield chunk
    raise SourceFailed


async def _read(store: Store, key: str, version: str | None) -> bytes:
    return b"".join([chunk async for chunk in store.get_stream(key, version=version)])
