"""A command whose standard streams are closed, or take nothing, says so in a line, and has done nothing by then."""

import subprocess
import sys
from pathlib import Path

import pytest

GRANT = ("grant", "--role", "agent", "--session", "s1")


def shell(closing: str, *argv: str) -> subprocess.CompletedProcess[str]:
    command = " ".join((sys.executable, "-m", "coatcheck", *argv, closing))
    return subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)


def test_a_closed_output_is_told_before_anything_is_done(tmp_path: Path) -> None:
    agents = tmp_path / "agents.conf"
    done = shell(">&-", *GRANT, "--agents-file", str(agents))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: standard output is closed: send it to a file, a pipe or /dev/null\n"
    assert not agents.exists()


@pytest.mark.parametrize("closing", ["2>&-", "2>/dev/full"])
def test_a_password_that_cannot_be_shown_is_not_put_in_place_of_the_old(tmp_path: Path, closing: str) -> None:
    agents = tmp_path / "agents.conf"
    done = shell(closing, *GRANT, "--agents-file", str(agents))
    assert done.returncode != 0
    assert not agents.exists()


def test_a_closed_input_is_an_empty_one() -> None:
    done = shell("<&-", "synopsis", "-", "--json")
    assert (done.returncode, done.stderr) == (0, "")
