"""The rules of the tests themselves: none of them fails where a machine is merely busy, or another test goes on."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parents[1]
LEAST_SECONDS = 20
"""A deadline that only a fault meets may be long: what takes a moment here takes seconds on a busy machine."""
WAITING = {"eventually", "wait_for", "timeout"}
NAMES = WAITING | {"socket", "connect"}
WITH_SOCKETS = {"support/ports.py", "integration/test_up.py", "unit/test_up_ports.py"}
"""Where ports are held. One that is looked for and let go is another's by the time that a server listens on it."""


class Call(NamedTuple):
    """One in the code of the tests; `is_to_end` where a test wants it to run out of time."""

    place: str
    node: ast.Call
    is_to_end: bool

    @property
    def name(self) -> str:
        called = self.node.func
        return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


@cache
def calls() -> list[Call]:
    """Those of these names, in all files."""
    return [call for path in sorted(TESTS.rglob("*.py")) for call in calls_in(path)]


def calls_in(path: Path) -> Iterator[Call]:
    text = path.read_text()
    if not any(f"{name}(" in text for name in NAMES):
        return
    nodes = list(ast.walk(ast.parse(text)))
    to_end = [node for node in nodes if isinstance(node, ast.With | ast.AsyncWith) and _wants_the_end(node)]
    for node in nodes:
        if isinstance(node, ast.Call):
            call = Call(
                f"{path.relative_to(TESTS)}:{node.lineno}",
                node,
                any(one.lineno <= node.lineno <= (one.end_lineno or 0) for one in to_end),
            )
            if call.name in NAMES:
                yield call


def _wants_the_end(node: ast.With | ast.AsyncWith) -> bool:
    return any("TimeoutError" in ast.unparse(one.context_expr) for one in node.items)


def seconds_of(call: Call) -> float | None:
    """Of its own deadline; None where it names none, or computes it."""
    place = 0 if call.name == "timeout" else 1
    named = [one.value for one in call.node.keywords if one.arg == "deadline_seconds"]
    given = [*call.node.args[place : place + 1], *named]
    value = given[0].value if given and isinstance(given[0], ast.Constant) else None
    return float(value) if isinstance(value, int | float) else None


def test_a_deadline_that_only_a_fault_meets_is_long() -> None:
    waiting = [call for call in calls() if call.name in WAITING and not call.is_to_end]
    assert len(waiting) > 100
    assert [call.place for call in waiting if (seconds_of(call) or LEAST_SECONDS) < LEAST_SECONDS] == []


def test_a_port_is_not_let_go_before_it_is_used() -> None:
    made = [call.place for call in calls() if call.name == "socket"]
    assert [place for place in made if place.partition(":")[0] not in WITH_SOCKETS] == []


def test_a_connection_to_nats_has_its_time() -> None:
    made = [call for call in calls() if call.name == "connect" and ast.unparse(call.node.func) == "nats.connect"]
    assert len(made) > 20
    assert [one.place for one in made if "connect_timeout" not in {word.arg for word in one.node.keywords}] == []
