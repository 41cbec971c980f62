"""The synopsis of an original that is not in memory: in a child process, of all of it or of its two ends."""

import logging
from functools import partial
from pathlib import Path
from typing import Protocol

from coatcheck_core.original import Written, read_raw
from coatcheck_core.synopsis import synopsize_ends
from coatcheck_schemas.metadata import Form
from coatcheck_schemas.synopsis import Synopsis, UnknownFacts, Why
from coatcheck_workers.isolation import IsolatedPool, NoChild, WorkerKilled
from coatcheck_workers.isolation.synopses import synopsize_within, within

log = logging.getLogger("coatcheck.synopses")


class Describer(Protocol):
    """What makes these synopses."""

    def prepare(self) -> None:
        """One will be wanted soon; nothing is waited for, and nothing is raised."""

    async def whole(self, path: str, written: Written, mime_type: str | None) -> Synopsis:
        """Of what is stored under the path, as far as that can be looked at in time; else of its two ends."""

    async def ends(self, written: Written, mime_type: str | None) -> Synopsis:
        """Of the first and the last bytes, and of what was counted while all of it passed."""


class ChildDescriber:
    """In one of the children that make the synopses of large results; `seconds` of CPU for each."""

    def __init__(self, pool: IsolatedPool, seconds: float) -> None:
        self._pool = pool
        self._seconds = seconds

    def prepare(self) -> None:
        self._pool.prepare(load)

    async def whole(self, path: str, written: Written, mime_type: str | None) -> Synopsis:
        try:
            synopsis = await self._pool.run(
                synopsize_file, self._seconds, path, written.form, written.stored_bytes, written.size, mime_type
            )
        except (WorkerKilled, NoChild, OSError) as error:
            log.warning("no synopsis of a whole original of %d bytes: %s", written.size, error)
            return await self.ends(written, mime_type)
        is_plain = isinstance(synopsis.facts, UnknownFacts) and synopsis.facts.why in ("time_limit", "fault")
        return await self.ends(written, mime_type) if is_plain else synopsis

    async def ends(self, written: Written, mime_type: str | None) -> Synopsis:
        counted = (written.size, written.chars, written.lines, written.encoding)
        try:
            return await self._pool.run(ends_within, self._seconds, written.head, written.tail, counted, mime_type)
        except (WorkerKilled, NoChild) as error:
            log.warning("no synopsis of the ends of an original of %d bytes: %s", written.size, error)
            return _plain(written.size, "time_limit")


def load() -> None:
    """In the child: it has loaded this file, and with it all that makes synopses."""


def synopsize_file(
    seconds: float, path: str, form: Form, stored_bytes: int, size: int, mime_type: str | None
) -> Synopsis:
    """In the child: of the file's first `stored_bytes`, which are `size` once they are decompressed."""
    with Path(path).open("rb") as file:
        data = read_raw(file, form, size)
    return synopsize_within(seconds, data, mime_type)


def ends_within(
    seconds: float,
    head: bytes,
    tail: bytes,
    counted: tuple[int, int | None, int | None, str | None],
    mime_type: str | None,
) -> Synopsis:
    """In the child; `counted` are bytes, chars, lines and the encoding of the whole."""
    size, chars, lines, encoding = counted
    make = partial(synopsize_ends, head, tail, size, mime_type, chars=chars, lines=lines, encoding=encoding)
    return within(seconds, lambda step: make(step=step), partial(_plain, size))


def _plain(size: int, why: Why) -> Synopsis:
    return Synopsis(kind="unknown", facts=UnknownFacts(why=why, bytes=size))
