"""What no consumer will be given any more, and is there all the same.

A nats-server that was killed under a load may come back with messages in COAT_RESULTS below the consumer's ack floor:
acknowledged, and their removal was lost; or, where the end of the stream was lost, new ones that got old places. It
gives neither to anybody, for ever. So each worker looks now and then, and puts such a message in at the end of the
stream again: what was handled before is known by its stub and its turn's ledger, and nothing comes of it.
"""

import logging
from collections.abc import Awaitable, Callable

from coatcheck_workers.process.about import about
from coatcheck_workers.process.looking import look_now_and_then
from coatcheck_workers.streams.ports import Kept, Log, Publishing
from coatcheck_workers.streams.tombstone import NoTombstones
from coatcheck_workers.streams.words import in_words

log = logging.getLogger("coatcheck.left_behind")

EACH_SECONDS = 20.0
MOST_AT_A_LOOK = 1000
_EVERYTHING = ">"
_NATS_HEADERS = "nats-"
"""They would act again: a message id would make the copy a repetition of what it is to replace."""


class LeftBehind:
    """Looks at the oldest of COAT_RESULTS; `floor` is the sequence up to which the consumer has acknowledged all."""

    def __init__(
        self,
        results: Log,
        publisher: Publishing,
        floor: Callable[[], Awaitable[int]],
        tombstones: NoTombstones,
    ) -> None:
        self._tombstones = tombstones
        self._results = results
        self._publisher = publisher
        self._floor = floor
        self._seen: int | None = None

    async def look_for_ever(self) -> None:
        await look_now_and_then(
            self.look,
            lambda: EACH_SECONDS,
            lambda error: log.warning("could not look for what was left behind: %s", in_words(error)),
        )

    async def look(self) -> None:
        """Put in again what the look before has seen in its place: an acknowledgement may have been on its way."""
        floor = await self._floor()
        oldest = await self._results.first(_EVERYTHING)
        seen, self._seen = self._seen, None if oldest is None or oldest.sequence > floor else oldest.sequence
        if oldest is None or self._seen is None or seen != self._seen:
            return
        for _ in range(MOST_AT_A_LOOK):
            if await self._is_of_the_dead(oldest):
                told = "%r was left behind by the server; its session is deleted, and so is it"
                log.warning(told, oldest.subject, extra=about(oldest.subject))
            else:
                await self._put_in_again(oldest)
            await self._results.purge(oldest.subject, oldest.sequence)
            oldest = await self._results.first(_EVERYTHING)
            if oldest is None or oldest.sequence > floor:
                return

    async def _put_in_again(self, kept: Kept) -> None:
        told = "%r was left behind at %d by the server; it is put in again"
        log.warning(told, kept.subject, kept.sequence, extra=about(kept.subject))
        headers = {name: text for name, text in kept.headers.items() if not name.lower().startswith(_NATS_HEADERS)}
        await self._publisher.append(kept.subject, kept.body, headers)

    async def _is_of_the_dead(self, kept: Kept) -> bool:
        """Whether its session was deleted since: as a new message it would live again."""
        session = (kept.subject.split(".")[-3:] or [""])[0]
        return await self._tombstones.refused_since(session, None, kept.at) is not None
