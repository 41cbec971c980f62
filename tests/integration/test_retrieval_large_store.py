"""Reading and searching a large original on a real object store."""

from base64 import b64decode
from random import Random

import pytest
from tests.support.originals import Large, Shelf

from coatcheck_core.settings import Settings
from coatcheck_workers.storage import open_store

ROWS = Random(3)
TEXT = "".join(f'{{"id": {n}, "value": {ROWS.random()}, "name": "Zoë 漢"}}\n' for n in range(120_000))


@pytest.mark.parametrize("compression", ["zstd", "none"])
async def test_any_range_of_a_large_original_is_read_and_all_of_it_searched(
    deployment: Settings, compression: str
) -> None:
    shelf = Shelf(store=open_store(deployment.storage), prefix=deployment.storage.prefix)
    large = Large(compression="zstd" if compression == "zstd" else "none")
    ref = await shelf.keep(TEXT, large=large)
    data = TEXT.encode()
    for offset in (0, 1_000_003, 3_456_789, len(TEXT) - 20_000):
        page = await shelf.ok("read", ref=ref, offset=offset)
        assert page["content"] == TEXT[offset : offset + 20_000]
    page = await shelf.ok("read", ref=ref, unit="lines", offset=-2)
    assert page["content"].count("\n") == 2
    assert TEXT.endswith(page["content"])
    page = await shelf.ok("read", ref=ref, unit="bytes", offset=2_000_001, limit=10_000)
    assert b64decode(page["content"]) == data[2_000_001:2_010_001]
    found = await shelf.ok("search", ref=ref, query='"id": 11999')
    assert [match["line"] for match in found["matches"]] == [11_999, *range(119_990, 120_000)]
    assert found["total"] == 11
    last = found["matches"][-1]
    assert data[last["byte_offset"] :].startswith(b'"id": 119999')
