"""Messages of any shape as light ones: sizes in place of contents, one message for one."""

from collections.abc import Sequence
from typing import Any

from .measuring import Count, Measure
from .placeholders import recogniser
from .rules import Rules
from .shapes import LIGHT, Reading, Result, shape_of
from .shapes.access import word
from .stubs import ref_of_stub


def light_of(messages: Sequence[Any], rules: Rules | None = None, count: Count | None = None) -> list[dict[str, Any]]:
    """Each message's size by the same measure as `clear` has, its calls and its results; a light one is itself.

    A message with several results, as Anthropic's, or with other text beside one has them in `tool_results`. A
    result that is a placeholder by the rules bears `cleared`, one that is a stub its `ref`. Sizes are rounded up one by
    one, so a message may count a token more for each call than it does as a whole.
    """
    measure = Measure(count)
    is_placeholder = recogniser(rules if rules is not None else Rules())

    def lightened(message: Any) -> dict[str, Any]:
        shape = shape_of(message)
        if shape is LIGHT:
            return dict(message)
        reading = shape.read(message)
        light = _frame(_role(message, reading), reading, measure)
        results = [_result(result, measure, is_placeholder(_only(result))) for result in reading.results]
        if len(results) == 1 and not light["tokens"]:
            light |= results[0]
        elif results:
            light["tool_results"] = results
        return light

    return [lightened(message) for message in messages]


def _role(message: Any, reading: Reading) -> str:
    """The message's own, except that what has results is a tool's."""
    if reading.results:
        return "tool"
    return word(message, "role") or ("assistant" if reading.calls else "user" if reading.is_user else "other")


def _frame(role: str, reading: Reading, measure: Measure) -> dict[str, Any]:
    light: dict[str, Any] = {"role": role, "tokens": measure.sized(reading.other)}
    if reading.calls:
        light["tool_calls"] = [
            {"id": call.call_id, "name": call.name, "tokens": measure.sized(call)} for call in reading.calls
        ]
    return light


def _result(result: Result, measure: Measure, is_cleared: bool) -> dict[str, Any]:
    light: dict[str, Any] = {"tool_call_id": result.call_id, "tokens": measure.sized(result)}
    if result.name is not None:
        light["name"] = result.name
    if is_cleared:
        light["cleared"] = True
    elif (stub := ref_of_stub(_only(result))) is not None:
        light["ref"] = stub.ref
    return light


def _only(result: Result) -> str:
    return result.pieces[0] if len(result.pieces) == 1 else ""
