"""`fs write` and `fs edit`."""

from functools import partial

from coatcheck_core.filesystem.edits import check_size, edited
from coatcheck_core.filesystem.paths import file_path
from coatcheck_core.filesystem.repeating import Asked, asked, done_before
from coatcheck_core.filesystem.versions import Done, Head
from coatcheck_schemas.errors import Code, ObjectExists, RequestError
from coatcheck_schemas.filesystem import (
    MAX_REQUEST_ID_CHARS,
    NO_VERSION,
    EditReply,
    EditRequest,
    WriteReply,
    WriteRequest,
)
from coatcheck_workers.retrieval.model import Retrieval
from coatcheck_workers.retrieval.originals.stored import off_loop

from .room import check_new, check_place
from .stored_versions import Found
from .tree import no_file
from .versions import Versions, being_deleted

RACES = 8
"""Tries of a request that meets another which was quicker each time."""


async def write_file(retrieval: Retrieval, session: str, request: WriteRequest) -> WriteReply:
    """Raises RequestError, StoreError."""
    path = _writable(retrieval, session, request)
    check_size(len(request.content.encode()))
    this = await off_loop(len(request.content), partial(asked, request))
    # Workers do not wait for each other; but a store may take a second over puts of one key at once.
    async with retrieval.writes.alone((session, path)):
        return await _written(retrieval, session, path, request, this)


async def _written(
    retrieval: Retrieval, session: str, path: str, request: WriteRequest, this: Asked | None
) -> WriteReply:
    versions = Versions(retrieval, session, path)
    for _ in range(RACES):
        found = await versions.newest(most_bytes=0)
        if (done := _done(found, this)) is not None:
            return WriteReply(path=path, bytes=done.bytes, version=str(done.version))
        _check_version(path, found, request.if_version)
        if found.version is None:
            await check_new(retrieval, session, path)
        try:
            head = await versions.write_after(found, request.content, request=this)
        except ObjectExists:
            continue
        if found.version is None:
            await _check_still(retrieval, session, path, versions, head, found)
        return WriteReply(path=path, bytes=head.bytes, version=str(head.version))
    raise _too_many_races(path)


async def _check_still(
    retrieval: Retrieval, session: str, path: str, versions: Versions, head: Head, found: Found
) -> None:
    """Another may have written, meanwhile, a file that this one has as a folder, or below it: one of both sees it.

    Raises RequestError `conflict`, with nothing left of this one.
    """
    try:
        await check_place(retrieval, session, path)
    except RequestError as error:
        if error.code is not Code.INVALID_ARGUMENT:
            raise
        await versions.take_back(head, found)
        raise RequestError(
            Code.CONFLICT, f"another was written at the same time, and {error.message}", path=path[:200]
        ) from None


async def edit_file(retrieval: Retrieval, session: str, request: EditRequest) -> EditReply:
    """Always of the newest version: what another has written meanwhile is edited, never lost.

    Raises RequestError, StoreError.
    """
    path = _writable(retrieval, session, request)
    this = await off_loop(len(request.old_string) + len(request.new_string), partial(asked, request))
    async with retrieval.writes.alone((session, path)):
        return await _edited(retrieval, session, path, request, this)


async def _edited(retrieval: Retrieval, session: str, path: str, request: EditRequest, this: Asked | None) -> EditReply:
    old, new = request.old_string, request.new_string
    versions = Versions(retrieval, session, path)
    for _ in range(RACES):
        found = await versions.newest()
        if (done := _done(found, this)) is not None:
            return EditReply(path=path, replacements=done.replacements, version=str(done.version))
        _check_version(path, found, request.if_version)
        if found.version is None:
            raise await no_file(retrieval, session, path, found)
        text = found.version.text
        change = partial(edited, text, old, new, replace_all=request.replace_all)
        changed, count = await off_loop(len(text), change)
        try:
            head = await versions.write_after(found, changed, request=this, replacements=count)
        except ObjectExists:
            continue
        return EditReply(path=path, replacements=count, version=str(head.version))
    raise _too_many_races(path)


def _done(found: Found, this: Asked | None) -> Done | None:
    """What this very request has made before: it came again, since its answer was lost on the way."""
    return None if found.version is None else done_before(found.version.head, this)


def _writable(retrieval: Retrieval, session: str, request: WriteRequest | EditRequest) -> str:
    whole = file_path(request.path)
    if request.request_id is not None and len(request.request_id) > MAX_REQUEST_ID_CHARS:
        raise RequestError(Code.INVALID_ARGUMENT, f"request_id may have {MAX_REQUEST_ID_CHARS} chars")
    if retrieval.tombstones.is_being_erased(session):
        raise being_deleted()
    return whole


def _check_version(path: str, found: Found, wanted: str | None) -> None:
    present = NO_VERSION if found.version is None else str(found.version.head.version)
    if wanted is None or wanted == present:
        return
    what = "there is no such file" if found.version is None else f"its version is {present}"
    raise RequestError(
        Code.CONFLICT,
        f"{path[:200]} is not of version {wanted[:40]!r}, {what}: read it anew, and repeat what is still wanted",
        path=path[:200],
        version=present,
    )


def _too_many_races(path: str) -> RequestError:
    return RequestError(
        Code.CONFLICT,
        f"others changed {path[:200]} {RACES} times meanwhile, so nothing was written: try again",
        path=path[:200],
    )
