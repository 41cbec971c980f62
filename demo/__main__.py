"""`make demo`: start everything, run real commands through it, show what an agent sees, read originals back, stop."""

import asyncio
import json
import os
import shlex
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import coatcheck
from coatcheck_core.tokens import estimate_tokens
from demo.commands import COMMANDS, DemoCommand

SESSION = "demo"
READY_SECONDS = 60

console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)


async def main() -> None:
    with tempfile.TemporaryDirectory(prefix="coatcheck-demo-") as folder:
        console.print("Starting a NATS server, an S3 server and two workers ...")
        async with serving(Path(folder)) as ready:
            async with coatcheck.connect(str(ready["nats_url"])) as client:
                events = {command.tool: await through(client, command) for command in COMMANDS}
            show_savings(events)
            await show_retrieval(ready, events)
        console.print("\nAll stopped, nothing left running. Your own: [bold].venv/bin/coatcheck up[/]")


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[dict[str, object]]:
    """`coatcheck up` in a folder of its own; yields its ready file."""
    ready_file = folder / "ready.json"
    argv = ["up", "--data-dir", str(folder / "data"), "--workers", "2", "--ready-file", str(ready_file)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "coatcheck", *argv, env=clean_environment(), stdout=DEVNULL
    )
    try:
        async with asyncio.timeout(READY_SECONDS):
            while not ready_file.exists():
                if process.returncode is not None:
                    raise SystemExit("`coatcheck up` ended before it was ready; what it said is above")
                await asyncio.sleep(0.05)
        yield json.loads(ready_file.read_text())
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


async def through(client: coatcheck.Client, command: DemoCommand) -> tuple[coatcheck.StubEvent, str]:
    """Run the command, publish its output, show what the agent gets; the event, and the output as text."""
    process = await asyncio.create_subprocess_exec(*command.argv, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    output, _ = await process.communicate()
    event = await client.submit(
        SESSION, output, tool_name=command.tool, turn="turn-1", is_error=process.returncode != 0
    )
    title = f"{command.tool}: {len(output):,} bytes, {event.disposition}"
    console.print(Panel(Text(str(event.content).rstrip()), title=title, title_align="left"))
    return event, output.decode(errors="replace")


def show_savings(events: dict[str, tuple[coatcheck.StubEvent, str]]) -> None:
    table = Table(title="What stayed out of the context (tokens are an estimate)")
    for column in ("tool", "kind", "chars before", "chars after", "tokens saved"):
        table.add_column(column, justify="left" if column in ("tool", "kind") else "right")
    saved = 0
    for tool, (event, output) in events.items():
        after = str(event.content)
        saving = estimate_tokens(output) - estimate_tokens(after) if event.disposition == "offloaded" else 0
        saved += saving
        kind = f"{event.kind}/{event.format}" if event.format else event.kind or "-"
        table.add_row(tool, kind, f"{len(output):,}", f"{len(after):,}", f"{saving:,}")
    table.add_section()
    table.add_row("all", "", "", "", f"{saved:,}")
    console.print(table)


async def show_retrieval(ready: dict[str, object], events: dict[str, tuple[coatcheck.StubEvent, str]]) -> None:
    """What an agent does next, with the command line in place of its tools."""
    environment = clean_environment() | {"COATCHECK_NATS__URL": str(ready["nats_url"]), "COATCHECK_SESSION": SESSION}
    log, _ = events["run_tests"]
    source, _ = events["read_source"]
    for argv in (
        ["read", str(log.ref), "--unit", "lines", "--offset", "-3"],
        ["read", str(source.ref), "--unit", "lines", "--offset", "0", "--limit", "6", "--numbered"],
        ["search", "class ArgumentParser", "--ref", str(source.ref), "--context", "60"],
        ["search", r"class \w*Action\(", "--regex", "--ref", str(source.ref), "--context", "0", "--limit", "3"],
        ["delete", str(log.ref), "--yes"],
        ["list", "--newest"],
    ):
        console.print(Text(f"\n$ coatcheck {shlex.join(argv)}", style="bold"), soft_wrap=True)
        process = await asyncio.create_subprocess_exec(sys.executable, "-m", "coatcheck", *argv, env=environment)
        if await process.wait():
            raise SystemExit(f"`coatcheck {argv[0]}` failed with code {process.returncode}")


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")}


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        console.print("\nstopped, nothing left running")
        sys.exit(130)
