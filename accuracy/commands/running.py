"""Run the commands that the machine has, and label what they print."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from accuracy.checks import checked
from accuracy.texts import Label, Source

SECONDS = 20
AT_ONCE = 2
MOST_BYTES = 1_000_000
LEAST_BYTES = 40


class Command(msgspec.Struct, frozen=True):
    """`name` is the kind of command that it counts as, `line` what the shell is given, `needs` the programs it takes.

    Where several commands print one table, an agent gets both streams as a terminal would show them.
    """

    name: str
    line: str
    label: str
    needs: tuple[str, ...] = ()

    @property
    def is_there(self) -> bool:
        return all(shutil.which(program) is not None for program in self.needs or (self.name.split()[0],))


def command_sources(commands: list[Command], projects: Path) -> tuple[list[Source], list[str]]:
    """The outputs, and what could not be run here. They are keyed by their command line: no two runs print the same."""
    there = [command for command in commands if command.is_there]
    missing = [f"{command.name} (not installed)" for command in commands if not command.is_there]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outputs = list(pool.map(lambda command: _output(command, projects), there))
    sources = []
    for command, output in zip(there, outputs, strict=True):
        if len(output) < LEAST_BYTES or b"\0" in output:
            missing.append(f"{command.line} (printed too little)")
        else:
            label = checked(Label.parse(command.label), command.line, output)
            if label is None:
                missing.append(f"{command.line} (printed something else)")
                continue
            sources.append(
                Source(name=command.line, label=label, data=output, key=command.line.encode(), command=command.name)
            )
    return sources, missing


def _output(command: Command, projects: Path) -> bytes:
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            ["bash", "-c", command.line],
            cwd=projects,
            env=environment(projects),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
        output.seek(0)
        return output.read(MOST_BYTES).decode(errors="replace").encode()


def environment(projects: Path) -> dict[str, str]:
    """None of the caller's variables, which may hold what is nobody's business, but where programs are."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(projects),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "COLUMNS": "120",
        "MANWIDTH": "90",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GOPATH": str(projects / "go-path"),
        "GOFLAGS": "-mod=mod",
        "GOCACHE": os.environ.get("GOCACHE", str(Path.home() / ".cache/go-build")),
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(Path.home() / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
        "EDITOR": "vi",
        "USER": "dev",
        "SHELL": "/bin/bash",
    }


def lines_of(name: str, label: str, lines: list[str], needs: tuple[str, ...] = ()) -> Iterator[Command]:
    return (Command(name, line, label, needs) for line in lines)
