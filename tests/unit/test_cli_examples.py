"""Every command has examples in its help, and each is a call that the command takes."""

import click
import pytest
from tests.support.cli_examples import commands, examples_of, groups, taken_apart

from coatcheck.cli import main

COMMANDS = dict(commands())
LINES = [line for command in COMMANDS.values() for line in examples_of(command)]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_has_examples_of_itself(words: tuple[str, ...]) -> None:
    lines = examples_of(COMMANDS[words])
    assert lines
    for line in lines:
        assert tuple(taken_apart(line).argv[: len(words)]) == words
        assert len(line) <= 110


@pytest.mark.parametrize("group", list(groups()), ids=lambda group: group[0] or "coatcheck")
def test_every_group_has_examples_of_its_commands(group: tuple[str, click.Group, list[click.Command]]) -> None:
    _, above, below = group
    lines = examples_of(above)
    assert lines
    assert set(lines) <= {line for command in below for line in examples_of(command)}


@pytest.mark.parametrize("line", LINES)
def test_an_example_is_a_call_that_its_command_takes(
    line: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("example")
    for name in ("report.json", "big.log", "messages.json", "notes.md"):
        (folder / name).touch()
    monkeypatch.chdir(folder)
    argv = taken_apart(line).argv
    with click.Context(main) as ctx:
        command: click.Command = main
        while isinstance(command, click.Group):
            _, found, argv = command.resolve_command(ctx, argv)
            assert found is not None
            command = found
        with command.make_context(None, list(argv), parent=ctx):
            pass


def test_a_line_is_taken_apart_as_a_shell_does() -> None:
    found = taken_apart("seq 3 | coatcheck exec -- sh -c 'a | b > c' < in.txt > out.txt | jq .x")
    assert found.argv == ["exec", "--", "sh", "-c", "a | b > c"]
    assert (found.before, found.stdin_file, found.command) == ("seq 3", "in.txt", "exec")
