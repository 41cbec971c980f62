"""How fast old results are cleared out of a conversation, beside decoding and encoding it as JSON."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
from tests.support.conversations import SHAPES, rounds

from benchmarks.rows import Row, compared
from coatcheck_core.clearing import Rules, clear, light_of

_MESSAGES = 2000
_CHARS = 2000
_MB = 1_000_000
_RULES = Rules(clear_arguments=True)


def clearings(quick: bool) -> list[Row]:
    """2,000 messages of 2 kB, every second a result: fresh, cleared before, as sizes alone, and in other shapes."""
    messages = conversation()
    encoded = msgspec.json.encode(messages)
    again = clear(messages, _RULES).messages
    light = light_of(messages)
    rounds = 1 if quick else 7
    figures: list[tuple[str, Callable[[], Any]]] = [
        ("clear 2,000 messages of 2 kB", lambda: clear(messages, _RULES)),
        ("the same once more, where nothing is left to clear", lambda: clear(again, _RULES)),
        ("the same as light messages", lambda: clear(light, _RULES)),
        *((f"the same in the shape {name}", partial(clear, shaped, _RULES)) for name, shaped in _in_other_shapes()),
    ]
    return [
        compared(
            f"{figure}, beside decoding and encoding them as JSON",
            "MB/s",
            [(_rate(len(encoded), work), _rate(len(encoded), lambda: _floor(encoded))) for _ in range(rounds)],
            ">= 20 MB/s",
        )
        for figure, work in figures
    ]


def conversation() -> list[Any]:
    messages: list[Any] = []
    for number in range(_MESSAGES // 2):
        function = {"name": "bash", "arguments": f'{{"command":"{"c" * (_CHARS - 14)}"}}'}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": f"{number:05d}" * (_CHARS // 5)})
    return messages


def _in_other_shapes() -> list[tuple[str, list[Any]]]:
    steps = rounds(_MESSAGES // 2, size=_CHARS, argument="c" * (_CHARS - 10))
    return [(name, written(steps)) for name, written in SHAPES.items() if name not in ("chat", "light")]


def _floor(encoded: bytes) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(encoded))


def _rate(size: int, work: Callable[[], Any]) -> float:
    """By the processor's time, since it waits for nothing."""
    start = time.process_time()
    work()
    return size / _MB / (time.process_time() - start)
