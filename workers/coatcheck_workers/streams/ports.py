"""The edges that decisions are carried out on: what of NATS a simulation can stand in for."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

import msgspec


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A message as a stream keeps it; `at` is when the stream received it."""

    subject: str
    sequence: int
    at: datetime
    headers: Mapping[str, str]
    body: bytes


class Publishing(Protocol):
    """Writes to streams. Everything raises PublishError where it is unknown whether the message was stored."""

    async def once(self, subject: str, body: bytes) -> bool:
        """Store `subject` in COAT_STUBS and let it be heard; false, and nothing, where something is under it."""
        ...

    async def append(self, subject: str, body: bytes, headers: dict[str, str]) -> int:
        """The message's sequence. Raises WrongLastSequence where an expectation among the headers fails."""
        ...


class Log(Protocol):
    """Reads one stream and takes from it. Raises PublishError where the stream does not answer."""

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        """The next messages under the pattern after a sequence, in order: all, or the first `max_bytes` or so of them.

        At least one where there is one, so that reading on to an empty answer reads all.
        """
        ...

    async def last(self, subject: str) -> Kept | None:
        """The last message under the subject, as the stream's leader has it."""
        ...

    async def first(self, pattern: str, after: int = 0) -> Kept | None:
        """The oldest message under the pattern after a sequence, as the stream's leader has it."""
        ...

    async def purge(self, pattern: str, through: int | None = None) -> None:
        """All messages under the pattern, or those up to a sequence."""
        ...
