"""Carry what was cleared over to the messages that were meant: those that stayed here, as objects, or in full."""

from collections.abc import Mapping, Sequence
from typing import Any

from .clearing import STAYS, usual_placeholder
from .deciding import Slot, slots_of
from .measuring import Count, Measure
from .pairing import pair
from .placeholders import recogniser
from .rules import Rules
from .shapes import LIGHT, Changes, Reading, Result, shape_of
from .shapes.access import field, items_of

Place = tuple[int, int]
"""Of a result: its message, and which of that one's results it is."""


class Carrying:
    """`answered` are the same messages cleared, one for one: in a form of the same shape, or as light ones.

    `cleared` are the results that were cleared now, in order, each with what stands for it: as it was answered, or by
    the rules where a light one says only that it goes. Raises ValueError where they do not match.
    """

    def __init__(
        self, messages: Sequence[Any], answered: Sequence[Any], rules: Rules, count: Count | None = None
    ) -> None:
        if len(messages) != len(answered):
            raise ValueError(f"{len(answered)} messages were answered for {len(messages)}")
        self._messages, self._answered = list(messages), list(answered)
        self._measure = Measure(count)
        self._readings = [_read(message) for message in messages]
        slots: dict[int, list[Slot]] = {}
        for slot in slots_of(self._readings, pair(self._readings), self._measure, recogniser(rules)):
            slots.setdefault(slot.index, []).append(slot)
        self.cleared: list[tuple[Slot, str]] = []
        self._calls: dict[int, frozenset[int]] = {}
        for index, (message, answer) in enumerate(zip(self._messages, self._answered, strict=True)):
            if answer is not message:
                self._compare(index, slots.get(index, []), message, answer, rules)

    def over(self, placeholders: Mapping[Place, str] | None = None) -> list[Any]:
        """The messages cleared; those without a change are the same objects.

        `placeholders` stand in place of some results, in place of what else would; by STAYS one stays as it is.
        """
        told = placeholders or {}
        results: dict[int, dict[int, str]] = {}
        for slot, usual in self.cleared:
            placeholder = told.get((slot.index, slot.number), usual)
            if placeholder != STAYS:
                results.setdefault(slot.index, {})[slot.number] = placeholder
        pairs = enumerate(zip(self._messages, self._answered, strict=True))
        return [self._carried(index, message, answer, results.get(index, {})) for index, (message, answer) in pairs]

    def tokens(self, carried: Sequence[Any]) -> tuple[int, int]:
        """Of all messages together, as they were and as they are `carried`, by the measure that `clear` has."""
        sizes = [self._measure.message(reading) for reading in self._readings]
        saved = sum(
            size - self._measure.message(_read(now))
            for size, was, now in zip(sizes, self._messages, carried, strict=True)
            if now is not was
        )
        return sum(sizes), sum(sizes) - saved

    def _compare(self, index: int, slots: list[Slot], message: Any, answer: Any, rules: Rules) -> None:
        shape = shape_of(answer)
        reading = shape.read(answer)
        by_sizes = LIGHT in (shape, shape_of(message))
        self.cleared += _cleared(slots, reading.results, rules, by_sizes=by_sizes)
        calls = _marked_calls(answer) if shape is LIGHT else _changed_calls(self._readings[index], reading)
        if calls:
            self._calls[index] = calls

    def _carried(self, index: int, message: Any, answer: Any, results: dict[int, str]) -> Any:
        calls = self._calls.get(index, frozenset())
        if not calls and not results:
            return message
        shape = shape_of(message)
        if shape is LIGHT:
            return answer
        return shape.write(message, Changes(measure=self._measure.texts, results=results, calls=calls))


def _cleared(slots: list[Slot], found: tuple[Result, ...], rules: Rules, *, by_sizes: bool) -> list[tuple[Slot, str]]:
    if len(found) != len(slots):
        raise ValueError(f"a message with {len(slots)} results was answered with {len(found)}")
    pairs = zip(slots, found, strict=True)
    if by_sizes:
        return [
            (slot, usual_placeholder(slot, rules)) for slot, result in pairs if result.is_marked and not slot.is_cleared
        ]
    return [(slot, result.pieces[0]) for slot, result in pairs if result.pieces and result.pieces != slot.pieces]


def _marked_calls(light: Any) -> frozenset[int]:
    """The numbers of those whose arguments a light message says are cleared."""
    calls = enumerate(items_of(light.get("tool_calls")))
    return frozenset(at for at, call in calls if field(call, "cleared") is True)


def _changed_calls(given: Reading, answered: Reading) -> frozenset[int]:
    if len(answered.calls) != len(given.calls):
        raise ValueError(f"a message with {len(given.calls)} calls was answered with {len(answered.calls)}")
    pairs = enumerate(zip(given.calls, answered.calls, strict=True))
    return frozenset(at for at, (was, now) in pairs if was.pieces != now.pieces)


def _read(message: Any) -> Reading:
    return shape_of(message).read(message)
