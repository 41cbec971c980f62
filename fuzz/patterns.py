"""`python -m fuzz.patterns`: text made against every regular expression of the core, to see which are superlinear.

For each repeat in a pattern: what leads to it, then what it repeats, over and over, then what it cannot end with. A
pattern that is shown is a fault where it meets unbounded text; where it meets a clipped line it costs what is said of
400 chars.
"""

import pkgutil
import re
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import msgspec

import coatcheck_core.stub
import coatcheck_core.synopsis

SMALL, LARGE, CLIPPED = 1500, 6000, 400
SUPERLINEAR = 8.0
MOST_ATTACKS = 150
WORTH_SECONDS = 0.002
ENDS = ("\x00", "\n", "!")
_CANDIDATES = "a1 _-.:=\"'\n\t/,A{([<>)]}#*\\é漢"


class Found(msgspec.Struct, frozen=True):
    where: str
    pattern: str
    growth: float
    clipped_ms: float
    attack: str


def main() -> int:
    count = 0
    for where, pattern in patterns():
        one = _worst(where, pattern)
        if one is None:
            continue
        count += 1
        print(f"{one.where}: {one.pattern[:150]!r}")
        print(
            f"    4 times the text, {one.growth:.0f} times the work; {CLIPPED} chars {one.clipped_ms:.2f} ms;"
            f" {one.attack[:40]!r}...",
            flush=True,
        )
    print(f"{count} patterns grow faster than their text")
    return 0


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Every compiled pattern that a module of the synopsis or of the stub holds, each once."""
    seen: set[int] = set()
    for package in (coatcheck_core.synopsis, coatcheck_core.stub):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = import_module(found.name)
            for name, value in list(vars(module).items()):
                for pattern in _inside(value, 0):
                    if id(pattern) not in seen:
                        seen.add(id(pattern))
                        yield f"{module.__name__}.{name}", pattern


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """A lead and a unit to repeat."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = _parser.parse(source, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags)
    for lead, body in _repeats(tree, ""):
        unit = body or "a"
        yield lead, unit
        yield "", lead + unit
        yield lead, unit + "\n"


def _worst(where: str, pattern: re.Pattern[Any]) -> Found | None:
    worst: Found | None = None
    for lead, unit in islice(dict.fromkeys(attacks(pattern)), MOST_ATTACKS):
        for end in ENDS:
            large = _seconds(pattern, lead + unit * (LARGE // len(unit)) + end)
            if large < WORTH_SECONDS:
                continue
            small = _seconds(pattern, lead + unit * (SMALL // len(unit)) + end)
            if large < SUPERLINEAR * small:
                continue
            clipped = (lead + unit * CLIPPED + end)[-CLIPPED:]
            cost = max(_seconds(pattern, clipped), _seconds(pattern, (lead + unit * CLIPPED)[: CLIPPED - 1] + end))
            if worst is None or cost * 1000 > worst.clipped_ms:
                name = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
                worst = Found(where, " ".join(name.split()), large / small, cost * 1000, lead + unit * 3)
    return worst


def _seconds(pattern: re.Pattern[Any], text: str) -> float:
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode()
    start = time.process_time()
    for _ in pattern.finditer(subject):
        if time.process_time() - start > 1:
            break
    return time.process_time() - start


def _inside(value: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4 and isinstance(value, dict):
        for item in value.values():
            yield from _inside(item, depth + 1)
    elif depth < 4 and isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _inside(item, depth + 1)
    elif depth < 4 and isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _inside(getattr(value, name), depth + 1)


def _repeats(tree: Any, lead: str) -> Iterator[tuple[str, str]]:
    """Each repeat that may go on for long, with an example of what comes before it and of what it repeats."""
    for op, argument in tree:
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            least, most, body = argument
            if most is ops.MAXREPEAT or most > 15:
                for example in _examples(body):
                    yield lead, example
            yield from _repeats(body, lead)
            lead += _example(body) * max(least, 1)
            continue
        for inner in _inner(op, argument):
            yield from _repeats(inner, lead)
        lead += _example([(op, argument)])


def _inner(op: Any, argument: Any) -> list[Any]:
    if op is ops.BRANCH:
        return list(argument[1])
    if op is ops.SUBPATTERN:
        return [argument[3]]
    if op is ops.ATOMIC_GROUP:
        return [argument]
    return [argument[1]] if op in (ops.ASSERT, ops.ASSERT_NOT) else []


def _examples(tree: Any) -> list[str]:
    """Of a branch at its top, one for each way."""
    items = list(tree)
    if len(items) == 1:
        op, argument = items[0]
        if op is ops.BRANCH:
            return [_example(way) for way in argument[1]][:6]
        if op is ops.SUBPATTERN:
            return _examples(argument[3])
        if op is ops.IN:
            return [char for char in _CANDIDATES if _matches(argument, char)][:3]
        if op is ops.ANY:
            return ["a", " ", "["]
    return [_example(tree)]


def _example(tree: Any) -> str:
    text = ""
    for op, argument in tree:
        if op is ops.LITERAL:
            text += chr(argument)
        elif op is ops.NOT_LITERAL:
            text += "b" if argument == ord("a") else "a"
        elif op is ops.ANY:
            text += "a"
        elif op is ops.IN:
            text += next((char for char in _CANDIDATES if _matches(argument, char)), "a")
        elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            text += _example(argument[2]) * argument[0]
        elif op is ops.BRANCH:
            text += _example(argument[1][0])
        elif op is ops.SUBPATTERN:
            text += _example(argument[3])
        elif op is ops.ATOMIC_GROUP:
            text += _example(argument)
    return text


def _matches(of: Any, char: str) -> bool:
    """Whether a set as the parser gives it holds the char."""
    negated = bool(of) and of[0][0] is ops.NEGATE
    held = any(_holds(op, argument, char) for op, argument in of if op is not ops.NEGATE)
    return held != negated


def _holds(op: Any, argument: Any, char: str) -> bool:
    if op is ops.LITERAL:
        return bool(ord(char) == argument)
    if op is ops.RANGE:
        return bool(argument[0] <= ord(char) <= argument[1])
    categories = {
        ops.CATEGORY_DIGIT: char.isdigit(),
        ops.CATEGORY_NOT_DIGIT: not char.isdigit(),
        ops.CATEGORY_SPACE: char.isspace(),
        ops.CATEGORY_NOT_SPACE: not char.isspace(),
        ops.CATEGORY_WORD: char.isalnum() or char == "_",
        ops.CATEGORY_NOT_WORD: not (char.isalnum() or char == "_"),
    }
    return categories.get(argument, False)


if __name__ == "__main__":
    sys.exit(main())
