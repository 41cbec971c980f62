"""Colours, progress, hints: where a terminal, a pipe, `NO_COLOR`, `TERM=dumb` or `--quiet` want them, and where not."""

import io
import sys
from collections.abc import Callable

import click
import pytest
from click.testing import CliRunner
from rich.table import Table

from coatcheck.cli import main
from coatcheck.cli.invocation import Invocation
from coatcheck.cli.progress import Bar
from coatcheck.cli.quiet import hint
from coatcheck.cli.terminal import console, is_styled, moves_cursor, print_table, styled
from coatcheck_workers.commands.doctor_showing import show
from coatcheck_workers.commands.top import JsonView, Screen, View, _view
from coatcheck_workers.doctor.finding import failing

ESCAPE = "\x1b["


class Terminal(io.StringIO):
    """Somebody looks at it."""

    def isatty(self) -> bool:
        return True


Shown = Callable[..., Terminal]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Standard output and error as one terminal, of a kind, so wide."""

    def of_kind(kind: str = "xterm-256color", columns: int = 80, **environment: str) -> Terminal:
        for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "CI"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TERM": kind, "COLUMNS": str(columns), **environment}.items():
            monkeypatch.setenv(name, value)
        shown = Terminal()
        monkeypatch.setattr(sys, "stdout", shown)
        monkeypatch.setattr(sys, "stderr", shown)
        return shown

    return of_kind


def print_all() -> None:
    """Something of each way to print."""
    table = Table(box=None, header_style="bold")
    table.add_column("title", style="red")
    table.add_row("cell")
    print_table(table, fold=True)
    console().print("[red]words")
    print(styled("more", fg="green", bold=True))
    show(failing("check", "it is wrong", "mend it"))


def test_a_terminal_gets_colours(terminal: Shown) -> None:
    shown = terminal()
    print_all()
    assert ESCAPE in shown.getvalue()


@pytest.mark.parametrize(("kind", "environment"), [("xterm", {"NO_COLOR": "1"}), ("dumb", {}), ("unknown", {})])
def test_one_that_wants_none_gets_no_escape_at_all(terminal: Shown, kind: str, environment: dict[str, str]) -> None:
    shown = terminal(kind, **environment)
    print_all()
    assert "it is wrong" in shown.getvalue()
    assert ESCAPE not in shown.getvalue()


def test_an_empty_no_color_is_none(terminal: Shown) -> None:
    shown = terminal(NO_COLOR="")
    assert is_styled(shown)


def test_a_pipe_gets_no_escape(monkeypatch: pytest.MonkeyPatch, terminal: Shown) -> None:
    terminal()
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stdout", pipe)
    print_all()
    assert ESCAPE not in pipe.getvalue()


def test_a_finding_is_folded_to_a_narrow_terminal_and_in_a_pipe_is_a_line(
    monkeypatch: pytest.MonkeyPatch, terminal: Shown
) -> None:
    shown = terminal("dumb", 40)
    finding = failing("streams", "word " * 40, "mend " * 40)
    show(finding)
    assert max(map(len, shown.getvalue().splitlines())) <= 40
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stdout", pipe)
    show(finding)
    assert len(pipe.getvalue().splitlines()) == 2


@pytest.mark.parametrize("total", [None, 100])
@pytest.mark.parametrize("unit", [None, "", "letters"])
def test_progress_is_shown_on_a_terminal_and_leaves_no_line(
    terminal: Shown, total: int | None, unit: str | None
) -> None:
    shown = terminal()
    with Bar("copying", total, unit=unit) as bar:
        bar.update(50)
    assert "copying" in shown.getvalue()
    assert (f"50{' of 100' if total else ''} letters" in shown.getvalue()) is (unit == "letters")


def test_progress_that_is_over_shows_no_more(terminal: Shown) -> None:
    shown = terminal()
    with Bar("copying") as bar:
        bar.stop()
        bar.update(5)
    assert shown.getvalue() == ""


def test_a_terminal_whose_cursor_does_not_move_gets_no_progress(terminal: Shown) -> None:
    shown = terminal("dumb")
    with Bar("copying", 100) as bar:
        bar.update(50)
    assert shown.getvalue() == ""
    assert not moves_cursor(shown)


def test_quiet_leaves_progress_and_hints_out(terminal: Shown) -> None:
    shown = terminal()
    invocation = Invocation()
    invocation.is_quiet = True
    with click.Context(main, obj=invocation), Bar("copying", 100) as bar:
        bar.update(50)
        hint("go on with --cursor")
    assert shown.getvalue() == ""


@pytest.mark.parametrize("argv", [("config", "-q"), ("-q", "config"), ("config", "--quiet")])
def test_quiet_is_taken_before_a_command_and_after_it(argv: tuple[str, ...]) -> None:
    done = CliRunner().invoke(main, argv)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "a worker that runs already" in CliRunner().invoke(main, ["config"]).stderr


def test_an_error_is_told_whatever_is_quiet() -> None:
    assert CliRunner().invoke(main, ["read", "-q", "coat://a"]).stderr.startswith("error: ")


def test_top_is_a_screen_only_where_a_cursor_moves(terminal: Shown) -> None:
    terminal("dumb")
    assert type(_view(as_json=False)) is View
    terminal()
    assert type(_view(as_json=True)) is JsonView
    screen = _view(as_json=False)
    screen.close()
    assert type(screen) is Screen
