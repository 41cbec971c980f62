"""How far long work has got, on standard error, for whoever looks at it; it is gone once the work is done."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from .quiet import is_quiet
from .terminal import console, moves_cursor

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID


class Bar:
    """Shown from the first `update` on, on a terminal that can, and not with `--quiet`.

    `total` is of bytes, or where `unit` names them of things; where it is None there is a spinner, and without any
    unit nothing but that.
    """

    def __init__(self, name: str, total: int | None = None, *, unit: str | None = None) -> None:
        self._name = name
        self._total = total
        self._unit = unit
        self._is_over = False
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def update(self, done: int) -> None:
        """So much is done."""
        if self._is_over or is_quiet() or not moves_cursor(sys.stderr):
            return
        if self._progress is None or self._task is None:
            self._progress = _progress(self._total, self._unit)
            self._task = self._progress.add_task(self._name, total=self._total)
            self._progress.start()
        self._progress.update(self._task, completed=done)

    def stop(self) -> None:
        """Nothing is shown any more: what follows has the terminal for itself."""
        if self._progress is not None:
            self._progress.stop()
        self._is_over = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _progress(total: int | None, unit: str | None) -> "Progress":
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description}", markup=False)]
    if total is not None:
        columns.append(BarColumn())
    columns += _amounts(total) if unit is None else [_count(total, unit)]
    return Progress(*columns, console=console(stderr=True), transient=True)


def _amounts(total: int | None) -> "list[ProgressColumn]":
    from rich.progress import DownloadColumn, FileSizeColumn, TransferSpeedColumn

    return [FileSizeColumn() if total is None else DownloadColumn(), TransferSpeedColumn()]


def _count(total: int | None, unit: str) -> "ProgressColumn":
    from rich.progress import TextColumn

    if not unit:
        return TextColumn("")
    of_all = "" if total is None else f" of {total:,}"
    return TextColumn(f"{{task.completed:,}}{of_all} {unit}", markup=False)
