"""The blocks that a result came as, restored: from its parts, its text and what is kept beside it."""

import base64
from typing import Any

from coatcheck_core.block_list import decode_list, entries_of, restore
from coatcheck_schemas.blocks import TEXT_BLOCK
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.events import BLOCKS, STRUCTURED, Part
from coatcheck_schemas.requests import TO_THE_END, ReadRequest

from . import following
from .following import Read


async def restored_blocks(read: Read, ref: str) -> list[dict[str, Any]]:
    """The list as it came, in memory as a whole; a result that came as one text is one text block.

    Raises RequestError as a read does, and `internal` where the list that is kept cannot be read.
    """
    text, parts = await _text(read, ref)
    listed = next((part for part in parts if part.type == BLOCKS), None)
    if listed is None:
        entries = entries_of([part for part in parts if part.type != STRUCTURED])
    else:
        try:
            entries = decode_list(await _bytes(read, listed))
        except ValueError as error:
            raise RequestError(Code.INTERNAL, f"the list of blocks of {ref} is damaged: {error}") from None
    media = {
        index: await _bytes(read, Part(index=index, type="", ref=f"{ref}/{index}"))
        for index, entry in enumerate(entries)
        if not isinstance(entry, int) and entry.chars is None
    }
    return restore(entries, text, media.__getitem__)


async def _text(read: Read, ref: str) -> tuple[str, list[Part]]:
    pages = [page async for page in following.pages(read, ReadRequest(ref=ref, limit=TO_THE_END))]
    alone = [Part(index=0, type=TEXT_BLOCK, start=0, end=pages[0].total_chars)]
    return "".join(page.content for page in pages), alone if pages[0].parts is None else pages[0].parts


async def _bytes(read: Read, part: Part) -> bytes:
    request = ReadRequest(ref=str(part.ref), unit="bytes", limit=TO_THE_END)
    return b"".join([base64.b64decode(page.content) async for page in following.pages(read, request)])
