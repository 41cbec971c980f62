"""The metadata of results that have been read: a second read of one asks the store for its bytes alone.

No more than a hint: a result may have been deleted since, and stored anew in another form. Whoever uses it touches the
object in every case, and where that is missing or does not match reads the metadata anew.
"""

import msgspec

from coatcheck_core.filesystem.versions import Version
from coatcheck_schemas.events import Part
from coatcheck_schemas.keys import TimeEntry
from coatcheck_schemas.metadata import Metadata

from .recent import Recent

MOST_BYTES = 8 * 1024 * 1024
_LEAST_BYTES = 1000
"""What the objects of the smallest take."""
_BYTES_PER_BYTE = 3
"""What decoded metadata takes in memory for each byte of its JSON: 1.5 to 2, and a little more where that is short."""
MOST_FILE_BYTES = 24 * 1024 * 1024
MOST_PASSAGE_BYTES = 8 * 1024 * 1024
MOST_NAME_BYTES = 4 * 1024 * 1024
MOST_NEWEST = 5000
MOST_LISTED = 5000
"""Parts that only a list of blocks names; each takes some hundred bytes."""

MOST_ROOM = 5000


class KeptFile(msgspec.Struct, frozen=True):
    """A version of an own file, where it lies, and what marks it there."""

    key: str
    mark: str | None
    version: Version


class Named(msgspec.Struct, frozen=True):
    """What a call's path named: the result, and its entry where that was what told.

    `is_far`: so much came after it that its call's results tell sooner what is the newest.
    """

    result_id: str
    entry: TimeEntry | None = None
    is_far: bool = False


class Passage(msgspec.Struct, frozen=True):
    """What an original's object has from `start` on, as it is stored."""

    start: int
    data: bytes

    def get(self, start: int, stop: int) -> bytes | None:
        """The object's bytes `start` to `stop`; None where not all of them are here."""
        if start < self.start or stop > self.start + len(self.data):
            return None
        return self.data[start - self.start : stop - self.start]


class Known:
    """One worker's, by session and result id.

    `listed` are parts by session, result id, number, and the sha256 of the list that names them: with that they are no
    hint, for a list says the same for ever; nor are `names`, the paths that shortened stored names stand for. `newest`
    is what a call's path named last, `files` the versions of own files that were read last, both by
    session and path; `passages` are what was fetched of originals by such a path, each by session, result id and whole
    sha256; `room` is how many own files a session may get before they are counted anew, `paths` how many paths of such
    it had when all were listed last.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._recent: Recent[tuple[str, str], Metadata] = Recent(most_bytes)
        self.listed: Recent[tuple[str, str, int, str], Part] = Recent(MOST_LISTED)
        self.newest: Recent[tuple[str, str], Named] = Recent(MOST_NEWEST)
        self.files: Recent[tuple[str, str], KeptFile] = Recent(MOST_FILE_BYTES)
        self.passages: Recent[tuple[str, str, str], Passage] = Recent(MOST_PASSAGE_BYTES)
        self.names: Recent[str, str] = Recent(MOST_NAME_BYTES)
        self.room: Recent[str, int] = Recent(MOST_ROOM)
        self.paths: Recent[str, int] = Recent(MOST_ROOM)

    def get(self, session: str, result_id: str) -> Metadata | None:
        return self._recent.get((session, result_id))

    def put(self, session: str, metadata: Metadata, encoded_bytes: int) -> None:
        self._recent.put((session, metadata.result_id), metadata, _LEAST_BYTES + _BYTES_PER_BYTE * encoded_bytes)

    def drop(self, session: str, result_id: str) -> None:
        self._recent.drop((session, result_id))

    @property
    def bytes(self) -> int:
        """What they take, by a guess that is rather too high."""
        return self._recent.bytes
