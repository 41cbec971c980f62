"""No file needs another that needs it, wherever in a file the import stands."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from tests.unit.test_code_rules import MODULES, tree_of


def _name(path: str) -> str:
    parts = Path(path).with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def needed(path: str, tree: ast.AST, known: set[str]) -> Iterator[str]:
    """The modules among the known that a file imports; `from package import module` needs the module."""
    package = Path(path).parent.parts[1:]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                below = f"{module}.{alias.name}"
                if below in known or module in known:
                    yield below if below in known else module


def circle(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_imports_go_round() -> None:
    known = {_name(path) for path in MODULES}
    graph = {_name(path): set(needed(path, tree_of(path), known)) - {_name(path)} for path in MODULES}
    assert circle(graph) == []


def test_no_packages_of_the_workers_go_round() -> None:
    """So that each can be read, and tested, with only what lies below it."""
    known = {_name(path) for path in MODULES}
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        above, _, package = _name(path).partition("coatcheck_workers.")
        if above or "." not in package:
            continue
        own = package.split(".")[0]
        below = (name.split(".") for name in needed(path, tree_of(path), known))
        others = {parts[1] for parts in below if parts[0] == "coatcheck_workers" and len(parts) > 2}
        graph.setdefault(own, set()).update(others - {own})
    assert len(graph) > 10
    assert circle(graph) == []


@pytest.mark.parametrize(
    ("imported", "needs"),
    [
        ("from . import two", {"pack.two"}),
        ("from .two import x", {"pack.two"}),
        ("def f():\n    from pack import two", {"pack.two"}),
        ("import pack.two", {"pack.two"}),
        ("from . import x", {"pack"}),
        ("from other import two", set()),
    ],
)
def test_an_import_of_any_form_is_seen(imported: str, needs: set[str]) -> None:
    assert set(needed("root/pack/one.py", ast.parse(imported), {"pack", "pack.one", "pack.two"})) == needs


def test_a_circle_is_found() -> None:
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}
