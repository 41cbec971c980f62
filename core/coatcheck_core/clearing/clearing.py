"""Clear old tool results out of a conversation: read, decide, write."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from coatcheck_schemas.errors import Code, RequestError

from .deciding import Slot, clears_arguments, old_slots, slots_of
from .measuring import Count, Measure
from .pairing import pair
from .placeholders import recogniser, ref_in, with_ref
from .rules import Rules
from .shapes import Changes, Reading, Shape, shape_of

PlaceholderFor = Callable[[Slot], str | None]
STAYS = ""
"""What a PlaceholderFor says of a result that is to stay as it is."""


class ClearedResult(msgspec.Struct, frozen=True, kw_only=True):
    """A result that `placeholder` now stands for; `ref` where that names one. `tokens` are those that it had."""

    slot: Slot
    placeholder: str
    ref: str | None
    tokens: int


class Cleared(msgspec.Struct, frozen=True, kw_only=True):
    """As many messages as were given, in their order and shapes: those without a change are the same objects.

    `cleared` has what was cleared this time, in order. The tokens are of all messages.
    """

    messages: list[Any]
    cleared: list[ClearedResult]
    tokens_before: int
    tokens_after: int


def clear(
    messages: Sequence[Any],
    rules: Rules | None = None,
    count: Count | None = None,
    placeholder_for: PlaceholderFor | None = None,
) -> Cleared:
    """The messages with placeholders for the results that `rules` give up, and for their calls' arguments if asked.

    The messages are OpenAI's (chat or responses), Anthropic's, LangChain's or light ones, even mixed; they are never
    changed, a new list has them. `count` gives a text's tokens; without it a message counts a quarter of its chars,
    rounded up. `placeholder_for` says what takes a result's place, made by `with_ref` where the result is stored; where
    it is not given, or says None, it is the tool's placeholder, which in place of a stub names that stub's ref; by
    STAYS the result stays. It must say the same for the same result each time. A result stays unless its
    placeholder is smaller.

    A result once cleared is known by its placeholder, and never changes again. Raises RequestError
    (`invalid_argument`) where the messages are no list or a light one has no size.
    """
    rules = rules if rules is not None else Rules()
    given = _listed(messages)
    measure = Measure(count)
    shapes = [shape_of(message) for message in given]
    readings = [_read(index, shape, message) for index, (shape, message) in enumerate(zip(shapes, given, strict=True))]
    sizes = [measure.message(reading) for reading in readings]
    pairs = pair(readings)
    old = old_slots(slots_of(readings, pairs, measure, recogniser(rules)), sizes, pairs, rules)
    cleared = _placeholders(old, rules, measure, placeholder_for or (lambda _: None))
    changes = _changes(cleared, _arguments(old, rules, measure), measure)
    written = {index: shapes[index].write(given[index], change) for index, change in changes.items()}
    saved = sum(sizes[index] - measure.message(shapes[index].read(message)) for index, message in written.items())
    before = sum(sizes)
    if saved < rules.clear_at_least_tokens:
        return Cleared(messages=given, cleared=[], tokens_before=before, tokens_after=before)
    for index, message in written.items():
        given[index] = message
    return Cleared(messages=given, cleared=cleared, tokens_before=before, tokens_after=before - saved)


def _listed(messages: Any) -> list[Any]:
    if not isinstance(messages, list | tuple):
        raise RequestError(Code.INVALID_ARGUMENT, f"messages must be a list, not {type(messages).__name__}")
    return list(messages)


def _read(index: int, shape: Shape, message: Any) -> Reading:
    try:
        return shape.read(message)
    except ValueError as error:
        raise RequestError(Code.INVALID_ARGUMENT, f"messages[{index}]: {error}") from error


def _placeholders(
    old: list[Slot], rules: Rules, measure: Measure, placeholder_for: PlaceholderFor
) -> list[ClearedResult]:
    """For those of the results that are larger than what would stand for them."""
    cleared: list[ClearedResult] = []
    for slot in old:
        if slot.is_cleared or not slot.tokens:
            continue
        placed = placeholder_for(slot)
        if placed == STAYS:
            continue
        placeholder = usual_placeholder(slot, rules) if placed is None else placed
        if measure.texts((placeholder,)) < slot.tokens:
            cleared.append(
                ClearedResult(slot=slot, placeholder=placeholder, ref=ref_in(placeholder), tokens=slot.tokens)
            )
    return cleared


def usual_placeholder(slot: Slot, rules: Rules) -> str:
    """What stands in a result's place where nothing is stored for that: a stub's ref stays."""
    placeholder = rules.placeholder_of(slot.tool_name)
    stub = slot.stub
    if stub is None:
        return placeholder
    return with_ref(placeholder, stub.ref, rules, has_retrieval=stub.has_retrieval)


def _arguments(old: list[Slot], rules: Rules, measure: Measure) -> set[tuple[int, int]]:
    """The calls, by message and number, of which the arguments are given up with the results."""
    found: set[tuple[int, int]] = set()
    for slot in old:
        asked = slot.asked
        if asked is None or not clears_arguments(slot, rules):
            continue
        if measure.sized(asked.call) > measure.texts((asked.call.when_cleared,)):
            found.add((asked.index, asked.number))
    return found


def _changes(cleared: list[ClearedResult], calls: set[tuple[int, int]], measure: Measure) -> dict[int, Changes]:
    """By message."""
    results: dict[int, dict[int, str]] = {}
    for one in cleared:
        results.setdefault(one.slot.index, {})[one.slot.number] = one.placeholder
    numbers: dict[int, set[int]] = {}
    for index, number in calls:
        numbers.setdefault(index, set()).add(number)
    return {
        index: Changes(
            measure=measure.texts,
            results=results.get(index, {}),
            calls=frozenset(numbers.get(index, ())),
        )
        for index in sorted({*results, *numbers})
    }
