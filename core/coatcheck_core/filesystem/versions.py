"""What a version of a file says of itself."""

import msgspec


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What a version begins with, as a line of JSON. Times are milliseconds since 1970.

    `written_by` is another for each write, `request_id` what the request said, of which an edit made `replacements`. At
    `marked_at` the version `marked` was the newest.
    """

    version: int
    bytes: int
    sha256: str
    modified_at: int
    written_by: str
    marked: int
    marked_at: int
    request_id: str | None = None
    replacements: int = 0
    is_emptied: bool = False


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """`text` is empty where the head alone was asked for."""

    head: Head
    text: str = ""


_DECODER = msgspec.json.Decoder(Head)


def head_of(line: bytes) -> Head:
    """Raises ValueError, RecursionError for what is none."""
    return _DECODER.decode(line)
