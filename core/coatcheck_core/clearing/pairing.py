"""Which result belongs to which call, and to which round: an assistant's message with calls, and their results.

A call's id need not be unique, nor be there: a result belongs to the nearest call before it that has no result yet and
the same id, within one round to the first such; without an id, to one without, else to the nearest of all. Where it
says its tool's name, a call of that name goes first, and one without an id belongs to no call of another name. One that
has none before it is of the same tool and round as a call with its id in the very next message. Nothing looks further
ahead, so that what comes later changes nothing of what was cleared.
"""

from bisect import bisect_right
from collections.abc import Iterator

import msgspec

from .shapes import Call, Reading, Result


class Asked(msgspec.Struct, eq=False, gc=False):
    """A call: where it stands, in which round, whether a result is its own, and whether that came after another round
    had begun."""

    index: int
    number: int
    call: Call
    round_number: int
    is_answered: bool = False
    is_late: bool = False


class Pairs(msgspec.Struct, frozen=True):
    """The places of the rounds' first messages, for each message with results the call of each, and the calls of the
    last round that have no result yet."""

    round_starts: list[int]
    of_results: dict[int, list[Asked | None]]
    open_calls: list[Asked]


def pair(readings: list[Reading]) -> Pairs:
    calls = _OpenCalls()
    of_results: dict[int, list[Asked | None]] = {}
    early: dict[int, list[int]] = {}
    for index, reading in enumerate(readings):
        if reading.results:
            found = [calls.answered_by(result) for result in reading.results]
            of_results[index] = found
            if lonely := [number for number, asked in enumerate(found) if asked is None]:
                early[index] = lonely
        if reading.calls:
            calls.ask(index, reading)
        elif reading.results or reading.is_user:
            calls.end_round()
    for index, numbers in early.items():
        following = calls.of_message(index + 1, readings[index + 1]) if index + 1 < len(readings) else {}
        for number in numbers:
            of_results[index][number] = following.get(readings[index].results[number].call_id)
    return Pairs(calls.round_starts, of_results, calls.open_calls)


class _Line(msgspec.Struct, eq=False, gc=False):
    """Calls of one round in order; those before `at` are not looked at any more."""

    calls: list[Asked]
    at: int = 0


class _OpenCalls:
    """Calls that may still get a result; lines of them by round, the newest last, and the same by id, name and both."""

    def __init__(self) -> None:
        self.round_starts: list[int] = []
        self._rounds: list[_Line] = []
        self._by_id: dict[str, list[_Line]] = {}
        self._by_name: dict[str | None, list[_Line]] = {}
        self._by_both: dict[tuple[str, str | None], list[_Line]] = {}
        self._last: list[Asked] = []
        self._goes_on = False

    def ask(self, index: int, reading: Reading) -> None:
        if not (reading.joins_round and self._goes_on):
            self.round_starts.append(index)
            self._last = []
        self._goes_on = reading.joins_round
        round_number = len(self.round_starts) - 1
        for number, call in enumerate(reading.calls):
            asked = Asked(index, number, call, round_number)
            self._last.append(asked)
            _put(self._rounds, asked)
            _put(self._by_id.setdefault(call.call_id, []), asked)
            _put(self._by_name.setdefault(call.name, []), asked)
            _put(self._by_both.setdefault((call.call_id, call.name), []), asked)

    def end_round(self) -> None:
        self._goes_on = False

    @property
    def open_calls(self) -> list[Asked]:
        """Those of the last round that have no result yet: one may come yet."""
        return [asked for asked in self._last if not asked.is_answered]

    def answered_by(self, result: Result) -> Asked | None:
        for lines in self._lines_for(result):
            asked = _take(lines)
            if asked is not None:
                asked.is_late = asked.round_number < len(self.round_starts) - 1
                return asked
        return None

    def _lines_for(self, result: Result) -> Iterator[list[_Line]]:
        """Where its call may be, the likeliest first."""
        call_id, name = result.call_id, result.name
        if name is not None:
            yield self._by_both.get((call_id, name), [])
        if call_id:
            yield self._by_id.get(call_id, [])
        elif name is None:
            yield self._by_id.get("", [])
            yield self._rounds
        else:
            yield self._by_name.get(name, [])
            yield self._by_both.get(("", None), [])
            yield self._by_name.get(None, [])

    def of_message(self, index: int, reading: Reading) -> dict[str, Asked]:
        """A message's calls by id, the first of each. They may still get results of their own: nothing answers them."""
        round_number = bisect_right(self.round_starts, index) - 1
        found: dict[str, Asked] = {}
        for number, call in enumerate(reading.calls):
            found.setdefault(call.call_id, Asked(index, number, call, round_number))
        return found


def _put(lines: list[_Line], asked: Asked) -> None:
    """With the others of its round."""
    if lines and lines[-1].calls[-1].round_number == asked.round_number:
        lines[-1].calls.append(asked)
    else:
        lines.append(_Line([asked]))


def _take(lines: list[_Line]) -> Asked | None:
    """The first of the newest line that has one without a result; lines that have none are let go."""
    while lines:
        line = lines[-1]
        while line.at < len(line.calls):
            asked = line.calls[line.at]
            line.at += 1
            if not asked.is_answered:
                asked.is_answered = True
                return asked
        lines.pop()
    return None
