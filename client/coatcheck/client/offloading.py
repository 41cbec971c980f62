"""Have results stored that are to be cleared, some at a time, so that no message and no request is too large for it."""

import re
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from coatcheck_core.clearing import STAYS, Rules, Slot, with_ref
from coatcheck_core.clearing.carrying import Carrying, Place
from coatcheck_core.clearing.measuring import Count, Measure
from coatcheck_schemas.clearing import ClearReply, ClearRequest, ClearRule
from coatcheck_schemas.errors import InvalidId
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.segments import encode_segment

MOST_RESULTS = 200
MOST_BYTES = 256 * 1024
"""Of a request; one larger result goes by itself."""

Ask = Callable[[ClearRequest], Awaitable[ClearReply | None]]
"""None where the request, or its reply, does not fit one message."""


class OldResult(msgspec.Struct, frozen=True, kw_only=True):
    """A result of a conversation that no request carries."""

    call_id: str
    tool_name: str
    text: str


KeepApart = Callable[[OldResult], Awaitable[str | None]]
"""Stores what no request carries: its ref, or None where it cannot be stored."""


class Offloading:
    """By a worker, whose `clear` stores what it clears: it is sent these results alone, each with its call.

    What is stored stays so, whatever comes after it: who asks again goes on from there.
    """

    def __init__(self, session: str, ask: Ask, keep_apart: KeepApart, given: ClearRequest, rules: Rules) -> None:
        """`session` is a segment."""
        self._session = session
        self._ask = ask
        self._keep_apart = keep_apart
        self._given = given
        self._rules = rules

    async def placeholders(self, slots: Sequence[Slot], count: Count | None = None) -> dict[Place, str]:
        """What stands for each, with its ref; STAYS for one that is not stored, or not larger. Raises RequestError."""
        made = {_place(slot): STAYS for slot in slots}
        for batch in await to_thread(self._worth_it, slots, count):
            made |= await self._stored(batch)
        return made

    def _worth_it(self, slots: Sequence[Slot], count: Count | None) -> list[list[Slot]]:
        measure = Measure(count)
        return list(_batches(slot for slot in slots if self._is_worth_it(slot, measure)))

    def _is_worth_it(self, slot: Slot, measure: Measure) -> bool:
        """A worker would say the same, of each of a hundred thousand short ones."""
        try:
            ref = str(Ref(self._session, f"{encode_segment(_whole(slot.call_id))}-{_ANY_HASH}"))
        except InvalidId:
            return False
        return measure.texts((with_ref(self._rules.placeholder_of(slot.tool_name), ref, self._rules),)) < slot.tokens

    async def _stored(self, batch: list[Slot]) -> dict[Place, str]:
        messages = [message for slot in batch for message in _call_and_result(slot)]
        messages.append({"role": "user", "content": "."})  # the newest message with text is never cleared
        reply = await self._ask(self._request(batch, messages))
        if reply is None:
            if len(batch) == 1:
                return {_place(batch[0]): await self._apart(batch[0])}
            half = len(batch) // 2
            return await self._stored(batch[:half]) | await self._stored(batch[half:])
        made = {_place(slot): STAYS for slot in batch}
        for found, placeholder in Carrying(messages, reply.messages, self._rules).cleared:
            made[_place(batch[found.index // 2])] = placeholder
        return made

    def _request(self, batch: list[Slot], messages: list[Any]) -> ClearRequest:
        """Every rule is given: none of the deployment's is to keep anything of it."""
        tools = {name: self._given.tools.get(name, ClearRule()) for name in {slot.tool_name or "" for slot in batch}}
        return ClearRequest(
            messages=messages,
            clearing_token_threshold=0,
            keep_recent_tokens=0,
            clear_at_least_tokens=0,
            placeholder=self._given.placeholder,
            exclude_tools=[],
            keep_rounds=0,
            clear_arguments=False,
            tools={
                name: ClearRule(never=False, keep=0, placeholder=rule.placeholder, clear_arguments=False)
                for name, rule in tools.items()
            },
            offload=True,
            retrieval=self._given.retrieval,
        )

    async def _apart(self, slot: Slot) -> str:
        result = OldResult(call_id=_whole(slot.call_id), tool_name=_whole(slot.tool_name or ""), text=_whole(slot.text))
        ref = await self._keep_apart(result)
        return STAYS if ref is None else with_ref(self._rules.placeholder_of(slot.tool_name), ref, self._rules)


def _batches(slots: Iterable[Slot]) -> Iterator[list[Slot]]:
    batch: list[Slot] = []
    size = 0
    for slot in slots:
        bytes_ = len(msgspec.json.encode(_call_and_result(slot)))
        if batch and (size + bytes_ > MOST_BYTES or len(batch) == MOST_RESULTS):
            yield batch
            batch, size = [], 0
        batch.append(slot)
        size += bytes_
    if batch:
        yield batch


def _call_and_result(slot: Slot) -> list[dict[str, Any]]:
    call_id, pieces = _whole(slot.call_id), [_whole(piece) for piece in slot.pieces]
    function = {"name": _whole(slot.tool_name or ""), "arguments": ""}
    content = pieces[0] if len(pieces) == 1 else [{"type": "text", "text": piece} for piece in pieces]
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": call_id, "content": content},
    ]


def _whole(text: str) -> str:
    """As the contract has it: a lone surrogate is U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def _place(slot: Slot) -> Place:
    return slot.index, slot.number


_ANY_HASH = "0" * 32
_SURROGATES = re.compile("[\ud800-\udfff]")
