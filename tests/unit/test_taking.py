"""Taking an original's bytes while they come."""

from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from coatcheck.testing import MemoryStore
from coatcheck_core.original import Written
from coatcheck_core.settings.model import StorageSettings
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


async def take(taking: Taking, chunks: AsyncGenerator[bytes, None]) -> None:
    async def place(sha256: str) -> Place:
        return Place("key")

    async def foresee() -> Place:
        return Place("incoming")

    await taking.take(chunks, mime_type=None, check=lambda sha256, size: None, route=Route(place, foresee))


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
