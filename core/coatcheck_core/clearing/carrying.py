"""Carry what was cleared over to the messages that were meant: those that stayed here, as objects, or in full."""

from collections.abc import Mapping, Sequence
from typing import Any

from .clearing import STAYS, usual_placeholder
from .deciding import Slot, slots_of
from .measuring import Count, Measure
from .pairing import pair
from .placeholders import recogniser
from .rules import Rules
from .shapes import LIGHT, Changes, Reading, shape_of
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
        for index, (message, answer) in enumerate(zip(messages, answered, strict=True)):
            by_sizes = LIGHT in (shape_of(message), shape_of(answer))
            self.cleared += _cleared(slots.get(index, []), answer, rules, by_sizes=by_sizes)

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

    def tokens(self, messages: Sequence[Any]) -> int:
        """Of all of these together, by the measure that `clear` has."""
        return sum(self._measure.message(_read(message)) for message in messages)

    def _carried(self, index: int, message: Any, answer: Any, results: dict[int, str]) -> Any:
        shape = shape_of(message)
        if shape is LIGHT:
            return message if message == answer else answer
        calls = _calls(self._readings[index], answer)
        if not calls and not results:
            return message
        return shape.write(message, Changes(measure=self._measure.texts, results=results, calls=calls))


def _cleared(slots: list[Slot], answer: Any, rules: Rules, *, by_sizes: bool) -> list[tuple[Slot, str]]:
    found = _read(answer).results
    if len(found) != len(slots):
        raise ValueError(f"a message with {len(slots)} results was answered with {len(found)}")
    pairs = zip(slots, found, strict=True)
    if by_sizes:
        return [
            (slot, usual_placeholder(slot, rules)) for slot, result in pairs if result.is_marked and not slot.is_cleared
        ]
    return [(slot, result.pieces[0]) for slot, result in pairs if result.pieces and result.pieces != slot.pieces]


def _calls(reading: Reading, answer: Any) -> frozenset[int]:
    """The numbers of those whose arguments were cleared."""
    if shape_of(answer) is LIGHT:
        light = items_of(answer.get("tool_calls"))
        return frozenset(at for at, call in enumerate(light) if field(call, "cleared") is True)
    found = _read(answer).calls
    if len(found) != len(reading.calls):
        raise ValueError(f"a message with {len(reading.calls)} calls was answered with {len(found)}")
    pairs = enumerate(zip(reading.calls, found, strict=True))
    return frozenset(at for at, (given, answered) in pairs if given.pieces != answered.pieces)


def _read(message: Any) -> Reading:
    return shape_of(message).read(message)
