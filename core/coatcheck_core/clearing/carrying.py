"""Carry what was cleared over to the messages that were meant: those that stayed here, as objects, or in full."""

from collections.abc import Sequence
from typing import Any

import msgspec

from .clearing import usual_placeholder
from .deciding import Slot, slots_of
from .measuring import Count, Measure
from .pairing import pair
from .placeholders import recogniser
from .rules import Rules
from .shapes import LIGHT, Changes, Reading, shape_of
from .shapes.access import field, items_of


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """The messages; those without a change are the same objects. `placeholders` stand in them now, by message."""

    messages: list[Any]
    placeholders: dict[int, list[str]]


def carry_over(messages: Sequence[Any], answered: Sequence[Any], rules: Rules, count: Count | None = None) -> Carried:
    """`answered` are the same messages cleared, one for one: in a form of the same shape, or as light ones.

    A light one says which results go; what stands for them is by `rules`. Raises ValueError where they do not match.
    """
    if len(messages) != len(answered):
        raise ValueError(f"{len(answered)} messages were answered for {len(messages)}")
    measure = Measure(count)
    readings = [shape_of(message).read(message) for message in messages]
    slots: dict[int, list[Slot]] = {}
    for slot in slots_of(readings, pair(readings), measure, recogniser(rules)):
        slots.setdefault(slot.index, []).append(slot)
    carried, placeholders = list(messages), {}
    for index, (message, answer) in enumerate(zip(messages, answered, strict=True)):
        shape = shape_of(message)
        results = _results(slots.get(index, []), answer, rules, is_light=shape is LIGHT)
        if shape is LIGHT:
            carried[index] = message if message == answer else answer
        elif (calls := _calls(readings[index], answer)) or results:
            carried[index] = shape.write(message, Changes(measure=measure.texts, results=results, calls=calls))
        if results:
            placeholders[index] = list(results.values())
    return Carried(messages=carried, placeholders=placeholders)


def _results(slots: list[Slot], answer: Any, rules: Rules, *, is_light: bool) -> dict[int, str]:
    """The placeholders of those that were cleared, by number."""
    found = _read(answer).results
    if len(found) != len(slots):
        raise ValueError(f"a message with {len(slots)} results was answered with {len(found)}")
    if is_light or shape_of(answer) is LIGHT:
        return {
            slot.number: usual_placeholder(slot, rules)
            for slot, result in zip(slots, found, strict=True)
            if result.is_marked and not slot.is_cleared
        }
    return {
        slot.number: result.pieces[0]
        for slot, result in zip(slots, found, strict=True)
        if result.pieces and result.pieces != slot.pieces
    }


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
