"""What is read from a message, whatever its shape."""

from collections.abc import Callable
from typing import Any

import msgspec

CLEARED_ARGUMENTS = "[Old tool call arguments cleared]"
CLEARED_ARGUMENTS_JSON = '{"_cleared":"[Old tool call arguments cleared]"}'
"""A JSON object, since that is what arguments are; its one key is no tool's parameter."""


def cleared_arguments() -> dict[str, str]:
    return {"_cleared": CLEARED_ARGUMENTS}


class Sized(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Texts to be counted, or in a light message how many tokens they have: then `tokens` is that, and no text is."""

    pieces: tuple[str, ...] = ()
    tokens: int | None = None


class Call(Sized, frozen=True, kw_only=True, gc=False):
    """A call in an assistant's message: its size is that of its arguments, `when_cleared` what takes their place."""

    call_id: str
    name: str | None
    when_cleared: str = CLEARED_ARGUMENTS_JSON


class Result(Sized, frozen=True, kw_only=True, gc=False):
    """A tool's result: its size is that of its text.

    Of a light one `is_marked` says that it is cleared already, `ref` where it is stored.
    """

    call_id: str
    name: str | None
    content: Any = None
    is_marked: bool = False
    ref: str | None = None


class Reading(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message's results and calls in their order, and all other text in it.

    `joins_round` is true of a call that stands in an item of its own: with the calls before it, as long as no result or
    user has come in between, it is one round.
    """

    other: Sized = Sized()
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()
    joins_round: bool = False
    is_user: bool = False


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """What a message is written with: for results the text in their place, by their number; calls, by theirs.

    `measure` tells how many tokens texts have, for those who keep sizes.
    """

    measure: Callable[[tuple[str, ...]], int]
    results: dict[int, str] = {}
    calls: frozenset[int] = frozenset()
