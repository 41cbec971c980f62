"""Whether a new file may be where it is to be: for what lies above and below it, and for how many there are."""

from functools import partial

from coatcheck_core.filesystem.paths import ancestors
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import MAX_FILES
from coatcheck_workers.process.side_by_side import all_of, few_at_a_time
from coatcheck_workers.retrieval.model import Retrieval

from .tree import file_below, is_file, own_paths

_FEW = 16
"""Folders above a file that are looked up one by one."""
_SHARES = 16
"""Of what is left when its files were counted a worker may add one such share before it counts them anew: workers do
not know what others add.
"""


async def check_new(retrieval: Retrieval, session: str, path: str) -> None:
    """Raises RequestError where a new file may not be there: for what is there already, or for how much that is."""
    await all_of([check_place(retrieval, session, path), _check_room(retrieval, session, path)])


async def check_place(retrieval: Retrieval, session: str, path: str) -> None:
    """Raises RequestError `invalid_argument` where a file lies below the path, or where a folder above it is one."""
    above, below = await all_of([_file_above(retrieval, session, path), file_below(retrieval, session, path)])
    if below is not None:
        raise _taken(path, "a folder")
    if above is not None:
        raise _taken(above, "a file, so nothing lies below it")


async def _check_room(retrieval: Retrieval, session: str, path: str) -> None:
    left = retrieval.known.room.get(session)
    if left is None or left <= 0:
        paths = await own_paths(retrieval, session)
        if len(paths) >= MAX_FILES and path not in paths:
            raise RequestError(
                Code.TOO_LARGE, f"a session has {MAX_FILES} files at most: write into one of these", limit=MAX_FILES
            )
        left = (MAX_FILES - len(paths)) // _SHARES
    retrieval.known.room.put(session, left - 1, 1)
    retrieval.known.paths.put(session, (retrieval.known.paths.get(session) or 0) + 1, 1)


async def _file_above(retrieval: Retrieval, session: str, path: str) -> str | None:
    folders = ancestors(path)
    if len(folders) > _FEW:
        there = set(await own_paths(retrieval, session))
        folders = [folder for folder in folders if folder in there]
    are_files = await few_at_a_time([partial(is_file, retrieval, session, folder) for folder in folders])
    return next((folder for folder, is_file in zip(folders, are_files, strict=True) if is_file), None)


def _taken(path: str, kind: str) -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, f"{path[:200]} is {kind}: choose another path")
