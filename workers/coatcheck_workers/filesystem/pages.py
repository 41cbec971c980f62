"""Going on among paths by a cursor, which has the last one by the short name that it would be stored under."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Annotated

import msgspec

from coatcheck_core.filesystem.paths import stored_name
from coatcheck_schemas.filesystem import FileEntry
from coatcheck_workers.retrieval.cursors import decode_cursor, encode_cursor, malformed_cursor
from coatcheck_workers.retrieval.filling import Filling


class _Last(msgspec.Struct, frozen=True, array_like=True):
    name: Annotated[str, msgspec.Meta(max_length=250)]


def paths_after(paths: Sequence[str], cursor: str | None, asked: str) -> Sequence[str]:
    """The paths behind the one that the cursor names. Raises RequestError `invalid_argument`."""
    if cursor is None:
        return paths
    name = decode_cursor(cursor, asked, _Last).name
    for number, path in enumerate(paths):
        if stored_name(path) == name:
            return paths[number + 1 :]
    raise malformed_cursor()


def cursor_after(path: str, asked: str) -> str:
    return encode_cursor(asked, _Last(stored_name(path)))


async def filled(
    filling: Filling[FileEntry], entries: AsyncGenerator[FileEntry, None], is_enough: Callable[[], bool] = lambda: False
) -> bool:
    """Take entries while there is room and `is_enough` does not say to stop; whether all were taken."""
    async with aclosing(entries):
        async for entry in entries:
            if not filling.take(entry):
                return False
            if is_enough():
                return False
    return True
