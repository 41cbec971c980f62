"""What a turn's ledger holds: an append-only log, one entry for each thing that happened to the turn.

Entries say facts, never what follows from them, but for `SettledEntry`: a decision once taken is kept. Each bears the
budget under which it was made, so that workers with different settings reach the same decisions.
"""

from typing import get_args

import msgspec

from coatcheck_schemas.events import Disposition, Reason, SettledBy, TurnEnd
from coatcheck_schemas.subjects import TurnAddress

MAX_CALL_ID_CHARS = 200


class SettledEntry(msgspec.Struct, frozen=True, kw_only=True, tag="settled", tag_field="entry", omit_defaults=True):
    """The turn is settled: of what waited, the arrivals with these indexes are offloaded, all others are inline."""

    settled_by: SettledBy
    budget: int
    offloaded: tuple[int, ...] = ()


class ResultEntry(msgspec.Struct, frozen=True, kw_only=True, tag="result", tag_field="entry", omit_defaults=True):
    """A result has arrived. Lengths are in `budget.unit`.

    `stub_length` is None where the result is never offloaded to fit a turn. `at_once` says what the budget of one
    result has decided already: nothing for a result at or under its threshold. `may_wait` is false of a result too
    large to be held, which is decided as it arrives. `session_id` and `turn_id` are given where the segments do not say
    them. `objects` tells what came beside the text from what another result of the call brought, "" where nothing did;
    None is of a version that did not say. `twin_id` is the other id that the same result may have arrived under
    (`coatcheck_core.apart`). `settles` is the settling of the turn, where this is the last result that it waited for.
    """

    result_id: str
    call_id: str
    length: int
    budget: int
    stub_length: int | None = None
    at_once: Disposition | None = None
    reason: Reason | None = None
    turn_size: int | None = None
    original_chars: int | None = None
    may_wait: bool = True
    session_id: str | None = None
    turn_id: str | None = None
    objects: str | None = None
    twin_id: str | None = None
    settles: SettledEntry | None = None


class ResultsEntry(msgspec.Struct, frozen=True, kw_only=True, tag="results", tag_field="entry", omit_defaults=True):
    """Several have arrived at one worker at about the same time, in this order."""

    results: tuple[ResultEntry, ...]


class FailedEntry(msgspec.Struct, frozen=True, kw_only=True, tag="failed", tag_field="entry", omit_defaults=True):
    """A message of the turn became a dead letter; `length` is what its `failed` stub takes of the context.

    `result_id` is given where the message could be read. A result that had arrived before it failed counts once, and
    as it was decided. `turn_size`, `session_id` and `turn_id` are as of a result, where it said them all the same.
    """

    call_id: str
    length: int
    result_id: str | None = None
    turn_size: int | None = None
    session_id: str | None = None
    turn_id: str | None = None


class EndEntry(msgspec.Struct, frozen=True, kw_only=True, tag="end", tag_field="entry", omit_defaults=True):
    """No more results come; with a `turn_size`, that is how many there are. Ids as of a result."""

    turn_size: int | None = None
    session_id: str | None = None
    turn_id: str | None = None


class RawEntry(msgspec.Struct, frozen=True, kw_only=True, tag="raw", tag_field="entry", omit_defaults=True):
    """The store cannot take an offloaded result: it would go raw, if the turn's budget allows."""

    result_id: str
    length: int
    stub_length: int
    budget: int


Entry = ResultEntry | ResultsEntry | FailedEntry | EndEntry | RawEntry | SettledEntry

_DECODER = msgspec.json.Decoder(Entry)


class _Tagged(msgspec.Struct, frozen=True):
    entry: str


def is_of_another_version(body: bytes) -> bool:
    """Whether it is an entry of a kind that only a newer version knows: what follows is not for this one to say.

    What is no entry at all says nothing about the turn.
    """
    try:
        tag = msgspec.json.decode(body, type=_Tagged).entry
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return tag not in {kind.__struct_config__.tag for kind in get_args(Entry)}


def end_entry(at: TurnAddress, end: TurnEnd) -> EndEntry:
    """Of an end whose ids, where it gives them, belong under the segments of its turn."""
    session, turn = at.ids
    return EndEntry(
        turn_size=end.turn_size,
        session_id=None if end.session_id == session else end.session_id,
        turn_id=None if end.turn_id == turn else end.turn_id,
    )


def encode_entry(entry: Entry) -> bytes:
    return msgspec.json.encode(entry)


def read_entry(body: bytes) -> Entry:
    """Raises msgspec.DecodeError for what is none."""
    return _DECODER.decode(body)
