"""What follows from a turn's ledger: a fold over its entries in their order, the same for every worker.

schemas/README.md, "The budget of a turn", has the rules. A result that is known to be one of a known number waits until
all have arrived; any other is decided as it arrives. So each outcome depends on the entries up to it, or up to the
settling, and on nothing else: no clock, no worker, no delivery.
"""

import copy
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from coatcheck_core.turns.entries import (
    EndEntry,
    Entry,
    FailedEntry,
    RawEntry,
    ResultEntry,
    ResultsEntry,
    SettledEntry,
)
from coatcheck_schemas.events import Disposition, Reason, SettledBy

_NEVER = datetime.min.replace(tzinfo=UTC)


class Outcome(msgspec.Struct, frozen=True):
    """What becomes of one arrival, and what that takes of the turn's budget."""

    disposition: Disposition
    reason: Reason | None
    size: int


class Turn:
    """A turn as far as its ledger has been read. `apply` takes each entry once, in the ledger's order."""

    def __init__(self) -> None:
        self.arrivals: list[ResultEntry | FailedEntry] = []
        self.outcomes: list[Outcome | None] = []
        """Of each arrival; None while it waits."""
        self.sequence = 0
        """Of the last entry taken, in the ledger's stream."""
        self.last_arrival: datetime | None = None
        self.settled: SettledEntry | None = None
        self.settled_sequence = 0
        """The sequence of the entry that settled it: of turns of one name, one after the other, it tells which."""
        self.settled_count = 0
        """How many arrivals the settling decided on: the first so many."""
        self.settled_size: int | None = None
        self.settled_total = 0
        self.settled_with: str | None = None
        """The result whose arrival settled the turn; None where something else did."""
        self.waited: frozenset[str] = frozenset()
        """The results that waited until the settling."""
        self.ended = False
        self.session_id: str | None = None
        self.turn_id: str | None = None
        """The ids as the first entry before the settling says them that says more than their segments do."""
        self._index: dict[str, int] = {}
        self._open: dict[int, ResultEntry] = {}
        self._raw: dict[str, bool] = {}
        self._size_of_results: int | None = None
        self._size_of_end: int | None = None
        self._spent = 0
        self._waiting = 0

    def apply(self, entry: Entry, sequence: int, at: datetime) -> None:
        """Take the next entry; `at` is when the ledger's stream received it."""
        if sequence <= self.sequence:
            return
        self.sequence = sequence
        match entry:
            case ResultEntry():
                self._arrive(entry, at)
            case ResultsEntry():
                for result in entry.results:
                    self._arrive(result, at)
            case FailedEntry() if entry.result_id is None or entry.result_id not in self._index:
                self.last_arrival = at
                self._say(entry)
                self._add(entry, Outcome("failed", "invalid", entry.length))
            case FailedEntry():
                pass
            case EndEntry():
                self.ended = True
                self._say_ids(entry)
                self._size_of_end = entry.turn_size or self._size_of_end
            case RawEntry():
                self._grant(entry)
            case SettledEntry():
                self._settle(entry)

    @property
    def size(self) -> int | None:
        """How many results the turn has: the largest number that a result said, or what its end said."""
        return self._size_of_end or self._size_of_results

    @property
    def total(self) -> int:
        """The turn's inline total if all that waits went inline."""
        return self._spent + self._waiting

    @property
    def waits(self) -> bool:
        """Whether a result that arrives now, and is not decided at once, waits for the others."""
        return self.settled is None and self.size is not None

    @property
    def waiting(self) -> frozenset[str]:
        """The results that wait now."""
        return frozenset(entry.result_id for entry in self._open.values())

    @property
    def is_complete(self) -> bool:
        """Whether as many results have arrived as the turn has, and it is yet to be settled."""
        return self.settled is None and self.size is not None and len(self.arrivals) >= self.size

    def awaits_only(self, entry: ResultEntry) -> bool:
        """Whether the turn is complete with this arrival, if it is the next."""
        if self.settled is not None or entry.result_id in self._index:
            return False
        size = self._size_of_end or max(entry.turn_size or 0, self._size_of_results or 0)
        return size > 0 and len(self.arrivals) + 1 >= size

    def completed_by(self, arrivals: Sequence[ResultEntry]) -> list[ResultEntry]:
        """The arrivals, the one that the turn has waited for with its settling; to be appended next, or never."""
        sizes = [arrival.turn_size for arrival in arrivals if arrival.turn_size is not None]
        # The turn may be complete with the first of them, before a later one says that it is larger.
        smallest = self._size_of_end or self._size_of_results or min(sizes, default=0)
        if self.settled is not None or not smallest or len(self.arrivals) + len(arrivals) < smallest:
            return list(arrivals)
        after, whole = self._copy(), []
        for arrival in arrivals:
            after._arrive(arrival, _NEVER)
            settles = after.settle("size", arrival.budget) if after.is_complete else None
            if settles is not None:
                after._settle(settles)
            whole.append(msgspec.structs.replace(arrival, settles=settles))
        return whole

    def __contains__(self, result_id: str) -> bool:
        return result_id in self._index

    def is_anothers(self, result_id: str, objects: str) -> bool:
        """Whether the id is not that of a result with these objects: another has it, or this one has another."""
        index = self._index.get(result_id)
        arrival = None if index is None else self.arrivals[index]
        if not isinstance(arrival, ResultEntry):
            return False
        return arrival.result_id != result_id or arrival.objects not in (None, objects)

    def outcome(self, result_id: str) -> Outcome | None:
        """None while the result waits. Raises KeyError for one that the ledger does not have."""
        return self.outcomes[self._index[result_id]]

    def may_go_raw(self, result_id: str) -> bool | None:
        """What a RawEntry for this result came to; None where there is none."""
        return self._raw.get(result_id)

    def remaining(self, now: datetime, deadline_seconds: float) -> float:
        """Seconds until the deadline passes after the last arrival; 0 or less once it has."""
        if self.last_arrival is None:
            return 0.0
        return (self.last_arrival + timedelta(seconds=deadline_seconds) - now).total_seconds()

    def settle(self, settled_by: SettledBy, budget: int) -> SettledEntry:
        """The decision on what waits: the largest is offloaded first, ties by result id, until the budget is kept."""
        chosen: list[int] = []
        total = self.total
        for index, entry in sorted(self._open.items(), key=_largest_first):
            if total < budget:
                break
            if saved := _saved(entry):
                total -= saved
                chosen.append(index)
        return SettledEntry(settled_by=settled_by, budget=budget, offloaded=tuple(sorted(chosen)))

    def _copy(self) -> "Turn":
        """One that can go on by itself; entries and outcomes never change."""
        other = copy.copy(self)
        other.arrivals, other.outcomes = self.arrivals.copy(), self.outcomes.copy()
        other._index, other._open, other._raw = self._index.copy(), self._open.copy(), self._raw.copy()
        return other

    def _arrive(self, entry: ResultEntry, at: datetime) -> None:
        if entry.result_id in self._index:
            return
        if entry.twin_id in self._index and not self.is_anothers(entry.twin_id, entry.objects or ""):
            self._index[entry.result_id] = self._index[entry.twin_id]
            return
        self.last_arrival = at
        self._say(entry)
        self._index[entry.result_id] = len(self.arrivals)
        if entry.at_once is not None:
            size = entry.length if entry.at_once == "inline" else entry.stub_length or 0
            self._add(entry, Outcome(entry.at_once, entry.reason, size))
        elif self.waits and entry.may_wait:
            self._open[len(self.arrivals)] = entry
            self._waiting += entry.length
            self._add(entry, None)
        else:
            fits = self.total + entry.length < entry.budget
            self._add(entry, _decided(entry, offloaded=not fits and _saved(entry) > 0))
        if entry.settles is not None and self.settled is None:
            self.settled_with = entry.result_id
            self._settle(entry.settles)

    def _say(self, entry: ResultEntry | FailedEntry) -> None:
        """Of several sizes the largest counts."""
        self._say_ids(entry)
        if entry.turn_size is not None:
            self._size_of_results = max(entry.turn_size, self._size_of_results or 0)

    def _say_ids(self, entry: ResultEntry | FailedEntry | EndEntry) -> None:
        if self.settled is None:
            self.session_id = self.session_id or entry.session_id
            self.turn_id = self.turn_id or entry.turn_id

    def _add(self, entry: ResultEntry | FailedEntry, outcome: Outcome | None) -> None:
        self.arrivals.append(entry)
        self.outcomes.append(outcome)
        self._spent += outcome.size if outcome is not None else 0

    def _grant(self, entry: RawEntry) -> None:
        if entry.result_id in self._raw:
            return
        more = entry.length - entry.stub_length
        granted = self.total + more < entry.budget
        self._raw[entry.result_id] = granted
        self._spent += more if granted else 0
        if granted and self.settled is None and entry.result_id in self._index:
            self.outcomes[self._index[entry.result_id]] = Outcome("inline", "store_failure", entry.length)

    def _settle(self, entry: SettledEntry) -> None:
        if self.settled is not None:
            return
        chosen = set(entry.offloaded)
        for index, arrival in self._open.items():
            outcome = _decided(arrival, offloaded=index in chosen)
            self.outcomes[index] = outcome
            self._spent += outcome.size
        self.waited = frozenset(arrival.result_id for arrival in self._open.values())
        self._open.clear()
        self._waiting = 0
        self.settled = entry
        self.settled_sequence = self.sequence
        self.settled_count = len(self.arrivals)
        self.settled_size = self.size
        self.settled_total = self._spent


def _decided(entry: ResultEntry, *, offloaded: bool) -> Outcome:
    if offloaded and entry.stub_length is not None:
        return Outcome("offloaded", "turn_budget", entry.stub_length)
    return Outcome("inline", entry.reason, entry.length)


def _saved(entry: ResultEntry) -> int:
    """What a stub in place of the result would save; 0 where it never takes its place."""
    return 0 if entry.stub_length is None else max(0, entry.length - entry.stub_length)


def _largest_first(item: tuple[int, ResultEntry]) -> tuple[int, str]:
    _, entry = item
    return -entry.length, entry.result_id
