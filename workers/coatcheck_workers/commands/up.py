"""`coatcheck up`: everything on this machine."""

import asyncio
import shlex
import sys
from pathlib import Path

import click
from platformdirs import user_data_path
from rich.table import Table
from rich.text import Text

from coatcheck.cli.options import examples
from coatcheck.cli.terminal import console

from ..up import Machine, Plan
from ..up.machine import ADMIN_SETTINGS
from ..up.ready import Ready
from ..up.serving import serve


@click.command(
    "up",
    short_help="Run everything on this machine: NATS, object storage, workers.",
    epilog=examples(
        "coatcheck up",
        "coatcheck up --workers 4 --data-dir ./coats --set result.threshold=8000",
    ),
)
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=lambda: user_data_path("coatcheck"),
    show_default="your data folder",
    help="Where everything is kept.",
)
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="How many workers to run.")
@click.option(
    "--ready-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a JSON object with URLs, keys and worker pids there once all answer.",
)
def command(data_dir: Path, workers: int, ready_file: Path | None) -> None:
    """Run a NATS server, an S3 server and workers on this machine until Ctrl-C or SIGTERM.

    All listen on loopback, on free ports unless nats.url and storage.endpoint name others. What is stored stays in the
    data directory and is there again at the next start.
    """
    if ready_file is not None and not ready_file.absolute().parent.is_dir():
        raise click.BadParameter(f"the folder {ready_file.parent} does not exist", param_hint="--ready-file")
    settings, _ = click.get_current_context().obj.settings()
    plan = Plan.make(settings, data_dir=data_dir, workers=workers, ready_file=ready_file)
    screen = Screen(plan)
    asyncio.run(serve(Machine(plan, ready=screen.ready, notice=screen.notice)))
    screen.say("stopped")


def _command() -> str:
    """The command as it was called, to be copied."""
    called = Path(sys.argv[0])
    return "coatcheck" if called.name != "coatcheck" or called.parent == Path() else str(called)


class Screen:
    """What a person sees: a summary without secrets once all answers, then a line when something happens."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._out = console(soft_wrap=True)
        self._errors = console(stderr=True, soft_wrap=True)
        self._shown = False

    def say(self, line: str) -> None:
        self._out.print(Text(line))

    def notice(self, line: str) -> None:
        self._errors.print(Text(line, style="yellow"))

    def ready(self, ready: Ready) -> None:
        if self._shown:
            self.notice(f"all workers answer again: pids {', '.join(map(str, ready.worker_pids))}")
            return
        self._shown = True
        self._out.print(Text("Coatcheck is ready", style="bold green"))
        self._out.print(self._summary(ready))
        called = shlex.quote(_command())
        if self._plan.data_dir != user_data_path("coatcheck"):
            called += f" --config {shlex.quote(str((self._plan.data_dir / ADMIN_SETTINGS).absolute()))}"
            self.say("This is not the default data directory: each command needs the --config that follows.")
        self.say(f"Try it: {called} exec -- seq 1 20000")
        self._out.print(Text("Ctrl-C stops it; what is stored stays."))

    def _summary(self, ready: Ready) -> Table:
        table = Table.grid(padding=(0, 2))
        rows = (
            ("NATS", f"nats://{ready.nats_url.rpartition('@')[2]}"),
            ("S3", f"{ready.s3_endpoint} (bucket {ready.s3_bucket})"),
            ("workers", ", ".join(map(str, ready.worker_pids))),
            *([("health", ", ".join(ready.worker_http))] if ready.worker_http else []),
            ("data", str(self._plan.data_dir)),
            ("ready file", str(self._plan.ready_file or self._plan.data_dir / "ready.json")),
        )
        for name, value in rows:
            table.add_row(Text(name, style="bold"), Text(value, overflow="fold"))
        return table
