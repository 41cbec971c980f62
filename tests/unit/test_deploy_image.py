"""The image, checked without an engine: it copies what exists, compiles nothing, and runs as nobody special."""

import importlib.util
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import distribution, version
from threading import Thread
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.support.deploying import DEPLOY, PINNED, ROOT

LINES = re.sub(r"\\\n\s*", "", (DEPLOY / "Dockerfile").read_text()).splitlines()


def copied() -> list[str]:
    copies = [line.split()[1:-1] for line in LINES if line.startswith("COPY ") and "--from" not in line]
    return [name for names in copies for name in names]


def test_what_is_copied_exists_and_reaches_the_build() -> None:
    rules = (ROOT / ".dockerignore").read_text().split()
    assert rules[0] == "*"
    for name in copied():
        assert (ROOT / name).exists(), name
        assert f"!{name}" in rules, f"{name} is kept out by .dockerignore"


def test_no_secret_reaches_the_build() -> None:
    allowed = [rule.removeprefix("!") for rule in (ROOT / ".dockerignore").read_text().split() if rule.startswith("!")]
    assert not [
        name for name in ("deploy", "deploy/secrets", ".env", ".git") for rule in allowed if fnmatch(name, rule)
    ]


def test_the_image_runs_as_nobody_special() -> None:
    (user,) = [line.split()[1] for line in LINES if line.startswith("USER ")]
    assert user == "10001:10001"
    assert LINES.index(f"USER {user}") > max(i for i, line in enumerate(LINES) if line.startswith("RUN "))


def test_the_base_is_pinned_and_what_builds_is_left_behind() -> None:
    (base,) = [line.partition("=")[2] for line in LINES if line.startswith("ARG PYTHON=")]
    assert PINNED.fullmatch(base)
    assert [line for line in LINES if line.startswith("FROM")] == ["FROM ${PYTHON} AS build", "FROM ${PYTHON}"]
    last = LINES[LINES.index("FROM ${PYTHON}") :]
    assert not [line for line in last if re.search(r"\bpip\b|apt", line)]


def test_the_labels_say_the_version_of_this_tree() -> None:
    assert f"ARG VERSION={version('coatcheck')}" in LINES


def test_nothing_but_wheels_is_installed() -> None:
    assert any("PIP_ONLY_BINARY=:all:" in line for line in LINES)


def dependencies(name: str, extras: frozenset[str] = frozenset()) -> Iterator[str]:
    """What the image installs for a distribution: it, and all that this installs in turn."""
    yield canonicalize_name(name)
    for text in distribution(name).requires or []:
        required = Requirement(text)
        applies = required.marker is None or any(
            required.marker.evaluate({"extra": extra}) for extra in (extras or frozenset({""}))
        )
        if applies:
            yield from dependencies(required.name, frozenset(required.extras))


def test_what_is_installed_is_pinned_and_came_as_a_wheel_of_many_systems() -> None:
    """One that this machine compiled for itself bears the tag of plain Linux."""
    pinned = {canonicalize_name(line.partition("==")[0]) for line in (ROOT / "constraints.txt").read_text().split()}
    installed = set(dependencies("coatcheck", frozenset({"server", "otel"}))) - {"coatcheck"}
    assert len(installed) > 30
    assert installed <= pinned
    for name in installed:
        assert not re.search(r"^Tag: .*-linux_", distribution(name).read_text("WHEEL") or "", re.MULTILINE), name


@pytest.fixture(scope="module")
def healthy() -> ModuleType:
    spec = importlib.util.spec_from_file_location("healthy", DEPLOY / "healthy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Answers(BaseHTTPRequestHandler):
    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status if self.path == "/healthz" else 404)
        self.end_headers()
        self.wfile.write(b"as it is")

    def log_message(self, *_: object) -> None:
        """Nothing into the tests' output."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Answers]]:
    answers = type("TheseAnswers", (Answers,), {})
    with HTTPServer(("127.0.0.1", 0), answers) as listening:
        Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        monkeypatch.setenv("COATCHECK_HTTP__HOST", "0.0.0.0")
        monkeypatch.setenv("COATCHECK_HTTP__PORT", str(listening.server_port))
        yield answers
        listening.shutdown()


def test_a_worker_that_lives_is_healthy(
    healthy: ModuleType, server: type[Answers], capsys: pytest.CaptureFixture[str]
) -> None:
    healthy.main()
    assert capsys.readouterr().out == "as it is"


def test_a_worker_that_says_it_is_not_well_is_not(healthy: ModuleType, server: type[Answers]) -> None:
    server.status = 503
    with pytest.raises(SystemExit, match="/healthz says 503: as it is"):
        healthy.main()


def test_another_path_is_asked_for_where_one_is_given(healthy: ModuleType, server: type[Answers]) -> None:
    with pytest.raises(SystemExit, match="/readyz says 404"):
        healthy.main("/readyz")


def test_a_worker_that_does_not_answer_is_not_healthy(healthy: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with HTTPServer(("127.0.0.1", 0), Answers) as listening:
        monkeypatch.setenv("COATCHECK_HTTP__PORT", str(listening.server_port))
        monkeypatch.delenv("COATCHECK_HTTP__HOST", raising=False)
    with pytest.raises(SystemExit, match="does not answer"):
        healthy.main()


@pytest.mark.parametrize("port", ["", "0", "eight"])
def test_a_worker_without_a_port_cannot_be_asked(
    healthy: ModuleType, monkeypatch: pytest.MonkeyPatch, port: str
) -> None:
    monkeypatch.setenv("COATCHECK_HTTP__PORT", port)
    with pytest.raises(SystemExit, match="COATCHECK_HTTP__PORT is not set"):
        healthy.main()
