"""How far a result has got, on standard error, for whoever looks at it; it is gone once the result is published."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Bar:
    """Shown from the first `update` on, and only on a terminal; `total` bytes, or where they are unknown a spinner."""

    def __init__(self, name: str, total: int | None) -> None:
        self._name = name
        self._total = total
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def update(self, done: int) -> None:
        """So many bytes are published."""
        if not sys.stderr.isatty():
            return
        if self._progress is None or self._task is None:
            self._progress = _progress(self._total)
            self._task = self._progress.add_task(self._name, total=self._total)
            self._progress.start()
        self._progress.update(self._task, completed=done)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()


def _progress(total: int | None) -> "Progress":
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        FileSizeColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        TextColumn,
        TransferSpeedColumn,
    )

    named = TextColumn("{task.description}", markup=False)
    amount: tuple[ProgressColumn, ...] = (FileSizeColumn(),)
    if total is not None:
        amount = (BarColumn(), DownloadColumn())
    console = Console(stderr=True, highlight=False)
    return Progress(SpinnerColumn(), named, *amount, TransferSpeedColumn(), console=console, transient=True)
