"""Going on among paths by a cursor, which has the last one by the short name that it would be stored under."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Annotated

import msgspec

from coatcheck_core.filesystem.paths import stored_name as short_name
from coatcheck_schemas.filesystem import FileEntry
from coatcheck_workers.retrieval.cursors import decode_cursor, encode_cursor, malformed_cursor
from coatcheck_workers.retrieval.filling import Filling

__all__ = ["cursor_after", "filled", "index_after", "paths_after", "short_name"]


class _Last(msgspec.Struct, frozen=True, array_like=True):
    name: Annotated[str, msgspec.Meta(max_length=250)]


def index_after(paths: Sequence[str], name: str) -> int:
    """Where the path comes behind the one of this short name; `""` is before all.

    Raises RequestError `invalid_argument` where it is none of them.
    """
    if not name:
        return 0
    for number, path in enumerate(paths):
        if short_name(path) == name:
            return number + 1
    raise malformed_cursor()


def paths_after(paths: Sequence[str], cursor: str | None, asked: str) -> Sequence[str]:
    """The paths behind the one that the cursor names. Raises RequestError `invalid_argument`."""
    return paths if cursor is None else paths[index_after(paths, decode_cursor(cursor, asked, _Last).name) :]


def cursor_after(path: str, asked: str) -> str:
    return encode_cursor(asked, _Last(short_name(path)))


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
