"""The table of a turn in schemas/README.md, by brute force.

It is written from the table's rows, not from the code, and slow on purpose: everything is
worked out anew from the list of entries for each question that is asked of it.
"""

from collections.abc import Sequence

import msgspec

from coatcheck_core.turns import EndEntry, Entry, FailedEntry, RawEntry, ResultEntry, ResultsEntry, SettledEntry

WAITS = ("waits", None, 0)

Said = tuple[str, str | None, int]
"""Disposition, reason, and what it takes of the budget."""


class Story(msgspec.Struct):
    """What came of a list of entries: each arrival with what became of it, and what was settled when."""

    arrivals: list[tuple[ResultEntry | FailedEntry, Said]] = []
    settled: SettledEntry | None = None
    settled_arrivals: int = 0
    settled_total: int = 0
    settled_size: int | None = None
    raw: dict[str, bool] = {}
    extra: int = 0
    """What results that went raw take beyond their stubs."""

    def of(self, result_id: str) -> Said:
        return next(
            said for entry, said in self.arrivals if isinstance(entry, ResultEntry) and entry.result_id == result_id
        )

    @property
    def total(self) -> int:
        """The projected total: what is decided, and all that waits inline."""
        waiting = [entry.length for entry, said in self.arrivals if said == WAITS]
        return sum(size for _, (_, _, size) in self.arrivals) + sum(waiting) + self.extra


def one_by_one(entries: Sequence[Entry]) -> list[Entry]:
    """Arrivals that were written together, each as an entry of its own."""
    return [one for entry in entries for one in (entry.results if isinstance(entry, ResultsEntry) else (entry,))]


def tell(entries: Sequence[Entry]) -> Story:
    """The whole story of a ledger, entry by entry."""
    story = Story()
    for count, entry in enumerate(entries):
        before = entries[:count]
        if isinstance(entry, FailedEntry):
            if any(isinstance(one, ResultEntry) and one.result_id == entry.result_id for one in before):
                continue  # the result has arrived already, and counts once
            story.arrivals.append((entry, ("failed", "invalid", entry.length)))
        elif isinstance(entry, ResultEntry):
            if not any(isinstance(one, ResultEntry) and one.result_id == entry.result_id for one in before):
                size = known_size([*before, entry])
                story.arrivals.append((entry, _on_arrival(story, entry, size)))
                if entry.settles is not None and story.settled is None:
                    _settle(story, entry.settles, size)
        elif isinstance(entry, RawEntry):
            _go_raw(story, entry)
        elif isinstance(entry, SettledEntry) and story.settled is None:
            _settle(story, entry, known_size(before))
    return story


def before_settling(entries: Sequence[Entry]) -> tuple[list[Entry], SettledEntry] | None:
    """What a turn's settling was decided on, and the settling."""
    for count, entry in enumerate(entries):
        if isinstance(entry, SettledEntry):
            return list(entries[:count]), entry
        is_first = not any(
            isinstance(one, ResultEntry) and isinstance(entry, ResultEntry) and one.result_id == entry.result_id
            for one in entries[:count]
        )
        if isinstance(entry, ResultEntry) and entry.settles is not None and is_first:
            return [*entries[:count], msgspec.structs.replace(entry, settles=None)], entry.settles
    return None


def known_size(entries: Sequence[Entry]) -> int | None:
    """Of several sizes the largest counts; an end's replaces them."""
    ends = [entry.turn_size for entry in entries if isinstance(entry, EndEntry) and entry.turn_size is not None]
    if ends:
        return ends[-1]
    seen: dict[str, int | None] = {}
    sizes: list[int | None] = []
    for entry in entries:
        if isinstance(entry, ResultEntry):
            seen.setdefault(entry.result_id, entry.turn_size)
        elif isinstance(entry, FailedEntry) and entry.result_id not in seen:
            sizes.append(entry.turn_size)
    return max((size for size in (*sizes, *seen.values()) if size is not None), default=None)


def to_offload(waiting: Sequence[ResultEntry], total: int, budget: int) -> set[str]:
    """While the total is not below the budget: the largest whose stub is shorter, ties by result id ascending."""
    chosen: set[str] = set()
    while total >= budget:
        left = [one for one in waiting if one.result_id not in chosen and is_shorter(one)]
        if not left:
            break
        largest = max(one.length for one in left)
        one = min((one for one in left if one.length == largest), key=lambda one: one.result_id)
        assert one.stub_length is not None
        total += one.stub_length - one.length
        chosen.add(one.result_id)
    return chosen


def is_shorter(entry: ResultEntry) -> bool:
    """Whether a stub may take its place."""
    return entry.stub_length is not None and entry.stub_length < entry.length


def waiting(story: Story) -> list[ResultEntry]:
    return [entry for entry, said in story.arrivals if said == WAITS and isinstance(entry, ResultEntry)]


def _on_arrival(story: Story, entry: ResultEntry, size: int | None) -> Said:
    if entry.at_once == "inline":
        return "inline", entry.reason, entry.length
    if entry.at_once == "offloaded":
        return "offloaded", entry.reason, entry.stub_length or 0
    if story.settled is None and size is not None and entry.may_wait:
        return WAITS
    if story.total + entry.length >= entry.budget and is_shorter(entry):
        return "offloaded", "turn_budget", entry.stub_length or 0
    return "inline", entry.reason, entry.length


def _go_raw(story: Story, raw: RawEntry) -> None:
    if raw.result_id in story.raw:
        return
    more = raw.length - raw.stub_length
    story.raw[raw.result_id] = story.total + more < raw.budget
    if not story.raw[raw.result_id]:
        return
    for index, (entry, (_, _, size)) in enumerate(story.arrivals):
        if story.settled is None and isinstance(entry, ResultEntry) and entry.result_id == raw.result_id:
            story.extra += more - (raw.length - size)
            story.arrivals[index] = entry, ("inline", "store_failure", raw.length)
            return
    story.extra += more


def _settle(story: Story, settled: SettledEntry, size: int | None) -> None:
    """As the entry says: whether it says what it should is another question, see `to_offload`."""
    for index, (entry, said) in enumerate(story.arrivals):
        if said == WAITS and isinstance(entry, ResultEntry):
            if index in settled.offloaded:
                story.arrivals[index] = entry, ("offloaded", "turn_budget", entry.stub_length or 0)
            else:
                story.arrivals[index] = entry, ("inline", entry.reason, entry.length)
    story.settled = settled
    story.settled_arrivals = len(story.arrivals)
    story.settled_size = size
    story.settled_total = story.total
