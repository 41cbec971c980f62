"""Requests for URLs where the store signs none."""

from typing import Literal

from tests.support.originals import Shelf

from coatcheck.testing import MemoryStore
from coatcheck_schemas.errors import StoreRejected


class Unsigning(MemoryStore):
    async def presign(self, method: Literal["GET", "PUT"], key: str, expires_seconds: int) -> str:
        raise StoreRejected("folder '/data' gives no presigned URLs")


async def test_an_upload_is_sent_in_pieces_instead() -> None:
    code, message = await Shelf(store=Unsigning()).error("upload")
    assert code == "invalid_argument"
    assert "folder '/data' gives no presigned URLs" in message
    assert "in pieces" in message


async def test_an_original_is_read_instead_and_no_copy_is_made() -> None:
    shelf = Shelf(store=Unsigning())
    rid = await shelf.keep("the text")
    code, message = await shelf.error("link", ref=rid)
    assert code == "invalid_argument"
    assert "use read" in message
