"""What an answer is made from, and what it is."""

from asyncio import Semaphore
from typing import Protocol

import msgspec

from coatcheck_core.settings import Settings
from coatcheck_core.tally import Tally
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.store import Store
from coatcheck_workers.clock import Clock, utc_now
from coatcheck_workers.streams.tombstone import NoTombstones

from .linking.copies import Copies
from .listing.tails import Tails
from .originals.damage import Damage
from .originals.indexes import Indexes
from .originals.known import Known
from .places import Places, Turns

CLEARED_AT_A_TIME = 64
"""Results that one worker stores for `clear`: a conversation's old ones are small, and many, and each is the store's
delay, three times."""


class LoggedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event of the stub stream: `data` as it was published, `seq` its place in the stream, from 1."""

    subject: str
    data: bytes
    seq: int


class EventPage(msgspec.Struct, frozen=True, kw_only=True):
    events: list[LoggedEvent]
    has_more: bool


class EventLog(Protocol):
    """The stream of what the sessions have received. All raise RequestError `unavailable` where it does not answer."""

    async def page(self, session: str, turn: str | None, after_seq: int, limit: int, max_bytes: int) -> EventPage:
        """The events of a session after `after_seq`, of one turn where its segment is given, in order.

        At most `limit`, and not many more bytes than `max_bytes`. Where there are any, at least one.
        """
        ...

    async def manifest(self, session: str, turn: str) -> LoggedEvent | None:
        """The manifest of a turn of the session, both as segments; None where it is not settled."""
        ...

    async def event_of(self, session: str, result_id: str) -> bytes | None:
        """The stub event of a result of the session, in whichever turn last; None where there is none."""
        ...

    async def last_seq(self) -> int:
        """The sequence of the stream's newest event, whose ever it is; 0 before the first."""
        ...


class Deleter(Protocol):
    """Deletes; it goes on with what takes longer than the request."""

    async def delete(self, session: str, result_id: str | None) -> int:
        """How many results there were of the session, or 1 for the one. All are unreadable by then.

        Raises RequestError `unavailable` where that is so, and how many there were cannot be told, or it is not known.
        """
        ...


class Retrieval(msgspec.Struct, frozen=True, kw_only=True):
    """`max_reply_bytes` is the server's `max_payload` less the reserve for headers.

    `now` is NATS's time: results expire by it. `known` and `indexes` are what is at hand of originals that were read
    before; `damage` takes what is damaged, `troubles` counts what else went wrong by the kind of error.
    """

    store: Store
    keys: Keys
    events: EventLog
    tombstones: NoTombstones
    settings: Settings
    max_reply_bytes: int
    indexes: Indexes = msgspec.field(default_factory=Indexes)
    copies: Copies = msgspec.field(default_factory=Copies)
    troubles: Tally = msgspec.field(default_factory=Tally)
    deleter: Deleter | None = None
    now: Clock = utc_now
    tails: Tails = msgspec.field(default_factory=Tails)
    known: Known = msgspec.field(default_factory=Known)
    damage: Damage = msgspec.field(default_factory=Damage)
    greps: Places = msgspec.field(default_factory=Places)
    writes: Turns = msgspec.field(default_factory=Turns)
    clears: Semaphore = msgspec.field(default_factory=lambda: Semaphore(CLEARED_AT_A_TIME))


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A reply: its body, at most `max_reply_bytes`, and its headers."""

    body: bytes
    headers: dict[str, str]
