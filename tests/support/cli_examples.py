"""The examples in the commands' help: found by walking over the command, taken apart as a shell would."""

import glob
import shlex
from collections.abc import Iterator
from typing import NamedTuple

import click

from coatcheck.cli import main

TITLE = "Examples:"
PROGRAM = "coatcheck"


class Example(NamedTuple):
    """`line` as it stands in the help; `argv` without the program; `before` is what is piped into it, for a shell."""

    line: str
    argv: list[str]
    before: str = ""
    stdin_file: str = ""

    @property
    def command(self) -> str:
        return self.argv[0]


def commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that does something, by the words that call it."""
    ctx = click.Context(main)
    for name in main.list_commands(ctx):
        command = main.get_command(ctx, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from (((name, below), one) for below, one in command.commands.items())
        else:
            yield (name,), command


def groups() -> Iterator[tuple[str, click.Group, list[click.Command]]]:
    """Every command that has commands, the program itself too, by its words, with all those below it."""
    below = dict(commands())
    yield "", main, list(below.values())
    ctx = click.Context(main)
    for name in sorted({words[0] for words in below if len(words) > 1}):
        group = main.get_command(ctx, name)
        assert isinstance(group, click.Group)
        yield name, group, list(group.commands.values())


def examples_of(command: click.Command) -> list[str]:
    """The lines of its help's examples."""
    _, title, lines = (command.epilog or "").partition(TITLE)
    return [line.strip() for line in lines.splitlines() if line.strip()] if title else []


def taken_apart(line: str) -> Example:
    """Our command in a line, what feeds it; what its output goes to is left out. Raises ValueError without ours."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    stages: list[list[str]] = [[]]
    for word in lexer:
        if word == "|":
            stages.append([])
        else:
            stages[-1].append(word)
    at = next((index for index, stage in enumerate(stages) if stage and stage[0] == PROGRAM), None)
    if at is None:
        raise ValueError(f"no {PROGRAM} in {line!r}")
    argv, stdin_file = _redirected(stages[at][1:])
    return Example(line, argv, " | ".join(map(shlex.join, stages[:at])), stdin_file)


def _redirected(words: list[str]) -> tuple[list[str], str]:
    """The words without redirections and with what their patterns match here; the file that is read from."""
    argv: list[str] = []
    stdin_file = ""
    remaining = iter(words)
    for word in remaining:
        if word == ">":
            next(remaining)
        elif word == "<":
            stdin_file = next(remaining)
        else:
            argv += sorted(glob.glob(word)) or [word]
    return argv, stdin_file
