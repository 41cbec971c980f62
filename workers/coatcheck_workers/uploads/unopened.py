"""Pieces that no event opens. Whoever may publish could fill COAT_CHUNKS with them for 30 days, and then no session's
large result has room. So each worker looks now and then at how many pieces each upload has: one that gets no more of
them, and that no event has opened, is dropped.

An upload is opened while its event is in COAT_RESULTS, where it stays until the result is stored, however long the
store is away; or in a dead letter whose retry finds the pieces. What is left under a call after that is of no use.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import Protocol

import msgspec

from coatcheck_core.failure import keeps_pieces
from coatcheck_schemas.errors import InvalidSegment, InvalidSubject
from coatcheck_schemas.letters import REASON_HEADER
from coatcheck_schemas.segments import check_segment
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.process.about import about_session
from coatcheck_workers.process.looking import look_now_and_then
from coatcheck_workers.streams.piece_stream import Filling
from coatcheck_workers.streams.ports import Kept, Log
from coatcheck_workers.streams.words import in_words

log = logging.getLogger("coatcheck.unopened")

EACH_SECONDS = 15.0
NEAR_FULL = 0.8
PRESSED_SECONDS = 30.0
"""How long an unopened upload may get no piece while the stream is nearly full; a client tries for 120 s to publish."""
MOST_AT_A_LOOK = 10_000
MOST_NAMED = 5
"""Sessions in the log of one look; the others are summed up."""
_READ_BYTES = 1024 * 1024
_WILDCARDS = frozenset("*>")


class PiecesKept(Protocol):
    """What is done to COAT_CHUNKS. Raises PublishError where it does not answer."""

    async def filling(self, pattern: str | None = None) -> Filling: ...
    async def first(self, pattern: str, after: int = 0) -> Kept | None: ...
    async def purge(self, pattern: str, through: int | None = None) -> None: ...
    async def delete(self, sequence: int) -> None: ...


class _Seen(msgspec.Struct, frozen=True):
    """So many pieces, since a time of this worker's clock."""

    pieces: int
    since: float


class Unopened:
    """Looks at COAT_CHUNKS; `dropped` is told of how many uploads were dropped.

    An upload goes after `idle_seconds` in which its number of pieces has not changed; while the stream is nearly full
    after PRESSED_SECONDS, those of the session with the most pieces first and of them the oldest, until there is room.
    """

    def __init__(
        self,
        chunks: PiecesKept,
        results: Log,
        dlq: Log,
        subjects: Subjects,
        idle_seconds: float,
        dropped: Callable[[int], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._chunks = chunks
        self._results = results
        self._dlq = dlq
        self._subjects = subjects
        self._idle_seconds = idle_seconds
        self._dropped = dropped
        self._clock = clock
        self._seen: dict[str, _Seen] = {}
        self._read: dict[str, int] = {}
        """Of the letters of a call, those of this look up to which none needs its pieces."""

    async def look_for_ever(self) -> None:
        await look_now_and_then(
            self.look,
            lambda: min(EACH_SECONDS, self._idle_seconds / 4),
            lambda error: log.warning("could not look for pieces that nothing opens: %s", in_words(error)),
        )

    async def look(self) -> None:
        filling = await self._chunks.filling(self._subjects.every_chunk)
        now = self._clock()
        self._read.clear()
        self._seen = {subject: self._seen_now(subject, pieces, now) for subject, pieces in filling.counts.items()}
        is_pressed = filling.fill >= NEAR_FULL
        patience = min(self._idle_seconds, PRESSED_SECONDS) if is_pressed else self._idle_seconds
        idle = [subject for subject, seen in self._seen.items() if now - seen.since >= patience]
        dropped: list[str] = []
        try:
            for subject in self._in_order(idle)[:MOST_AT_A_LOOK]:
                is_over = now - self._seen[subject].since >= self._idle_seconds
                if not is_over and is_pressed:
                    is_pressed = (await self._chunks.filling()).fill >= NEAR_FULL
                if (is_over or is_pressed) and not await self._is_open(subject):
                    await self._drop(subject)
                    dropped.append(subject)
        finally:
            self._tell(dropped)

    def _seen_now(self, subject: str, pieces: int, now: float) -> _Seen:
        before = self._seen.get(subject)
        return before if before is not None and before.pieces == pieces else _Seen(pieces, now)

    def _in_order(self, idle: list[str]) -> list[str]:
        held: Counter[str] = Counter()
        for subject in idle:
            held[self._session(subject)] += self._seen[subject].pieces
        return sorted(idle, key=lambda one: (-held[self._session(one)], self._seen[one].since))

    async def _is_open(self, subject: str) -> bool:
        """Whether an event of its call waits in COAT_RESULTS, or in a letter to be retried: it may be what opens it."""
        head = f"{self._subjects.prefix}.chunks."
        call, _, upload = subject.removeprefix(head).rpartition(".")
        try:
            check_segment(upload)
            at = self._subjects.parse_result(f"{self._subjects.prefix}.results.{call}")
        except (InvalidSegment, InvalidSubject):
            return False  # no event can name such an upload
        # A message that is set aside is in its letter before it leaves the queue; one that is tried again, the reverse.
        results, letters = self._subjects.results(at), self._subjects.dlq(at)
        return (
            await self._results.first(results) is not None
            or await self._may_be_retried(letters)
            or await self._results.first(results) is not None
        )

    async def _may_be_retried(self, letters: str) -> bool:
        """Whether a letter's retry needs the pieces, or may: a replica that lags behind has not all letters to read."""
        newest = await self._dlq.last(letters)
        after, until = self._read.get(letters, 0), newest.sequence if newest is not None else 0
        while after < until:
            batch = await self._dlq.read(letters, after, _READ_BYTES)
            if not batch or any(keeps_pieces(kept.headers.get(REASON_HEADER, "")) for kept in batch):
                return True
            after = self._read[letters] = batch[-1].sequence
        return False

    async def _drop(self, subject: str) -> None:
        """All under the subject, and nothing else: what stands there may be a wildcard, to which NATS says nothing."""
        if _WILDCARDS.isdisjoint(subject.split(".")):
            await self._chunks.purge(subject)
            return
        after = 0
        while (kept := await self._chunks.first(subject, after)) is not None:
            if kept.subject == subject:
                await self._chunks.delete(kept.sequence)
            after = kept.sequence

    def _session(self, subject: str) -> str:
        return subject.removeprefix(f"{self._subjects.prefix}.chunks.").partition(".")[0]

    def _tell(self, dropped: list[str]) -> None:
        """A line for each of the sessions that had the most."""
        if not dropped:
            return
        self._dropped(len(dropped))
        uploads = Counter(map(self._session, dropped))
        pieces: Counter[str] = Counter()
        for subject in dropped:
            pieces[self._session(subject)] += self._seen[subject].pieces
            del self._seen[subject]
        told = "%d uploads of session %s that nothing had opened were dropped, %d pieces"
        for session, count in pieces.most_common(MOST_NAMED):
            log.warning(told, uploads[session], session[:100], count, extra=about_session(session))
        if len(uploads) > MOST_NAMED:
            log.warning("and unopened uploads of %d more sessions", len(uploads) - MOST_NAMED)
