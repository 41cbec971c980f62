"""`coatcheck top`: the workers, the queue and the streams, live."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import aclosing, suppress
from typing import Any

import click
import msgspec

from coatcheck.cli.invocation import Invocation
from coatcheck.cli.options import examples, json_option
from coatcheck.cli.output import note, write_json
from coatcheck.cli.terminal import console, moves_cursor
from coatcheck.cli.work import connected as client_connected
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import RequestError
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.times import format_time

from ..top.rates import WorkerRow, rows
from ..top.showing import lines, screen
from ..top.snapshot import Snapshot, snapshots
from .permitted import permitted

NEWEST = 8
LEAST_SECONDS = 0.2
MOST_SECONDS = 3600.0


@click.command(
    "top",
    short_help="Watch the workers, the queue and the streams.",
    epilog=examples(
        "coatcheck top",
        "coatcheck top --session s1 --interval 5",
        "coatcheck top --once --json | jq .backlog",
    ),
)
@click.option("--once", is_flag=True, help="One look, over one interval, and the end.")
@click.option(
    "--interval",
    type=click.FloatRange(LEAST_SECONDS, MOST_SECONDS),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="How long from one look to the next.",
)
@click.option("--session", metavar="ID", help="Also the newest results of this session.")
@json_option
def command(once: bool, interval: float, session: str | None, as_json: bool) -> None:
    """Show the workers with their rates, what waits, how full the streams are, and dead letters, until Ctrl-C.

    Rates and the median time from receipt to stub (p50) are of the last interval. On a terminal it is one screen; into
    a pipe each look is lines that begin with their time, or with --json one object a line.
    """
    invocation = click.get_current_context().obj
    settings, _ = invocation.settings()
    view = _view(as_json)
    with suppress(KeyboardInterrupt):
        asyncio.run(_watch(invocation, settings, view, once=once, interval=interval, session=session))


class View:
    """Lines, for a pipe or a terminal whose cursor does not move."""

    def show(self, now: Snapshot, workers: Sequence[WorkerRow], newest: Sequence[Metadata]) -> None:
        for line in lines(now, workers, newest):
            click.echo(line)
        sys.stdout.flush()

    def tell(self, trouble: str) -> None:
        note(f"warning: {trouble}")

    def close(self) -> None:
        """Nothing is left on the screen."""


class JsonView(View):
    """A look is an object on a line of its own."""

    def show(self, now: Snapshot, workers: Sequence[WorkerRow], newest: Sequence[Metadata]) -> None:
        write_json(_object(now, workers, newest))


class Screen(View):
    """One screen, written over at each look; the last one stays."""

    def __init__(self) -> None:
        from rich.live import Live

        self._console = console()
        self._live = Live(console=self._console, auto_refresh=False)
        self._live.start()

    def show(self, now: Snapshot, workers: Sequence[WorkerRow], newest: Sequence[Metadata]) -> None:
        self._live.update(screen(now, workers, newest, self._console.width), refresh=True)

    def tell(self, trouble: str) -> None:
        from rich.text import Text

        self._live.update(Text(trouble, "yellow"), refresh=True)

    def close(self) -> None:
        self._live.stop()


def _view(as_json: bool) -> View:
    if as_json:
        return JsonView()
    return Screen() if moves_cursor(sys.stdout) else View()


async def _watch(
    invocation: Invocation, settings: Settings, view: View, *, once: bool, interval: float, session: str | None
) -> None:
    before: Snapshot | None = None
    try:
        async with aclosing(snapshots(settings, permitted, interval)) as each:
            async for now in each:
                if isinstance(now, str):
                    view.tell(now)
                    before = None
                    continue
                if once and before is None:
                    before = now  # rates take two
                    continue
                view.show(now, rows(before, now), await _newest(invocation, session))
                before = now
                if once:
                    return
    finally:
        view.close()


async def _newest(invocation: Invocation, session: str | None) -> list[Metadata]:
    if session is None:
        return []
    try:
        async with client_connected(invocation) as client:
            return (await client.list(session, order="newest", limit=NEWEST)).tool_results
    except RequestError as error:
        note(f"warning: the results of session {session[:100]!r} cannot be listed: {error.message}")
        return []


def _object(now: Snapshot, workers: Sequence[WorkerRow], newest: Sequence[Metadata]) -> dict[str, Any]:
    return {
        "at": format_time(now.at),
        "backlog": now.backlog,
        "in_hand": now.in_hand,
        "tried_again": now.tried_again,
        "oldest_seconds": None if now.oldest is None else round(now.oldest.total_seconds(), 3),
        "dead_letters": now.letters,
        "workers": workers,
        "streams": [
            {
                "stream": one.stream,
                "messages": one.messages,
                "bytes": one.bytes,
                "max_bytes": one.max_bytes,
                "fill": round(one.fill, 4),
            }
            for one in now.streams
        ],
        "newest": [msgspec.to_builtins(one) for one in newest],
    }
