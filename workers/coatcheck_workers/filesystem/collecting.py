"""What one reply to a grep collects, by its mode."""

import msgspec

from coatcheck_core.filesystem.grepping import Hit, Lines
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import (
    MAX_PASSED,
    FileCount,
    GrepLine,
    GrepMode,
    GrepReply,
    PassedFile,
    PassedWhy,
)
from coatcheck_workers.retrieval.filling import FRAME_BYTES

_MOST_PASSED_BYTES = 8 * 1024
"""Of the names of files that could not be searched."""


class Collected:
    """Matching lines, files that have some, or how many each has. Matches come file by file, in order.

    `last` is the path and line of the last match that was taken.
    """

    def __init__(self, mode: GrepMode, limit: int, lines: Lines, max_reply_bytes: int) -> None:
        self.last: tuple[str, int] = ("", -1)
        self._mode = mode
        self._limit = limit
        self._lines = lines
        passed_bytes = min(_MOST_PASSED_BYTES, max_reply_bytes // 8)
        self._room = max_reply_bytes - FRAME_BYTES - passed_bytes
        self._taken = 0
        self._matches: list[GrepLine] = []
        self._counts: dict[str, int] = {}
        self._passed: dict[str, PassedFile | None] = {}
        self._passed_room = passed_bytes

    @property
    def count(self) -> int:
        """How many matching lines, or files, there are."""
        return self._taken

    @property
    def room(self) -> int:
        """The bytes of JSON that are left for them."""
        return self._room

    @property
    def missing(self) -> int:
        """How many more matching lines, or files, there is room for."""
        return self._limit - self._taken

    @property
    def wants_one_of_a_file(self) -> bool:
        return self._mode == "files"

    @property
    def wants_counts(self) -> bool:
        return self._mode == "count"

    def count_more(self, path: str, lines: int, last: int) -> None:
        """So many more lines of a file of which one was taken match, up to `last`, from 0."""
        self._counts[path] += lines
        self._lines.note(path, last)
        self.last = path, last

    def take(self, path: str, hit: Hit) -> bool:
        """False where it has no room; one of a line that was given needs none. Raises RequestError `too_large`."""
        if not (self._take_line(path, hit) if self._mode == "content" else self._take_file(path, hit)):
            return False
        self.last = path, hit.line
        return True

    def pass_over(self, path: str, why: PassedWhy) -> None:
        """Note a file that cannot be searched; by name as long as there is room for that."""
        if path in self._passed:
            return
        file = PassedFile(path=path, why=why)
        size = len(msgspec.json.encode(file)) + 1
        if size > self._passed_room or len(self._passed) >= MAX_PASSED:
            self._passed[path] = None
            return
        self._passed_room -= size
        self._passed[path] = file

    def drop(self, path: str) -> None:
        """Give nothing of a file, which was deleted meanwhile."""
        self._matches = [one for one in self._matches if one.path != path]
        self._counts.pop(path, None)
        self._lines.forget(path)

    def reply(self, cursor: str | None) -> GrepReply:
        reply = GrepReply(
            has_more=cursor is not None,
            cursor=cursor,
            passed=[file for file in self._passed.values() if file is not None],
            passed_count=len(self._passed),
        )
        if self._mode == "content":
            return msgspec.structs.replace(reply, matches=[*self._matches, *self._lines.rest()])
        if self._mode == "files":
            return msgspec.structs.replace(reply, files=list(self._counts))
        counts = [FileCount(path=path, count=count) for path, count in self._counts.items()]
        return msgspec.structs.replace(reply, counts=counts)

    def _take_line(self, path: str, hit: Hit) -> bool:
        if self._lines.has(path, hit.line):
            return True
        piece = self._lines.piece(path, hit) if self.missing else None
        # What is due had its room with the match before.
        if piece is None or not self._has_room(_size(piece.lines) + _size(piece.after)):
            self._matches += self._lines.rest(path, hit.line)
            return False
        self._matches += self._lines.give(piece)
        self._taken += 1
        return True

    def _take_file(self, path: str, hit: Hit) -> bool:
        if path not in self._counts:
            if not self.missing or not self._has_room(len(msgspec.json.encode(FileCount(path=path, count=2**53))) + 1):
                return False
            self._counts[path] = 0
            self._taken += 1
        if not self._lines.has(path, hit.line):
            self._lines.note(path, hit.line)
            self._counts[path] += 1
        return True

    def _has_room(self, size: int) -> bool:
        if size > self._room:
            if not self._taken:
                raise RequestError(
                    Code.TOO_LARGE, "one message has no room for a single match: ask for fewer lines around"
                )
            return False
        self._room -= size
        return True


def _size(lines: list[GrepLine]) -> int:
    """As JSON."""
    return sum(len(msgspec.json.encode(line)) + 1 for line in lines)
