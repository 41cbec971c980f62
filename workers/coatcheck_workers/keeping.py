"""Keep a result in object storage: the original, its parts, then the metadata, then its place in the list."""

import asyncio

import msgspec

from coatcheck_core.decision import Stored
from coatcheck_schemas.errors import InvalidResult, ObjectExists, ObjectNotFound
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.store import Store


async def keep(store: Store, keys: Keys, session: str, stored: Stored) -> None:
    """Safe to repeat after a crash at any point. Raises StoreError, and InvalidResult on a collision of result ids.

    The metadata is what makes a result exist: it is written when everything that it speaks of is there, and the
    first one stands. The entry goes out beside it, not after: a list passes over an entry without metadata, and a
    result without an entry is found by its reference; waiting would only add a round trip to every stub.
    """
    rid = stored.metadata.result_id
    try:
        await store.put(keys.output(session, rid), stored.output, exclusive=True)
    except ObjectExists:
        await _compare(store, keys, session, stored.metadata)
    await asyncio.gather(*(store.put(keys.part(session, rid, index), body) for index, body in stored.parts))
    await asyncio.gather(
        _keep_metadata(store, keys, session, stored.metadata),
        store.put(keys.time_entry(session, stored.entry), b""),
    )


async def _keep_metadata(store: Store, keys: Keys, session: str, metadata: Metadata) -> None:
    try:
        await store.put(keys.metadata(session, metadata.result_id), msgspec.json.encode(metadata), exclusive=True)
    except ObjectExists:
        await _compare(store, keys, session, metadata)


async def _compare(store: Store, keys: Keys, session: str, ours: Metadata) -> None:
    """The result id holds half of the sha256; what is already there must agree with the whole of it."""
    try:
        there = msgspec.json.decode(await store.get(keys.metadata(session, ours.result_id)), type=Metadata).sha256
    except ObjectNotFound:
        there = await asyncio.to_thread(sha256_hex, await store.get(keys.output(session, ours.result_id)))
    if there != ours.sha256:
        raise InvalidResult("conflict", f"another original is kept under {ours.ref}: its sha256 is {there}")
