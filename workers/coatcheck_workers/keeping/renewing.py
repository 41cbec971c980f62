"""A result that is used again lasts anew: its metadata says when, and the bucket's rule counts from then.

The rule goes by the age of objects. So on the first use of a day each object of the result is put again, by copies
within the store: there and back, since a store does not copy an object onto itself.
"""

from contextlib import suppress

import msgspec

from coatcheck_core.expiry import last_use
from coatcheck_core.layout import output_key_of
from coatcheck_schemas.errors import ObjectNotFound
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.store import Store
from coatcheck_schemas.times import to_milliseconds


async def renew(store: Store, keys: Keys, session: str, there: Metadata, ours: Metadata) -> None:
    """`there` is the result as it stands, `ours` as it came again. Safe to repeat. Raises StoreError.

    The metadata is last: until it is written, whoever tries again does all of it again.
    """
    try:
        before, used = last_use(there), last_use(ours)
        is_later = to_milliseconds(used) > to_milliseconds(before)
    except ValueError:
        return  # not a time that we wrote
    if not is_later:
        return
    if used.date() > before.date():
        await _put_again(store, keys, session, there)
    key = keys.metadata(session, there.result_id)
    with suppress(ObjectNotFound):
        # Fields that a newer version has written stay.
        known = msgspec.json.decode(await store.get(key), type=dict[str, msgspec.Raw])
        known["last_used_at"] = msgspec.Raw(msgspec.json.encode(ours.created_at))
        await store.put(key, msgspec.json.encode(known))


async def _put_again(store: Store, keys: Keys, session: str, there: Metadata) -> None:
    """No copy outlives a deletion that comes meanwhile: it takes the metadata, and what lies aside, and these go by it.

    Where it takes the metadata while a copy is on its way back, the copy goes again, unless the result has come anew.
    """
    folder, metadata = keys.result(session, there.result_id), keys.metadata(session, there.result_id)
    found = {key async for key in store.list(folder)} | {output_key_of(keys, there, session)}
    for key in sorted(found - {metadata}):
        aside = keys.renewed(session, there.result_id, key.rpartition("/")[2])
        with suppress(ObjectNotFound):  # another worker that does the same has been quicker
            await store.copy(key, aside)
            if await _is_there(store, metadata):
                await store.abandon(key)  # a large copy goes in parts, and whoever made one may have died
                await store.copy(aside, key)
                await _take_back(store, key, aside, metadata)
        await store.delete(aside)


async def _take_back(store: Store, key: str, aside: str, metadata: str) -> None:
    """Where the metadata went during the copy: erase it, unless somebody stores the result anew."""
    if await _is_there(store, metadata):
        return
    await store.delete(key)
    if await _is_there(store, metadata):
        await store.copy(aside, key)


async def _is_there(store: Store, key: str) -> bool:
    try:
        await store.head(key)
    except ObjectNotFound:
        return False
    return True
