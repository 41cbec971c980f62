"""The texts that the service logs as warnings or worse, as they stand in its source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SEVERE = ("warning", "error", "exception", "critical")
_RECURRING = ("happened", "_tell_of_letter")
_VALUE = re.compile(r"%[-+.0-9]*[a-z]")


def log_texts() -> dict[str, str]:
    """The file of each text, whose values are `...`."""
    found: dict[str, str] = {}
    for folder in ("workers", "core"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for text in _of(ast.parse(path.read_text())):
                found[_VALUE.sub("...", text)] = str(path.relative_to(ROOT))
    return found


def _of(tree: ast.Module) -> Iterator[str]:
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            texts = {
                target.id: list(_constants(node.value))
                for node in ast.walk(function)
                if isinstance(node, ast.Assign)
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            for node in ast.walk(function):
                given = _told(node) if isinstance(node, ast.Call) else None
                if given is not None:
                    yield from texts.get(given.id, []) if isinstance(given, ast.Name) else _constants(given)


def _told(call: ast.Call) -> ast.expr | None:
    """The text of what is logged now, or by a Recurring, whose kind comes first."""
    if _is_severe(call.func) and call.args:
        return call.args[0]
    is_recurring = isinstance(call.func, ast.Attribute) and call.func.attr in _RECURRING
    return call.args[1] if is_recurring and len(call.args) > 1 else None


def _is_severe(called: ast.expr) -> bool:
    return (
        isinstance(called, ast.Attribute)
        and called.attr in _SEVERE
        and isinstance(called.value, ast.Name)
        and called.value.id in ("log", "logger", "_log")
    )


def _constants(given: ast.expr) -> Iterator[str]:
    """A text, or both of a choice."""
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        yield given.value
    elif isinstance(given, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "..." for part in given.values)
    elif isinstance(given, ast.IfExp):
        yield from _constants(given.body)
        yield from _constants(given.orelse)
