"""What a version of a file says of itself."""

import msgspec


class Done(msgspec.Struct, frozen=True, array_like=True):
    """A change that was made: short hashes of its request's id and of all that it asked for, and what it was told."""

    request_id: str
    request: str
    version: int
    bytes: int
    replacements: int


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What a version begins with, as a line of JSON. Times are milliseconds since 1970.

    `written_by` is another for each write. `done` are the last changes whose requests had an id, the newest last. At
    `marked_at` the version `marked` was the newest.
    """

    version: int
    bytes: int
    sha256: str
    modified_at: int
    written_by: str
    marked: int
    marked_at: int
    done: list[Done] = []
    is_emptied: bool = False


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """`text` is empty where the head alone was asked for."""

    head: Head
    text: str = ""


_DECODER = msgspec.json.Decoder(Head)


def head_of(line: bytes) -> Head:
    """Raises ValueError, RecursionError for what is none."""
    return _DECODER.decode(line)
