"""Taking an original's bytes while they come."""

from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from coatcheck.testing import MemoryStore
from coatcheck_core.contents import Contents
from coatcheck_core.original import Written
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.synopsis import Synopsis, UnknownFacts
from coatcheck_workers.uploads.taking import Place, Route, Taking

LARGE_BYTES = 64 * 1024


class Describer:
    """Notes when it was told that a synopsis will be wanted."""

    def __init__(self) -> None:
        self.is_prepared = False

    def prepare(self) -> None:
        self.is_prepared = True

    async def whole(self, path: str, written: Written, mime_type: str | None) -> Synopsis:
        return await self.ends(written, mime_type)

    async def ends(self, written: Written, mime_type: str | None) -> Synopsis:
        return Synopsis(kind="unknown", facts=UnknownFacts(why="time_limit", bytes=written.size))


@pytest.fixture
def describer() -> Describer:
    return Describer()


@pytest.fixture
def taking(describer: Describer) -> Iterator[Taking]:
    storage = StorageSettings(large_bytes=LARGE_BYTES)
    with ThreadPoolExecutor(1) as executor:
        yield Taking(store=MemoryStore(), storage=storage, executor=executor, describer=describer)


async def take(
    taking: Taking, chunks: AsyncGenerator[bytes, None], *, rest: bytes = b"", mime_type: str | None = None
) -> Contents:
    async def place(sha256: str) -> Place:
        return Place("key")

    async def foresee() -> Place:
        return Place("incoming")

    rests = [rest]
    taken = await taking.take(
        chunks,
        mime_type=mime_type,
        check=lambda sha256, size: None,
        route=Route(place, foresee),
        rest=lambda: rests.pop() if rests else b"",
    )
    assert taken.contents is not None
    return taken.contents


async def one_by_one(*chunks: bytes) -> AsyncGenerator[bytes, None]:
    for chunk in chunks:
        yield chunk


async def test_the_synopsis_of_a_large_original_is_prepared_while_it_still_comes(
    taking: Taking, describer: Describer
) -> None:
    were_prepared: list[bool] = []

    async def chunks() -> AsyncGenerator[bytes, None]:
        for _ in range(3):
            yield bytes(LARGE_BYTES)
            were_prepared.append(describer.is_prepared)

    await take(taking, chunks())
    assert were_prepared == [False, True, True]


async def test_nothing_is_prepared_for_a_small_original(taking: Taking, describer: Describer) -> None:
    async def chunks() -> AsyncGenerator[bytes, None]:
        yield bytes(LARGE_BYTES)

    await take(taking, chunks())
    assert not describer.is_prepared


CUT = {
    "utf-8": "\u641c".encode()[:2],
    "utf-16-le": "\U0001f600".encode("utf-16-le")[:3],
    "gb18030": "\U0001f600".encode("gb18030")[:3],
}
"""What is there of a char, in three encodings."""


@pytest.mark.parametrize("spool_bytes", [1, 1024 * 1024], ids=["passed on", "spooled"])
@pytest.mark.parametrize("lines", [10, 2730, 8000], ids=["small", "nearly large", "large"])
@pytest.mark.parametrize("encoding", CUT)
async def test_a_text_that_was_broken_off_within_a_char_is_a_text_without_that(
    taking: Taking, encoding: str, lines: int, spool_bytes: int
) -> None:
    whole = ("\u641c\u7d22 line\n" * lines).encode(encoding)
    at = len(whole) - 5
    contents = await take(
        msgspec.structs.replace(taking, spool_bytes=spool_bytes),
        one_by_one(whole[:at]),
        rest=whole[at:] + CUT[encoding],
        mime_type=f"text/plain; charset={encoding}",
    )
    assert (contents.size, contents.encoding) == (len(whole), encoding)
    assert contents.sha256 == sha256_hex(whole)
    assert (contents.chars, contents.lines) == (len(whole.decode(encoding)), lines)


@pytest.mark.parametrize("head", [b"", b"\xff\x00" * 20, b"\xff\x00" * LARGE_BYTES], ids=["all", "small", "large"])
async def test_of_what_is_no_text_all_is_kept_that_came(taking: Taking, head: bytes) -> None:
    rest = b"\xfe text \xc3"
    contents = await take(taking, one_by_one(head), rest=rest)
    assert (contents.encoding, contents.size, contents.sha256) == (None, len(head + rest), sha256_hex(head + rest))


async def test_a_last_char_of_an_encoding_of_single_bytes_is_whole(taking: Taking) -> None:
    contents = await take(taking, one_by_one(b"caf\xe9 "), rest=b"caf\xe9", mime_type="text/plain; charset=latin-1")
    assert (contents.encoding, contents.size) == ("iso8859-1", 9)
