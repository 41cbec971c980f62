"""No command shows a secret, whatever goes wrong: they are planted in environment, files and URLs, and looked for."""

import logging
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.support.cli_examples import commands, examples_of, taken_apart

from coatcheck.cli import main

PLANTED = "x7Qplanted"
"""What each of them begins with."""
NOWHERE = "127.0.0.1:1"
LONG_RUNNING = {("up",), ("worker",)}
"""These are looked at as processes, with their logs: in test_up, and where workers are killed."""
CALLS = {words: examples_of(command)[0] for words, command in commands() if words not in LONG_RUNNING}

RIGHT = {
    "COATCHECK_NATS__URL": f"nats://somebody:{PLANTED}-url@{NOWHERE}",
    "COATCHECK_STORAGE__ENDPOINT": f"http://{NOWHERE}",
    "COATCHECK_STORAGE__ACCESS_KEY": "key",
    "COATCHECK_STORAGE__SECRET_KEY": f"{PLANTED}-key",
}
WRONG = (
    {"COATCHECK_NATS__URL": f"nats://somebody:{PLANTED}/x@{NOWHERE}"},
    {"COATCHECK_NATS__URL": f"nats://somebody:{PLANTED}@host:port"},
    {"COATCHECK_NATS__URL": f"http://somebody:{PLANTED}@{NOWHERE}"},
    {"COATCHECK_NATS__URL": f"nats://{PLANTED}@{NOWHERE}"},
    {"COATCHECK_STORAGE__URL": f"https://somebody:{PLANTED}@{NOWHERE}/bucket", "COATCHECK_STORAGE__ENDPOINT": ""},
    {"COATCHECK_STORAGE__ENDPOINT": f"http://somebody:{PLANTED}@{NOWHERE}/path"},
    {"COATCHECK_STORAGE__URL": "gs://bucket"},
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the examples find their files; no server is waited for."""
    for name in ("report.json", "big.log", "messages.json", "notes.md"):
        (tmp_path / name).write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("coatcheck.client.connection.RECONNECT_SECONDS", 0.01)
    return tmp_path


def shown_by(argv: list[str], environment: dict[str, str], caplog: pytest.LogCaptureFixture) -> str:
    """All that a call leaves anywhere."""
    caplog.set_level(logging.DEBUG)
    done = CliRunner(env=environment).invoke(main, argv, input="{}")
    return f"{done.output}\n{caplog.text}\n{done.exception!r}"


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_a_command_shows_no_secret_of_its_environment(
    words: tuple[str, ...], folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert PLANTED not in shown_by(taken_apart(CALLS[words]).argv, RIGHT, caplog)


@pytest.mark.parametrize(
    "argv", [["list"], ["provision"], ["doctor"], ["dlq", "list"], ["config"], ["config", "--json"]]
)
def test_a_command_shows_no_secret_of_a_file(argv: list[str], folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("password", "key"):
        (folder / name).write_text(f"{PLANTED}-{name}\n")
    environment = {
        "COATCHECK_NATS__URL": f"nats://{NOWHERE}",
        "COATCHECK_NATS__USER": "somebody",
        "COATCHECK_NATS__PASSWORD_FILE": str(folder / "password"),
        "COATCHECK_STORAGE__ENDPOINT": f"http://{NOWHERE}",
        "COATCHECK_STORAGE__ACCESS_KEY": "key",
        "COATCHECK_STORAGE__SECRET_KEY_FILE": str(folder / "key"),
    }
    assert PLANTED not in shown_by(argv, environment, caplog)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("argv", [["list"], ["provision"], ["doctor"], ["config"], ["up"]])
def test_an_error_of_the_configuration_shows_no_secret(
    argv: list[str], wrong: dict[str, str], folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shown = shown_by(argv, RIGHT | wrong, caplog)
    assert len(shown) > len("\n\nNone")
    assert PLANTED not in shown


@pytest.mark.parametrize("text", [f"nats: {{url: nats://u:{PLANTED}@h", f"storage:\n  secret_key: *{PLANTED}\n"])
def test_a_configuration_file_that_is_wrong_is_not_quoted(
    text: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "c.yaml").write_text(text)
    shown = shown_by(["list", "--config", "c.yaml"], {}, caplog)
    assert "is not YAML" in shown
    assert PLANTED not in shown


@pytest.mark.parametrize(
    "text", [f"{PLANTED}", f"-----BEGIN NATS USER JWT-----\n{PLANTED}\n------END NATS USER JWT------\n"]
)
@pytest.mark.parametrize("argv", [["list"], ["provision"], ["doctor"]])
def test_a_credentials_file_that_is_wrong_is_not_quoted(
    argv: list[str], text: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "a.creds").write_text(text)
    environment = {"COATCHECK_NATS__URL": f"nats://{NOWHERE}", "COATCHECK_NATS__CREDS_FILE": str(folder / "a.creds")}
    shown = shown_by(argv, environment, caplog)
    assert "a.creds" in shown
    assert PLANTED not in shown
