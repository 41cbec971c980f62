"""The client restores the blocks of a result by reads alone, whatever the size of a page."""

import base64
from typing import Any

import msgspec
import pytest
from tests.support.deciding import arrived, rules
from tests.support.originals import Shelf

from coatcheck.client.restoring import restored_blocks
from coatcheck_core.decision import decide
from coatcheck_schemas.errors import RequestError
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.requests import ReadReply, ReadRequest
from coatcheck_workers.keeping.keeping import keep

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 300
IMAGE = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
RULES = rules("result.threshold=0", "storage.prefix=")


def text(value: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": value} | fields


class Kept:
    """One result on a shelf, read in pages of some KiB."""

    def __init__(self, max_reply_bytes: int) -> None:
        self.shelf = Shelf(prefix="p", max_reply_bytes=max_reply_bytes)

    async def keep(self, content: Any, **fields: Any) -> str:
        stored = decide(arrived(content, **fields), RULES).stored
        assert stored is not None
        await keep(self.shelf.store, Keys("p"), "s1", stored)
        return stored.metadata.ref

    async def read(self, request: ReadRequest) -> ReadReply:
        return msgspec.convert(await self.shelf.ok("read", **msgspec.structs.asdict(request)), ReadReply)


LONG = "a line of é and 🧥\n" * 3000


@pytest.mark.parametrize(
    "blocks",
    [
        [text(LONG)],
        [text(LONG), text(""), IMAGE, text("\n")],
        [text(LONG, _meta={"a": [1]}), {"type": "resource", "resource": {"uri": "f:///a", "text": LONG}}, IMAGE],
        [text(f"{i}" * 40) for i in range(5000)],
        [IMAGE] * 90 + [text(LONG)],
        [IMAGE] * 120 + [text(LONG)],
    ],
)
async def test_blocks_are_restored_by_reads(blocks: list[dict[str, Any]]) -> None:
    kept = Kept(max_reply_bytes=60_000)
    ref = await kept.keep(blocks)
    assert await restored_blocks(kept.read, ref) == blocks


async def test_one_text_is_one_block() -> None:
    kept = Kept(max_reply_bytes=60_000)
    assert await restored_blocks(kept.read, await kept.keep(LONG)) == [text(LONG)]


async def test_structured_content_is_no_block() -> None:
    kept = Kept(max_reply_bytes=60_000)
    ref = await kept.keep([text(LONG), text("")], structured_content={"n": 1})
    assert await restored_blocks(kept.read, ref) == [text(LONG), text("")]


async def test_a_damaged_list_is_an_error() -> None:
    kept = Kept(max_reply_bytes=60_000)
    ref = await kept.keep([text(LONG, _meta={}), text("")])
    await kept.shelf.store.put(Keys("p").part("s1", ref.rpartition("/")[2], 2), b"[1,")
    with pytest.raises((RequestError, AssertionError), match="checksum"):
        await restored_blocks(kept.read, ref)
