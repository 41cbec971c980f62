"""The manifest of a settled turn: what was decided, and all that it was decided by."""

import msgspec

from coatcheck_core.turns.entries import FailedEntry, ResultEntry
from coatcheck_core.turns.ledger import Outcome, Turn
from coatcheck_schemas.events import MAX_MANIFEST_ID_CHARS, SettledResult, TurnSettled
from coatcheck_schemas.subjects import TurnAddress

_CLIPS = (MAX_MANIFEST_ID_CHARS, 100, 50, 20, 0)


def manifest(turn: Turn, address: TurnAddress, max_bytes: int) -> bytes:
    """The JSON of the TurnSettled of a turn that is settled, the same whoever makes it, in at most `max_bytes`.

    Where it would be larger, call ids are clipped shorter, and then only the first results are listed.
    """
    encoded = b""
    for clip in _CLIPS:
        encoded = msgspec.json.encode(_manifest(turn, address, clip, turn.settled_count))
        if len(encoded) <= max_bytes:
            return encoded
    # Each entry is far below its share of a message, so that halving ends soon.
    count = turn.settled_count
    while len(encoded) > max_bytes and count:
        count //= 2
        encoded = msgspec.json.encode(_manifest(turn, address, _CLIPS[-1], count))
    return encoded


def _manifest(turn: Turn, address: TurnAddress, clip: int, count: int) -> TurnSettled:
    settled = turn.settled
    if settled is None:
        raise ValueError("the turn is not settled")
    session_id, turn_id = address.ids
    return TurnSettled(
        session_id=turn.session_id or session_id,
        turn_id=turn.turn_id or turn_id,
        settled_by=settled.settled_by,
        turn_size=turn.settled_size,
        received=turn.settled_count,
        budget=settled.budget,
        inline_total=turn.settled_total,
        results=[
            _result(arrival, outcome, clip)
            for arrival, outcome in zip(turn.arrivals[:count], turn.outcomes[:count], strict=True)
            if outcome is not None
        ],
    )


def _result(arrival: ResultEntry | FailedEntry, outcome: Outcome, clip: int) -> SettledResult:
    return SettledResult(
        call_id=arrival.call_id[:clip],
        result_id=arrival.result_id if isinstance(arrival, ResultEntry) else None,
        disposition=outcome.disposition,
        reason=outcome.reason,
        original_chars=arrival.original_chars if isinstance(arrival, ResultEntry) else None,
        inline_size=outcome.size,
    )
