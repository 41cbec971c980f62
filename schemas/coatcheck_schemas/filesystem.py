"""The requests `coat.fs.SESSION.OP` and their replies: a session's files, and its results as if they were files.

Paths begin at `/`, the session's own root; what is relative is taken from there, and `""` is `/`.
"""

from typing import Literal

import msgspec

from .requests import ReadReply, Unit

OPERATIONS = ("ls", "read", "write", "edit", "glob", "grep")
RESULTS_FOLDER = "/large_tool_result"
"""Read-only: `{call}` is the newest result of a call, `{result_id}` each."""
MAX_PATH_CHARS = 2000
MAX_PATTERN_CHARS = 1000
MAX_REQUEST_ID_CHARS = 64
MAX_FILES = 10_000
"""Of one session, its results not counted."""
MAX_FILE_BYTES = 8 * 1024 * 1024
"""Of one file, which edits may have made; what one `write` brings must fit in one message."""
NO_VERSION = "0"
"""As `if_version`: the file must not be there yet."""

MAX_PASSED = 20
"""Files that one reply to a grep names of those that it could not search."""

GrepMode = Literal["content", "files", "count"]
PassedWhy = Literal["binary", "damaged", "gone"]


class FileEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A file, or a folder: that is there as long as files are below it, and has neither bytes nor a time."""

    path: str
    is_dir: bool
    bytes: int | None
    modified_at: str | None


class LsRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What lies directly in a folder; of a file, the file alone. `limit` is 1 to 1000."""

    path: str = ""
    limit: int = 200
    cursor: str | None = None


class LsReply(msgspec.Struct, frozen=True, kw_only=True):
    """In the order of the paths; of results the newest first, where they are more than the limit."""

    entries: list[FileEntry]
    has_more: bool
    cursor: str | None


class FileReadRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of a file, as of an original: `coatcheck_schemas.requests.ReadRequest` has the meanings."""

    path: str
    offset: int = 0
    limit: int | None = None
    unit: Unit = "lines"
    numbered: bool = False


class FileReadReply(ReadReply, frozen=True, kw_only=True):
    """`version` is what `if_version` takes; null for a result, which never changes.

    `ref` is the original that was read, which a call's path may name another time after; null for an own file.
    """

    version: str | None = None
    ref: str | None = None


class WriteRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole of a file, over what is there. With `if_version` only where that is the file's version, `conflict`
    otherwise; `"0"` where there must be no such file. A request that is sent again with its `request_id` (of at most 64
    chars, another for each change; `""` is none) is done once, and answered as the first time, up to 15 later changes.
    """

    path: str
    content: str
    if_version: str | None = None
    request_id: str | None = None


class WriteReply(msgspec.Struct, frozen=True, kw_only=True):
    """`path` is as `ls` has it; `version` is what `if_version` takes."""

    path: str
    bytes: int
    version: str


class EditRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`old_string` must occur exactly once, or with `replace_all` at least once. The others are WriteRequest's."""

    path: str
    old_string: str
    new_string: str
    replace_all: bool = False
    if_version: str | None = None
    request_id: str | None = None


class EditReply(msgspec.Struct, frozen=True, kw_only=True):
    """How often it was replaced, and the version that was made so."""

    path: str
    replacements: int
    version: str


class GlobRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Files whose path below `path` matches: `*` and `?` are of one name, `[a-z]` and `[!a-z]` one char, `{a,b}` is
    either, and `**` as a whole name is any number of folders. A pattern that begins with `/` is of the whole path.
    `limit` is 1 to 1000.
    """

    pattern: str
    path: str = ""
    limit: int = 200
    cursor: str | None = None


class GlobReply(msgspec.Struct, frozen=True, kw_only=True):
    """In the order of the paths."""

    entries: list[FileEntry]
    has_more: bool
    cursor: str | None


class GrepRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lines in which an expression of RE2 matches, each looked at alone, in a file or in all below a folder.

    `glob` chooses files as GlobRequest does, and by their name alone where it has no `/`. `before` and `after` (0 to
    50) are lines around each. What cannot be searched is passed over, and the reply says so; where `path` names it
    that is an error, `invalid_argument` for what is no text. `limit` (1 to 1000) counts matching lines, or the files
    of the other two modes. A cursor goes on with the same pattern, path and options.
    """

    pattern: str
    path: str = ""
    glob: str | None = None
    ignore_case: bool = False
    before: int = 0
    after: int = 0
    mode: GrepMode = "content"
    limit: int = 100
    cursor: str | None = None


class GrepLine(msgspec.Struct, frozen=True, kw_only=True):
    """`line` counts from 1. `text` is without the line's end, and of a giant line what is around the match."""

    path: str
    line: int
    text: str
    is_context: bool = False


class FileCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many lines of the file match."""

    path: str
    count: int


class PassedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was not searched: it is `binary`, `damaged`, or `gone` since it was come by."""

    path: str
    why: PassedWhy


class GrepReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`matches`, `files` or `counts`, by the mode. A grep that ran out of time has more, and may have found nothing.

    Where `has_more` is, the last file's count goes on in the next reply, and the same file may come again. `ref` is the
    original that was searched, where the path names one. `passed_count` files were not searched, of which `passed` has
    the first 20; each is in one reply of those that a cursor leads through.
    """

    has_more: bool
    cursor: str | None
    matches: list[GrepLine] | msgspec.UnsetType = msgspec.UNSET
    files: list[str] | msgspec.UnsetType = msgspec.UNSET
    counts: list[FileCount] | msgspec.UnsetType = msgspec.UNSET
    ref: str | None = None
    passed: list[PassedFile] = []
    passed_count: int = 0
