"""Keep a result in object storage: the original, its parts, then the metadata, then its place in the list."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import msgspec

from coatcheck_core.contents import Placed
from coatcheck_core.layout import output_key_of
from coatcheck_core.original import index_at_end
from coatcheck_core.rules import Stored
from coatcheck_schemas.errors import DamagedOriginal, InvalidResult, ObjectExists, ObjectNotFound, StoreUnavailable
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.store import Store
from coatcheck_workers.keeping.renewing import renew

PARTS_AT_A_TIME = 8
"""A result of many parts takes no more of the store than its neighbours do, and stops at the first that fails."""


IsVoid = Callable[[Metadata], bool]
"""Whether a result that is there counts for nothing: deleted, and not all of it taken away yet."""


def _never(_: Metadata) -> bool:
    return False


class _Session(msgspec.Struct, frozen=True):
    """Where a session's results are kept."""

    store: Store
    keys: Keys
    name: str
    is_void: IsVoid
    renews: bool
    """Whether it counts when a result was used last."""

    async def living(self, result_id: str) -> Metadata | None:
        """What is there of a result; None where that counts for nothing."""
        there = await kept_metadata(self.store, self.keys, self.name, result_id)
        return None if there is None or self.is_void(there) else there


async def keep(
    store: Store, keys: Keys, session: str, stored: Stored, is_void: IsVoid = _never, *, renews: bool = False
) -> None:
    """Safe to repeat after a crash at any point. Raises StoreError, and InvalidResult on a collision of result ids.

    The metadata is what makes a result exist: it is written when everything that it speaks of is there, and the
    first one stands. The entry goes out beside it, not after: a list passes over an entry without metadata, and a
    result without an entry is found by its reference; waiting would only add a round trip to every stub.
    """
    here, rid = _Session(store, keys, session, is_void, renews), stored.metadata.result_id
    is_new = False
    if isinstance(stored.output, Placed):
        is_first = False  # two workers may have looked at the same time
        await _settle_in(here, stored.metadata, stored.output)
    else:
        is_first = is_new = await _create(here, stored, stored.output)
    for some in _batches(stored.parts, PARTS_AT_A_TIME):
        await asyncio.gather(*(_keep_part(store, keys.part(session, rid, index), body, is_new) for index, body in some))
    await asyncio.gather(
        _keep_metadata(here, stored.metadata, is_first=is_first),
        store.put(keys.time_entry(session, stored.entry), b""),
    )


async def _keep_part(store: Store, key: str, body: bytes, is_new: bool) -> None:
    """Where the original was there already its parts may be another result's, of the same call with the same text.

    That one had no metadata yet when this result got its id (`coatcheck_core.apart`): it is told apart at the next try.
    """
    try:
        await store.put(key, body, exclusive=not is_new)
    except ObjectExists:
        if await store.get(key) != body:
            raise StoreUnavailable(f"{key} is another result's, which is being stored") from None


async def _create(here: _Session, stored: Stored, output: bytes) -> bool:
    """Whether the original was not there yet."""
    key, is_new = output_key_of(here.keys, stored.metadata, here.name), True
    if stored.metadata.output_key is not None and await _is_there(here, stored.metadata):
        return False  # in a layout by dates the same original may have got another key at another time
    try:
        await here.store.put(key, output, exclusive=True)
    except ObjectExists:
        there = await kept_metadata(here.store, here.keys, here.name, stored.metadata.result_id)
        if there is not None and here.is_void(there):
            await here.store.put(key, output)  # of an age of its own, and so are its parts
        elif there is not None:
            _same(there.sha256, stored.metadata)
            return False
        else:
            is_new = False
            await _take_over(here.store, key, stored.metadata, output)
    if stored.index is not None:
        await here.store.put(here.keys.index(here.name, stored.metadata.result_id), stored.index)
    return is_new


async def _is_there(here: _Session, metadata: Metadata) -> bool:
    """Whether the result exists. Raises InvalidResult where another original bears its id."""
    there = await here.living(metadata.result_id)
    if there is not None:
        _same(there.sha256, metadata)
    return there is not None


async def _take_over(store: Store, key: str, metadata: Metadata, output: bytes) -> None:
    """What an interrupted try has left, maybe in another form than ours. Raises InvalidResult where it is not that."""
    there = await store.get(key)
    if there != output:
        _same(await asyncio.to_thread(_original_sha256, there), metadata)
        await store.put(key, output)


async def _settle_in(here: _Session, metadata: Metadata, placed: Placed) -> None:
    """Let what lies in the store already be the original of its result, unless that has one.

    Where it lies elsewhere it is copied, over what is there: that is either the same or what an interrupted try has
    left, and readers find a compressed one's index inside.
    """
    if await _is_there(here, metadata):
        return
    store, keys = here.store, here.keys
    target, default = output_key_of(keys, metadata, here.name), keys.output(here.name, metadata.result_id)
    if placed.key != target:
        await store.abandon(target)  # a large copy goes in parts, and whoever made one may have died
        await store.copy(placed.key, target, version=placed.version)
    if placed.key == default != target:
        await store.delete(default)
    if placed.index is not None:
        await store.put(keys.index(here.name, metadata.result_id), placed.index)


async def kept_metadata(store: Store, keys: Keys, session: str, result_id: str) -> Metadata | None:
    """What is there of a result; None where that is nothing that can be read. Raises StoreError."""
    with suppress(ObjectNotFound):
        return _read(await store.get(keys.metadata(session, result_id)))
    return None


def _batches(parts: list[tuple[int, bytes]], size: int) -> list[list[tuple[int, bytes]]]:
    return [parts[start : start + size] for start in range(0, len(parts), size)]


async def _keep_metadata(here: _Session, metadata: Metadata, *, is_first: bool) -> None:
    """Whoever created the original has nobody's metadata to spare: it is spared the dearer exclusive put."""
    key, body = here.keys.metadata(here.name, metadata.result_id), msgspec.json.encode(metadata)
    try:
        await here.store.put(key, body, exclusive=not is_first)
    except ObjectExists:
        there = await here.living(metadata.result_id)
        if there is None:
            await here.store.put(key, body)
        else:
            _same(there.sha256, metadata)
            if here.renews:
                await renew(here.store, here.keys, here.name, there, metadata)


def _original_sha256(stored: bytes) -> str:
    """Of the original that an object is, or that is in it."""
    try:
        return index_at_end(stored).facts.sha256
    except DamagedOriginal:
        return sha256_hex(stored)


def _read(body: bytes) -> Metadata | None:
    """None for what is no metadata: somebody else's file, or a damaged one, which ours may replace."""
    try:
        return msgspec.json.decode(body, type=Metadata)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _same(there: str, ours: Metadata) -> None:
    """The result id holds half of the sha256; what is already there must agree with the whole of it."""
    if there != ours.sha256:
        raise InvalidResult("conflict", f"another original is kept under {ours.ref}: its sha256 is {there}")
