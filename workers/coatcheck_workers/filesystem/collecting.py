"""What one reply to a grep collects, by its mode."""

import msgspec

from coatcheck_core.filesystem.grepping import Hit, Lines
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import FileCount, GrepLine, GrepMode, GrepReply
from coatcheck_workers.retrieval.filling import FRAME_BYTES


class Collected:
    """Matching lines, files that have some, or how many each has. Matches come file by file, in order.

    `last` is the path and line of the last match that was taken.
    """

    def __init__(self, mode: GrepMode, limit: int, lines: Lines, max_reply_bytes: int) -> None:
        self.last: tuple[str, int] = ("", -1)
        self._mode = mode
        self._limit = limit
        self._lines = lines
        self._room = max_reply_bytes - FRAME_BYTES
        self._taken = 0
        self._matches: list[GrepLine] = []
        self._counts: dict[str, int] = {}

    @property
    def missing(self) -> int:
        """How many more matching lines, or files, there is room for."""
        return self._limit - self._taken

    @property
    def wants_one_of_a_file(self) -> bool:
        return self._mode == "files"

    def take(self, path: str, hit: Hit) -> bool:
        """False where it has no room; one of a line that was given needs none. Raises RequestError `too_large`."""
        if not (self._take_line(path, hit) if self._mode == "content" else self._take_file(path, hit)):
            return False
        self.last = path, hit.line
        return True

    def reply(self, cursor: str | None) -> GrepReply:
        has_more = cursor is not None
        if self._mode == "content":
            return GrepReply(has_more=has_more, cursor=cursor, matches=self._matches)
        if self._mode == "files":
            return GrepReply(has_more=has_more, cursor=cursor, files=list(self._counts))
        counts = [FileCount(path=path, count=count) for path, count in self._counts.items()]
        return GrepReply(has_more=has_more, cursor=cursor, counts=counts)

    def _take_line(self, path: str, hit: Hit) -> bool:
        if self._lines.has(path, hit.line):
            return True
        if not self.missing:
            return False
        shown = list(self._lines.shown(path, hit))
        if not self._has_room(sum(len(msgspec.json.encode(line)) + 1 for line in shown)):
            return False
        self._matches += shown
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
