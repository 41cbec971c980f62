"""Completion in shells: the scripts, and what they are told when a key is pressed."""

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from coatcheck.cli import group, main
from coatcheck.cli.contents import CLIENT_COMMANDS, SERVER_COMMANDS


def completed(*words: str) -> list[str]:
    """What is offered for the last of the words."""
    *before, incomplete = words
    complete = ShellComplete(main, {}, "coatcheck", "_COATCHECK_COMPLETE")
    return [item.value for item in complete.get_completions(before, incomplete)]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_asks_the_command_itself(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell])
    assert done.exit_code == 0
    assert f"_COATCHECK_COMPLETE={shell}_complete" in done.stdout


def test_commands_are_completed_without_loading_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, package: str | None = None) -> None:
        raise AssertionError(f"{name} was loaded")

    monkeypatch.setattr(group, "import_module", load)
    monkeypatch.setattr(group, "_load", load)
    assert completed("") == list(main.list_commands(None))  # type: ignore[arg-type]
    assert completed("re") == ["read"]
    assert completed("nothing") == []


def test_a_line_goes_with_each_command_that_is_offered() -> None:
    complete = ShellComplete(main, {}, "coatcheck", "_COATCHECK_COMPLETE")
    lines = CLIENT_COMMANDS | SERVER_COMMANDS
    assert all(item.help == lines[item.value] for item in complete.get_completions([], ""))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--co",), ["--config"]),
        (("read", "--un"), ["--unit"]),
        (("read", "--unit", ""), ["chars", "lines", "bytes"]),
        (("dlq", "re"), ["retry"]),
        (("completion", "z"), ["zsh"]),
        (("list", "--kind", "c"), ["csv", "code"]),
    ],
)
def test_options_and_their_values_are_completed(words: tuple[str, ...], expected: list[str]) -> None:
    assert completed(*words) == expected
