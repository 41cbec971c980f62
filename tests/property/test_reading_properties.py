"""Pages of any size of any text in any form, by what is stored or by what is remembered: joined, they are the text."""

import asyncio
from base64 import b64decode
from collections.abc import Awaitable, Callable
from typing import Any
from unittest.mock import patch

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.originals import Large, Shelf

from coatcheck_core.lines import count_lines
from coatcheck_core.original import Noting, Writing, decode_index
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import parse_ref
from coatcheck_workers.retrieval.originals.small import Small

PIECES = st.sampled_from(
    ["\n", "\r\n", "\r", "a", "word ", "é", "漢字", "\U0001f600", "e\u0301", "\u2028", "\x85", "\t", '"\\', "x" * 90]
)
GIANTS = st.lists(
    st.tuples(st.sampled_from(["x", "漢", "\n", "\U0001f600", "\x1f"]), st.integers(1, 900)), max_size=5
).map(lambda runs: "".join(char * times for char, times in runs))
TEXTS = st.one_of(st.lists(PIECES, max_size=80).map("".join), GIANTS)
ENCODINGS = st.sampled_from(["utf-8", "utf-8", "utf-16-le", "utf-16-be", "utf-32-be", "gb18030"])
FORMS = st.sampled_from(["small", "none", "zstd"])
BLOCKS = st.integers(1, 200)
LIMITS = st.one_of(st.just(-1), st.integers(1, 12), st.integers(1, 10**6))
STEPS = st.lists(st.tuples(st.sampled_from(["chars", "lines"]), LIMITS), min_size=1, max_size=5)
LEAST_REPLY = 420
"""Room for the fields of a reply and a few chars."""


async def shelved(text: str, encoding: str, form: str, block_bytes: int, max_reply_bytes: int) -> tuple[Shelf, str]:
    """A text that is stored in this form; small ones as the metadata of such, whatever their encoding."""
    shelf = Shelf(max_reply_bytes=max_reply_bytes)
    large = Large(
        compression="zstd" if form == "zstd" else "none",
        block_bytes=block_bytes,
        encoding=encoding,
    )
    ref = await shelf.keep(text.encode(encoding), large=large)
    if form == "small":
        key = shelf.keys.metadata("s1", parse_ref(ref).result_id)
        metadata = msgspec.json.decode(await shelf.store.get(key), type=Metadata)
        await shelf.store.put(key, msgspec.json.encode(msgspec.structs.replace(metadata, index_bytes=0)))
        await shelf.store.delete(shelf.keys.index("s1", metadata.result_id))
    return shelf, ref


def with_blocks(block_bytes: int, test: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await test()

    with patch.object(Small, "block_bytes", block_bytes):
        asyncio.run(run())


@given(text=TEXTS, encoding=ENCODINGS, form=FORMS, block_bytes=BLOCKS, steps=STEPS, room=st.integers(0, 3000))
@example(text="\n\n", encoding="utf-8", form="small", block_bytes=1, steps=[("lines", 1), ("chars", 1)], room=0)
@example(text="漢" * 900 + "\n漢", encoding="utf-8", form="small", block_bytes=7, steps=[("lines", 1)], room=0)
@settings(max_examples=120, deadline=None)
def test_pages_joined_are_the_text(
    text: str, encoding: str, form: str, block_bytes: int, steps: list[tuple[str, int]], room: int
) -> None:
    """Goes on at `next` in its unit, or where that allows it in the other: at the beginning of a line."""

    async def test() -> None:
        shelf, ref = await shelved(text, encoding, form, block_bytes, LEAST_REPLY + room)
        content, fields = "", dict[str, Any](unit=steps[0][0])
        for turn in range(len(text) + 2):
            unit, limit = steps[turn % len(steps)]
            if content == "" or content.endswith("\n"):
                offset = len(content) if unit == "chars" else count_lines(content)
                fields = {"unit": unit, "offset": offset}
            page = await shelf.ok("read", ref=ref, **fields, limit=limit)
            assert (page["total_chars"], page["total_lines"]) == (len(text), count_lines(text))
            assert page["has_more"] == (page["next"] is not None)
            content += page["content"]
            if page["next"] is None:
                break
            assert page["content"]
            fields = dict(page["next"])
        assert content == text

    with_blocks(block_bytes, test)


@given(
    text=TEXTS.filter(bool),
    form=FORMS,
    block_bytes=BLOCKS,
    offsets=st.lists(st.integers(-900, 900), min_size=1, max_size=4),
    limit=st.integers(1, 300),
)
@settings(max_examples=100, deadline=None)
def test_a_page_from_anywhere_is_what_slicing_gives(
    text: str, form: str, block_bytes: int, offsets: list[int], limit: int
) -> None:
    data, lines = text.encode(), text.split("\n")
    whole_lines = [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])

    def start(offset: int, total: int) -> int:
        return offset if offset >= 0 else max(0, total + offset)

    async def test() -> None:
        shelf, ref = await shelved(text, "utf-8", form, block_bytes, 10**6)
        for offset in offsets:
            page = await shelf.ok("read", ref=ref, offset=offset, limit=limit)
            at = start(offset, len(text))
            assert (page["content"], page["offset"]) == (text[at : at + limit], at)
            page = await shelf.ok("read", ref=ref, offset=offset, limit=limit, unit="bytes")
            at = start(offset, len(data))
            assert (b64decode(page["content"]), page["offset"]) == (data[at : at + limit], at)
            page = await shelf.ok("read", ref=ref, offset=offset, limit=limit, unit="lines")
            at = start(offset, len(whole_lines))
            assert (page["content"], page["offset"]) == ("".join(whole_lines[at : at + limit]), at)
            numbered = await shelf.ok("read", ref=ref, offset=offset, limit=limit, unit="lines", numbered=True)
            shown = [f"{number:>6}\t{line}" for number, line in enumerate(whole_lines[at : at + limit], at + 1)]
            assert numbered["content"] == "".join(shown)

    with_blocks(block_bytes, test)


@given(
    data=st.one_of(st.binary(max_size=300), TEXTS.map(str.encode)),
    block_bytes=BLOCKS,
    piece_bytes=BLOCKS,
    encoding=ENCODINGS,
)
def test_what_is_noted_in_memory_is_the_index_that_would_be_stored(
    data: bytes, block_bytes: int, piece_bytes: int, encoding: str
) -> None:
    writing = Writing(mime_type=None, compression="none", head=data, encoding=encoding, block_bytes=block_bytes)
    writing.feed(data)
    writing.finish()
    stored = decode_index(writing.written.index or b"")
    noting = Noting(encoding, block_bytes)
    for at in range(0, len(data), piece_bytes):
        noting.feed(data[at : at + piece_bytes])
    index = noting.finish()
    assert index.facts == stored.facts
    for name in ("ends", "chars", "newlines", "stored", "checksums"):
        assert getattr(index, name) == getattr(stored, name), name
