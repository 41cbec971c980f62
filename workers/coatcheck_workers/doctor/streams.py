"""How full streams are, and how far behind the workers. Pure: what the server said of them is given."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from coatcheck_core.stub.escaping import one_line

from ..deployment.states import EVICTS, NEAR_FULL, ConsumerState, StreamState
from .finding import Finding, doubtful, failing, well

STREAMS = "streams"
CONSUMERS = "consumers"
HELD = "held results"
LETTERS = "dead letters"

AS_GOOD_AS_FULL = 0.95
BEHIND = 1000
"""So many results are worth a second of a worker that passes small ones through, and minutes of large ones."""
LATE = timedelta(minutes=5)
OVERDUE_MARGIN = timedelta(seconds=45)
"""Workers take what is overdue by themselves, after 15 seconds, and look every ten."""

_MAKE_ROOM = {
    "results": "workers are behind or away (see consumers); add some, or raise streams.results.max_bytes",
    "chunks": "workers are behind or away, or a session floods it (`coatcheck grant --revoke` ends that); or raise "
    "streams.chunks.max_bytes",
    "stubs": "seven days of stubs do not fit: raise streams.stubs.max_bytes",
    "dlq": "look at them with `coatcheck dlq list`, then `dlq retry` or `dlq drop`",
    "ledger": "seven days of turns do not fit: raise streams.ledger.max_bytes",
    "held": "more results wait for their turn than fit: raise streams.held.max_bytes, or lower turn.deadline_seconds",
}
_THEN = "; then `coatcheck provision`"


def judge_streams(states: Iterable[StreamState]) -> list[Finding]:
    states = list(states)
    found = [one for state in states for one in (*_judge_fill(state), *_judge_replicas(state))]
    fullest = max(states, key=lambda one: one.fill if one.name != EVICTS else 0.0, default=None)
    if found or fullest is None:
        return found
    return [well(STREAMS, f"there is room in all {len(states)}; the fullest is {fullest.stream} at {fullest.fill:.0%}")]


def judge_account(used: int, limit: int) -> list[Finding]:
    """What all streams of the account have on disk beside what it may have; -1 and 0 are without a limit."""
    if limit <= 0 or used < NEAR_FULL * limit:
        return []
    found = f"the account has {used:,} of {limit:,} bytes that JetStream lets it have on disk"
    mend = "raise max_store (max_file) of the account or server, or free streams: all refuse once it is reached"
    return [(failing if used >= AS_GOOD_AS_FULL * limit else doubtful)(STREAMS, found, mend)]


def judge_consumers(states: Iterable[ConsumerState], oldest: timedelta | None) -> list[Finding]:
    """`oldest` is how long the oldest result is in the queue."""
    states = list(states)
    found = [one for state in states for one in _judge_consumer(state, oldest)]
    if found:
        return found
    return [
        well(CONSUMERS, f"{sum(one.pending for one in states)} wait, {sum(one.ack_pending for one in states)} in hand")
    ]


def judge_held(held: StreamState, now: datetime, longest: timedelta) -> Finding:
    """Nothing is held for longer than `longest` where workers live; `now` is the server's time."""
    if held.first_at is None or not held.messages:
        return well(HELD, "none")
    late = now - held.first_at - longest - OVERDUE_MARGIN
    if late <= timedelta():
        return well(HELD, f"{held.messages} wait for their turn")
    found = f"{held.messages} wait, the oldest is overdue by {_told(late)}"
    return failing(HELD, found, "see that workers run, and their logs: they take by themselves what is overdue")


def judge_letters(count: int, reasons: dict[str, int]) -> Finding:
    """`reasons` counts those that were looked at, perhaps not all."""
    if not count:
        return well(LETTERS, "none")
    told = ", ".join(f"{number} {reason}" for reason, number in sorted(reasons.items(), key=lambda item: -item[1])[:5])
    seen = sum(reasons.values())
    of_some = f" (of the first {seen})" if seen < count else ""
    mend = "`coatcheck dlq list` says what was wrong; mend it, then `coatcheck dlq retry --all`, or `dlq drop`"
    return doubtful(LETTERS, f"{count} wait: {told}{of_some}", mend)


def _judge_fill(state: StreamState) -> list[Finding]:
    if state.name == EVICTS or state.fill < NEAR_FULL:
        return []
    found = f"{state.stream} is {state.fill:.0%} full: {state.bytes:,} of {state.max_bytes:,} bytes{_held_by(state)}"
    mend = _MAKE_ROOM[state.name] + ("" if state.name == "dlq" else _THEN)
    if state.fill < AS_GOOD_AS_FULL:
        return [doubtful(STREAMS, found, mend)]
    return [failing(STREAMS, f"{found}; a full stream refuses what comes", mend)]


def _held_by(state: StreamState) -> str:
    named = ", ".join(f"{one_line(session, 80)} ({count:,})" for session, count in state.holders)
    return f"; the sessions with the most messages in it: {named}" if named else ""


def _judge_replicas(state: StreamState) -> list[Finding]:
    if not state.replicas_behind:
        return []
    found = f"{state.stream}: the copies on {', '.join(state.replicas_behind)} are not current"
    return [doubtful(STREAMS, found, "see that these servers run, and their logs; they catch up by themselves")]


def _judge_consumer(state: ConsumerState, oldest: timedelta | None) -> list[Finding]:
    if state.pending and not state.waiting and not state.ack_pending:
        since = "" if oldest is None else f", the oldest for {_told(oldest)}"
        found = f"{state.pending:,} wait in {state.stream}{since}, and no worker asks for them"
        return [
            failing(CONSUMERS, found, "start workers: `coatcheck worker` with this configuration, or `coatcheck up`")
        ]
    findings: list[Finding] = []
    if state.pending >= BEHIND or (state.pending and oldest is not None and oldest > LATE):
        since = "" if oldest is None else f", the oldest for {_told(oldest)}"
        told = f"{state.pending:,} wait in {state.stream}{since}: the workers are behind"
        findings.append(doubtful(CONSUMERS, told, "add workers; `coatcheck top` shows what they do"))
    if state.redelivered:
        told = f"{state.redelivered:,} of {state.stream} are being tried again"
        mend = "the workers' logs say why: most often object storage, or a worker that died (then it passes)"
        findings.append(doubtful(CONSUMERS, told, mend))
    return findings


def _told(span: timedelta) -> str:
    seconds = span.total_seconds()
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
