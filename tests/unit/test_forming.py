"""Keeping a large original that came in one message: indexed, compressed, and whatever an earlier try has left."""

from typing import Any, Literal

import msgspec
import pytest
from tests.support.deciding import arrived, rules

from coatcheck.testing import FailingStore, MemoryStore
from coatcheck_core.decision import decide
from coatcheck_core.original import decode_index, index_at_end, span_of, unpacked, written_whole
from coatcheck_core.rules import Stored
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import InvalidResult, StoreUnavailable
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.metadata import Metadata
from coatcheck_workers.keeping.forming import formed
from coatcheck_workers.keeping.keeping import keep

KEYS = Keys("p")
TEXT = "a large result, Zoë\n" * 10_000
Compression = Literal["zstd", "none"]


def storage(compression: Compression = "zstd") -> StorageSettings:
    return StorageSettings(large_bytes=64 * 1024, compression=compression)


async def stored(compression: Compression = "zstd", text: str = TEXT, **fields: Any) -> Stored:
    decision = decide(arrived(text, **fields), rules())
    assert decision.stored is not None
    return await formed(decision.stored, storage(compression))


async def objects(store: MemoryStore) -> dict[str, bytes]:
    return {key: await store.get(key) async for key in store.list("p/")}


def metadata_in(kept: dict[str, bytes], rid: str) -> Metadata:
    return msgspec.json.decode(kept[KEYS.metadata("s", rid)], type=Metadata)


async def test_a_large_text_is_kept_compressed_and_its_metadata_says_so() -> None:
    store, what = MemoryStore(), await stored()
    await keep(store, KEYS, "s", what)
    kept, rid = await objects(store), what.metadata.result_id
    output, metadata = kept[KEYS.output("s", rid)], metadata_in(kept, rid)
    assert (metadata.form, metadata.stored_bytes, metadata.encoding) == ("zstd", len(output), "utf-8")
    assert metadata.original_bytes == len(TEXT.encode())
    index = index_at_end(output)
    assert index.facts.sha256 == metadata.sha256
    span = span_of(index, 0, index.facts.blocks)
    assert unpacked(index, span, output[: span.stored_stop]) == TEXT.encode()
    assert metadata.index_bytes == len(output) - span.stored_stop


async def test_a_large_plain_original_has_its_index_beside_it() -> None:
    store, what = MemoryStore(), await stored("none")
    await keep(store, KEYS, "s", what)
    kept, rid = await objects(store), what.metadata.result_id
    metadata = metadata_in(kept, rid)
    assert kept[KEYS.output("s", rid)] == TEXT.encode()
    assert (metadata.form, metadata.index_bytes) == ("plain", len(kept[KEYS.index("s", rid)]))
    assert decode_index(kept[KEYS.index("s", rid)]).facts.sha256 == metadata.sha256


async def test_what_is_not_large_stays_as_it_is() -> None:
    what = await stored(text="x" * (64 * 1024))
    assert (what.output, what.index) == (b"x" * (64 * 1024), None)
    assert (what.metadata.form, what.metadata.index_bytes) == ("plain", 0)


async def test_what_is_no_text_for_the_decision_is_none_for_the_index() -> None:
    output, written = written_whole(TEXT.encode(), None, "zstd")
    assert (output, written.form, written.chars) == (TEXT.encode(), "plain", None)


@pytest.mark.parametrize("failures", range(1, 5))
@pytest.mark.parametrize("compression", ["zstd", "none"])
@pytest.mark.parametrize("after", [False, True])
async def test_a_crash_at_any_put_is_mended_by_the_next_try(
    failures: int, compression: Compression, after: bool
) -> None:
    inner, what = MemoryStore(), await stored(compression)
    store = FailingStore(inner)
    store.fail("put", every=failures, times=1, after=after)
    puts = 4 if compression == "none" else 3
    if failures <= puts:
        with pytest.raises(StoreUnavailable):
            await keep(store, KEYS, "s", what)
    await keep(store, KEYS, "s", what)
    untroubled = MemoryStore()
    await keep(untroubled, KEYS, "s", what)
    assert await objects(inner) == await objects(untroubled)


@pytest.mark.parametrize(("first", "second"), [("zstd", "none"), ("none", "zstd")])
async def test_what_a_crash_left_in_another_form_is_replaced(first: Compression, second: Compression) -> None:
    store = MemoryStore()
    left, what = await stored(first), await stored(second)
    assert isinstance(left.output, bytes)
    await store.put(KEYS.output("s", left.metadata.result_id), left.output)
    await keep(store, KEYS, "s", what)
    kept = await objects(store)
    assert kept[KEYS.output("s", what.metadata.result_id)] == what.output
    assert metadata_in(kept, what.metadata.result_id).form == what.metadata.form


@pytest.mark.parametrize("left", [b"another", b"x" * 300_000])
async def test_another_large_original_under_the_same_id_is_never_overwritten(left: bytes) -> None:
    store, what = MemoryStore(), await stored()
    key = KEYS.output("s", what.metadata.result_id)
    await store.put(key, left)
    with pytest.raises(InvalidResult, match="another original"):
        await keep(store, KEYS, "s", what)
    assert await store.get(key) == left


async def test_the_first_form_stands() -> None:
    store, first, second = MemoryStore(), await stored("zstd"), await stored("none")
    await keep(store, KEYS, "s", first)
    kept = await objects(store)
    await keep(store, KEYS, "s", second)
    assert await objects(store) == kept
