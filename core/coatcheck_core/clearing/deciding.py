"""Which results are old enough to be cleared."""

from collections import Counter
from typing import Any

import msgspec

from .measuring import Measure
from .pairing import Asked, Pairs
from .placeholders import Recognise
from .rules import Rules
from .shapes import Reading, Result
from .stubs import StubRef, ref_of_stub


class Slot(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A result in a conversation: the `number`th of the message at `index`.

    `tool_name` is its call's, or what it says itself. `content` is as it was found: text, or a list of parts with media
    among them; None in a light message, of which `stored_at` is the ref that it names. `tokens` are those of its text.
    """

    index: int
    number: int
    call_id: str
    tool_name: str | None
    content: Any
    pieces: tuple[str, ...]
    tokens: int
    is_cleared: bool
    asked: Asked | None = None
    stored_at: str | None = None

    @property
    def is_light(self) -> bool:
        """Whether there is nothing of it but its size."""
        return self.content is None

    @property
    def text(self) -> str:
        """Its text parts, joined by a newline."""
        return "\n".join(self.pieces)

    @property
    def stub(self) -> StubRef | None:
        """What it refers to, where it is one of our stubs, or a light result that is stored."""
        if self.stored_at is not None:
            return StubRef(self.stored_at, has_retrieval=True)
        return ref_of_stub(self.pieces[0]) if len(self.pieces) == 1 else None

    @property
    def ref(self) -> str | None:
        stub = self.stub
        return stub.ref if stub is not None else None


def slots_of(readings: list[Reading], pairs: Pairs, measure: Measure, is_placeholder: Recognise) -> list[Slot]:
    """Every result, in order."""
    return [
        _slot(index, number, result, asked, measure, is_placeholder)
        for index, calls in pairs.of_results.items()
        for number, (result, asked) in enumerate(zip(readings[index].results, calls, strict=True))
    ]


def _slot(
    index: int, number: int, result: Result, asked: Asked | None, measure: Measure, is_placeholder: Recognise
) -> Slot:
    pieces = result.pieces
    return Slot(
        index=index,
        number=number,
        call_id=result.call_id,
        tool_name=_tool_name(index, result, asked),
        content=result.content,
        pieces=pieces,
        tokens=measure.sized(result),
        is_cleared=result.is_marked or (len(pieces) == 1 and is_placeholder(pieces[0])),
        asked=asked,
        stored_at=result.ref,
    )


def _tool_name(index: int, result: Result, asked: Asked | None) -> str | None:
    """Its call's; only where that comes after it, its own goes first: it had that before the call was there."""
    called = asked.call.name if asked is not None else None
    if asked is not None and asked.index > index:
        return result.name or called
    return called or result.name


def old_slots(slots: list[Slot], sizes: list[int], pairs: Pairs, rules: Rules) -> list[Slot]:
    """Those that the rules give up, cleared ones among them: nothing unless the threshold is passed."""
    if sum(slot.tokens for slot in slots if not slot.is_cleared) <= rules.clearing_token_threshold:
        return []
    end = recent_start(sizes, rules.keep_recent_tokens)
    kept_round = max(len(pairs.round_starts) - rules.keep_rounds, 0)
    if kept_round < len(pairs.round_starts):
        end = min(end, pairs.round_starts[kept_round])
    end = _whole_rounds_end(slots, end, pairs, rules)
    kept = _kept_by_tool(slots, rules)
    return [
        slot
        for place, slot in enumerate(slots)
        if slot.index < end
        and place not in kept
        and not rules.spares(slot.tool_name)
        and not (slot.asked is not None and slot.asked.round_number >= kept_round)
    ]


def _whole_rounds_end(slots: list[Slot], end: int, pairs: Pairs, rules: Rules) -> int:
    """Where the old ones end: before a round of which an argument is to go later, with a result that is not old yet.

    It would change a message before results that were cleared already.
    """
    split = {
        slot.asked.round_number for slot in slots if slot.index >= end and slot.asked and clears_arguments(slot, rules)
    }
    split |= {asked.round_number for asked in pairs.open_calls if _clears(asked.call.name, rules)}
    return min([end, *(pairs.round_starts[number] for number in split)])


def clears_arguments(slot: Slot, rules: Rules) -> bool:
    """Whether its call's arguments go with it: not where it came before its call, or after another round had begun."""
    asked = slot.asked
    return asked is not None and not asked.is_late and asked.index <= slot.index and _clears(slot.tool_name, rules)


def _clears(tool_name: str | None, rules: Rules) -> bool:
    return rules.clears_arguments_of(tool_name) and not rules.spares(tool_name)


def recent_start(sizes: list[int], keep_recent_tokens: int) -> int:
    """The message at which the count from the end passes the limit: it is kept itself, as all after it."""
    total = 0
    for index in range(len(sizes) - 1, -1, -1):
        total += sizes[index]
        if total > keep_recent_tokens:
            return index
    return 0


def _kept_by_tool(slots: list[Slot], rules: Rules) -> set[int]:
    """The places of each tool's newest results, as many as its rule keeps."""
    if not any(rule.keep for rule in rules.tools.values()):
        return set()
    seen: Counter[str | None] = Counter()
    kept: set[int] = set()
    for place in range(len(slots) - 1, -1, -1):
        name = slots[place].tool_name
        seen[name] += 1
        if seen[name] <= rules.newest_kept_of(name):
            kept.add(place)
    return kept
