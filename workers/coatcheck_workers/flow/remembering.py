"""What a worker remembers of the results that it holds, so as not to read and decode them again at the settling.

A cache: what is held lies in COAT_HELD, nothing relies on it being here as well.
"""

from collections import OrderedDict

from coatcheck_core.decision import Case
from coatcheck_schemas.subjects import TurnAddress

MOST_BYTES = 32 * 1024 * 1024
_TIMES = 4
"""A case takes so many times its result's bytes: the text, of up to four bytes a character, and events made of it."""
_MORE_BYTES = 4096


class Remembered:
    """Cases by turn and result id; of the turns that were not added to for longest, none where there is no room."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._turns: OrderedDict[TurnAddress, dict[str, Case]] = OrderedDict()
        self._bytes = 0

    def add(self, at: TurnAddress, case: Case) -> None:
        """Anything forgotten for it is forgotten with its whole turn."""
        cases = self._turns.setdefault(at, {})
        self._turns.move_to_end(at)
        if case.result.result_id not in cases:
            cases[case.result.result_id] = case
            self._bytes += _size(case)
        while self._bytes > self._most_bytes:
            self.take(next(iter(self._turns)))

    def drop(self, at: TurnAddress, case: Case) -> None:
        """Forget what turned out to be another's place."""
        cases = self._turns.get(at, {})
        if cases.get(case.result.result_id) is case:
            del cases[case.result.result_id]
            self._bytes -= _size(case)

    def has(self, at: TurnAddress, result_ids: frozenset[str]) -> bool:
        """Whether all of these are remembered."""
        return result_ids <= self._turns.get(at, {}).keys()

    def take(self, at: TurnAddress) -> dict[str, Case]:
        """What is remembered of a turn, by result id, and no longer from now on."""
        cases = self._turns.pop(at, {})
        self._bytes -= sum(map(_size, cases.values()))
        return cases


def _size(case: Case) -> int:
    return _TIMES * len(case.contents.data) + _MORE_BYTES
