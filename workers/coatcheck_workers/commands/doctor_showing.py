"""Findings for a person: a line each, what to do below it. The word says it all; colour only helps the eye."""

import shutil
import sys
import textwrap
from collections.abc import Sequence

import click

from coatcheck.cli.quiet import hint
from coatcheck.cli.terminal import on_terminal, styled
from coatcheck_core.stub.escaping import one_line

from ..doctor import Finding

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}
_CHECK_WIDTH = 14
_INDENT = " " * (6 + _CHECK_WIDTH)
_LEAST_WIDTH = 40
MOST_CHARS = 2000


def show(finding: Finding) -> None:
    """Folded to a terminal's width; into a pipe a line is a line."""
    status = styled(f"{finding.status:<4}", fg=_COLOURS[finding.status], bold=finding.status == "fail")
    lines = _folded(one_line(finding.found, MOST_CHARS))
    click.echo(f"{status}  {finding.check:<{_CHECK_WIDTH}}{lines[0]}")
    for line in (*lines[1:], *(_folded(f"-> {one_line(finding.mend, MOST_CHARS)}") if finding.mend else [])):
        click.echo(f"{_INDENT}{line}")
    sys.stdout.flush()


def show_summary(findings: Sequence[Finding]) -> None:
    counted = {status: sum(one.status == status for one in findings) for status in _COLOURS}
    told = f"{counted['ok']} ok, {counted['warn']} to look at, {counted['fail']} failing"
    hint(told)


def _folded(text: str) -> list[str]:
    if not on_terminal():
        return [text]
    width = max(shutil.get_terminal_size().columns - len(_INDENT), _LEAST_WIDTH - len(_INDENT))
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
