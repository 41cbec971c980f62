"""A session's files: its own, and its results in `/large_tool_result`."""

import secrets
from collections.abc import AsyncIterator
from typing import Any, Protocol, TypedDict, TypeVar, Unpack

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import (
    RESULTS_FOLDER,
    EditReply,
    EditRequest,
    FileEntry,
    FileReadReply,
    FileReadRequest,
    GlobReply,
    GlobRequest,
    GrepMode,
    GrepReply,
    GrepRequest,
    LsReply,
    LsRequest,
    WriteReply,
    WriteRequest,
)
from coatcheck_schemas.refs import parse_ref
from coatcheck_schemas.requests import ReadReply, ReadRequest, Unit

from . import following

_Ok = TypeVar("_Ok")

_SHOWN_CHARS = 200
_WAY_OUT = (
    "split the text over several files, write a part of it and add the rest by edits, or publish it as a result, which"
    " may be of any size"
)


class Ask(Protocol):
    """One operation's request and its reply. Raises RequestError."""

    async def __call__(self, operation: str, request: msgspec.Struct, ok: type[_Ok]) -> _Ok: ...


class GrepOptions(TypedDict, total=False):
    """`glob` chooses files; `before` and `after` (0) are lines around each match; `mode` is content, files or count.

    `ignore_case` is off unless set. `limit` (100) lines, or files, come at a time.
    """

    glob: str | None
    ignore_case: bool
    before: int
    after: int
    mode: GrepMode
    limit: int


class Files:
    """Made by `client.fs(session)`. A path begins at the session's root, `/`; results can be read, not written.

    Each raises RequestError: a worker's own, or `unavailable` where none answers.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def ls(self, path: str = "", *, limit: int = 200, cursor: str | None = None) -> LsReply:
        """What lies directly in a folder, a page of it."""
        return await self._ask("ls", LsRequest(path=path, limit=limit, cursor=cursor), LsReply)

    async def read(
        self,
        path: str,
        *,
        offset: int = 0,
        limit: int | None = None,
        unit: Unit = "lines",
        numbered: bool = False,
    ) -> FileReadReply:
        """A part of a file, by lines unless said otherwise; `next` of the reply says where to go on."""
        request = FileReadRequest(path=path, offset=offset, limit=limit, unit=unit, numbered=numbered)
        return await self._ask("read", request, FileReadReply)

    def pages(
        self, path: str, *, offset: int = 0, limit: int | None = None, unit: Unit = "lines", numbered: bool = False
    ) -> AsyncIterator[ReadReply]:
        """A file's pages from an offset to its end, as `client.pages` has them of an original.

        A call's result is the same to its end. An own file that is changed meanwhile raises RequestError `conflict`:
        pages of two versions are no text of either.
        """
        version: str | None = None
        first = ReadRequest(ref=path, offset=offset, limit=limit, unit=unit, numbered=numbered)

        async def asking(request: ReadRequest) -> ReadReply:
            nonlocal path, version
            fields = msgspec.structs.asdict(request)
            page = await self.read(path, **{name: fields[name] for name in ("offset", "limit", "unit", "numbered")})
            path, before, version = path_of(page) or path, version, page.version
            if before is not None and before != version:
                raise RequestError(
                    Code.CONFLICT,
                    f"{path[:_SHOWN_CHARS]} was changed amid its pages, from version {before} to {version}: begin anew",
                    path=path[:_SHOWN_CHARS],
                    version=version,
                )
            return page

        return following.pages(asking, first)

    async def write(self, path: str, content: str, *, if_version: str | None = None) -> WriteReply:
        """Write a whole file, as much as one message carries; `too_large` says how much that is.

        With `if_version` only where the file is of that version, `conflict` otherwise; `"0"`: where there is none yet.
        """
        request = WriteRequest(path=path, content=content, if_version=if_version, request_id=_new_id())
        return await self._change("write", request, WriteReply)

    async def edit(
        self,
        path: str,
        old_string: str,
        new_string: str,
        *,
        replace_all: bool = False,
        if_version: str | None = None,
    ) -> EditReply:
        """Replace a text that occurs exactly once, or everywhere. Of edits at once none is lost."""
        request = EditRequest(
            path=path,
            old_string=old_string,
            new_string=new_string,
            replace_all=replace_all,
            if_version=if_version,
            request_id=_new_id(),
        )
        return await self._change("edit", request, EditReply)

    async def glob(self, pattern: str, path: str = "", *, limit: int = 200, cursor: str | None = None) -> GlobReply:
        """The files below a folder whose paths match: `**` is any folders, `*` and `?` are of one name."""
        request = GlobRequest(pattern=pattern, path=path, limit=limit, cursor=cursor)
        return await self._ask("glob", request, GlobReply)

    async def grep(
        self, pattern: str, path: str = "", *, cursor: str | None = None, **options: Unpack[GrepOptions]
    ) -> GrepReply:
        """The lines that match an expression (RE2), in a file or below a folder.

        A grep ends at a time limit of the workers, with what was found by then and a cursor to go on.
        """
        return await self._ask("grep", GrepRequest(pattern=pattern, path=path, cursor=cursor, **options), GrepReply)

    async def entries(
        self, path: str = "", *, pattern: str | None = None, limit: int = 1000
    ) -> AsyncIterator[FileEntry]:
        """All that `ls` gives of a folder, or with a pattern `glob`, one after the other."""
        cursor: str | None = None
        while True:
            reply: Any
            if pattern is None:
                reply = await self.ls(path, limit=limit, cursor=cursor)
            else:
                reply = await self.glob(pattern, path, limit=limit, cursor=cursor)
            for entry in reply.entries:
                yield entry
            cursor = reply.cursor
            if cursor is None:
                return

    async def _change(self, operation: str, request: WriteRequest | EditRequest, ok: type[_Ok]) -> _Ok:
        """What one message does not carry is told with the writer's way out, not the reader's."""
        try:
            return await self._ask(operation, request, ok)
        except RequestError as error:
            most = _carried(error)
            if most is None:
                raise
            told = f"{operation} of {request.path[:_SHOWN_CHARS]!r} takes more than the {most} bytes of one message"
            raise RequestError(error.code, f"{told}: {_WAY_OUT}", **error.details) from None


def path_of(page: FileReadReply) -> str | None:
    """Where a result that was read is a file for good; None of an own file."""
    return None if page.ref is None else f"{RESULTS_FOLDER}/{parse_ref(page.ref).result_id}"


def _carried(error: RequestError) -> object:
    """The bytes that one message may have, where a request had more; None for other errors."""
    if error.code is not Code.TOO_LARGE:
        return None
    details = error.details
    return details.get("value") if details.get("limit") == "requests.body_bytes" else details.get("max_bytes")


def _new_id() -> str:
    """A request is asked again where the connection breaks: by this it is done once."""
    return secrets.token_hex(8)
