"""What of the suite is about streams, versions and copies."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing

from coatcheck_schemas.errors import ObjectChanged, ObjectNotFound
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.store import Store

from .expecting import below, expect, must_raise, same

PART_BYTES = 5 * 1024**2
"""The least that S3 takes as a part of an upload."""
SIZES = (0, 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 17)
SCRIPTS = ("検索", "наука", "αβγ", "a b", "50%", "é", "🎒")
PATIENCE_SECONDS = 60.0


class SourceFailed(Exception):
    """What a stream's source raises here."""


async def streams_what_comes(store: Store) -> None:
    """Of any size, in chunks of any size, over what was there."""
    key = f"{below()}streamed"
    for size in SIZES:
        data = data_of(size)
        await store.put_stream(key, chunks_of(data, 777_777))
        info = await store.head(key)
        same(info.size, size)
        _same_data(await _read(store, key), data)
        _same_data(await _read(store, key, info.version), data)


async def streams_chunks_of_any_size(store: Store) -> None:
    """Empty ones, tiny ones, one that is larger than any part, and a view of other memory."""
    key = f"{below()}chunks"
    large = data_of(2 * PART_BYTES + 3)

    async def chunks() -> AsyncIterator[bytes]:
        yield b""
        for number in range(300):
            yield bytes([number % 256])
        yield large
        yield b""

    await store.put_stream(key, chunks())
    _same_data(await store.get(key), bytes(number % 256 for number in range(300)) + large)


async def leaves_nothing_of_a_stream_that_fails(store: Store) -> None:
    """At once, within the first part, or after several; what was there before is there again."""
    here = below()
    for size in (0, 10, 2 * PART_BYTES + 1):
        fresh, taken = f"{here}fresh-{size}", f"{here}taken-{size}"
        await must_raise(SourceFailed, store.put_stream(fresh, failing(data_of(size))))
        await must_raise(ObjectNotFound, store.head(fresh))
        await store.put(taken, b"before")
        await must_raise(SourceFailed, store.put_stream(taken, failing(data_of(size))))
        same(await store.get(taken), b"before")
    same(len([key async for key in store.list(here)]), 3)


async def raises_what_the_source_raised(store: Store) -> None:
    """Also an error that looks like the store's own."""
    key = f"{below()}raised"
    for error in (OSError("the disk is full"), TimeoutError("no piece came"), FileNotFoundError("the spool")):
        await must_raise(type(error), store.put_stream(key, failing(data_of(PART_BYTES + 1), error)))


async def ends_a_source_that_waits_when_it_is_cancelled(store: Store) -> None:
    """And leaves nothing: the source ends before the cancelled call does."""
    key = f"{below()}cancelled"
    waiting, ended = asyncio.Event(), asyncio.Event()

    async def chunks() -> AsyncGenerator[bytes, None]:
        try:
            yield data_of(2 * PART_BYTES + 1)
            waiting.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with aclosing(chunks()) as source:
        task = asyncio.ensure_future(store.put_stream(key, source))
        await asyncio.wait_for(waiting.wait(), PATIENCE_SECONDS)
        task.cancel()
        await must_raise(asyncio.CancelledError, asyncio.wait_for(task, PATIENCE_SECONDS))
        expect(ended.is_set(), "a cancelled put_stream left its source waiting")
    await must_raise(ObjectNotFound, store.head(key))
    same([found async for found in store.list(key.rpartition("/")[0] + "/")], [])


async def concurrent_streams_leave_one_of_them_whole(store: Store) -> None:
    key = f"{below()}shared"
    datas = [bytes([65 + writer]) * (PART_BYTES + 1 + writer) for writer in range(3)]
    await asyncio.gather(*(store.put_stream(key, chunks_of(data, 1_000_000)) for data in datas))
    expect(await store.get(key) in datas, "what two writers streamed is mixed")


async def abandons_nothing_but_what_was_left(store: Store) -> None:
    """The object itself stays, and so does what a neighbour whose key is longer is sending."""
    here = below()
    key, neighbour = f"{here}upload", f"{here}upload-2"
    await store.abandon(key)
    await store.put(key, b"there")
    sending, go_on = asyncio.Event(), asyncio.Event()
    data = data_of(3 * PART_BYTES)

    async def chunks() -> AsyncIterator[bytes]:
        async for chunk in chunks_of(data, PART_BYTES):
            yield chunk
        sending.set()
        await go_on.wait()

    task = asyncio.ensure_future(store.put_stream(neighbour, chunks()))
    await asyncio.wait_for(sending.wait(), PATIENCE_SECONDS)
    await store.abandon(key)
    go_on.set()
    await asyncio.wait_for(task, PATIENCE_SECONDS)
    same(await store.get(key), b"there")
    _same_data(await store.get(neighbour), data)


async def tells_versions_apart(store: Store) -> None:
    key = f"{below()}versioned"
    await must_raise(ObjectNotFound, store.head(key))
    await must_raise(ObjectNotFound, _read(store, key))
    await store.put(key, b"first")
    first = (await store.head(key)).version
    same((await store.head(key)).version, first)
    await store.put(key, b"other")
    expect((await store.head(key)).version != first, "other bytes have the same version")
    await must_raise(ObjectChanged, _read(store, key, first))


async def reads_one_version_while_it_is_replaced(store: Store) -> None:
    """A reader gets one version whole, or is told: never a mixture."""
    key = f"{below()}replaced"
    old, new = b"o" * (4 * PART_BYTES), b"n" * (4 * PART_BYTES)
    for version in (None, "asked for"):
        await store.put_stream(key, chunks_of(old, PART_BYTES))
        asked = None if version is None else (await store.head(key)).version
        got: list[bytes] = []
        try:
            async with aclosing(store.get_stream(key, version=asked)) as chunks:  # type: ignore[type-var]
                async for chunk in chunks:
                    got.append(chunk)
                    if len(got) == 1:
                        await store.put_stream(key, chunks_of(new, PART_BYTES))
        except ObjectChanged:
            continue
        expect(b"".join(got) in (old, new), "a reader got pieces of two versions")


async def reads_no_further_than_it_is_asked(store: Store) -> None:
    """A reader that stops early leaves nothing running that could fail later."""
    key = f"{below()}long"
    data = data_of(4 * PART_BYTES)
    await store.put_stream(key, chunks_of(data, PART_BYTES))
    async with aclosing(store.get_stream(key)) as chunks:  # type: ignore[type-var]
        async for chunk in chunks:
            expect(bool(chunk) and data.startswith(chunk), "a stream does not begin with the object's first bytes")
            break


async def copies_one_version(store: Store) -> None:
    here = below()
    source, target = f"{here}source", f"{here}target"
    await must_raise(ObjectNotFound, store.copy(source, target))
    await must_raise(ObjectNotFound, store.copy(source, target, version="any"))
    await store.put(source, b"one")
    version = (await store.head(source)).version
    await store.copy(source, target, version=version)
    same(await store.get(target), b"one")
    await store.put(source, b"two")
    await must_raise(ObjectChanged, store.copy(source, target, version=version))
    same(await store.get(target), b"one")
    await store.copy(source, target)
    same(await store.get(target), b"two")
    same(await store.get(source), b"two")


async def copies_large_and_empty_objects(store: Store) -> None:
    here = below()
    for size in (0, 2 * PART_BYTES + 1):
        data = data_of(size)
        await store.put_stream(f"{here}source", chunks_of(data, PART_BYTES))
        await store.copy(f"{here}source", f"{here}target", version=(await store.head(f"{here}source")).version)
        _same_data(await store.get(f"{here}target"), data)


async def does_all_of_it_under_keys_of_any_script(store: Store) -> None:
    """As pieces of a layout may be, and as segments make of them."""
    here = below()
    for script in (*SCRIPTS, *map(encode_segment, SCRIPTS)):
        source, target = f"{here}{script}/source", f"{here}{script}/target"
        await store.put_stream(source, chunks_of(script.encode(), 3))
        await store.abandon(source)
        await store.copy(source, target, version=(await store.head(source)).version)
        same(await _read(store, target), script.encode())
        same([key async for key in store.list(f"{here}{script}/")], [source, target])
        await store.delete(source)
        await must_raise(ObjectNotFound, store.head(source))


STREAM_CHECKS: tuple[Callable[[Store], Awaitable[None]], ...] = (
    streams_what_comes,
    streams_chunks_of_any_size,
    leaves_nothing_of_a_stream_that_fails,
    raises_what_the_source_raised,
    ends_a_source_that_waits_when_it_is_cancelled,
    concurrent_streams_leave_one_of_them_whole,
    abandons_nothing_but_what_was_left,
    tells_versions_apart,
    reads_one_version_while_it_is_replaced,
    reads_no_further_than_it_is_asked,
    copies_one_version,
    copies_large_and_empty_objects,
    does_all_of_it_under_keys_of_any_script,
)


def data_of(size: int) -> bytes:
    """Bytes of a period that no part has, so that exchanged parts show."""
    return (bytes(range(251)) * (size // 251 + 1))[:size]


async def chunks_of(data: bytes, size: int) -> AsyncIterator[bytes]:
    """The bytes in chunks of `size`, the last one what is left."""
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def failing(data: bytes, error: Exception | None = None) -> AsyncIterator[bytes]:
    """The bytes in chunks of a MiB, and then this error (none: SourceFailed)."""
    async for chunk in chunks_of(data, 1024**2):
        yield chunk
    raise error or SourceFailed


def _same_data(got: bytes, wanted: bytes) -> None:
    """Megabytes of bytes say nothing in a message."""
    expect(got == wanted, f"wanted {len(wanted)} bytes, got {len(got)} which are not the same")


async def _read(store: Store, key: str, version: str | None = None) -> bytes:
    return b"".join([chunk async for chunk in store.get_stream(key, version=version)])
