"""What `coatcheck list` prints: a table for people, or metadata as JSON."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from .output import write_json
from .progress import Bar
from .quiet import hint
from .terminal import on_terminal, styled

if TYPE_CHECKING:
    from coatcheck.client import Client
    from coatcheck.client.requesting import ListFilters
    from coatcheck_schemas.metadata import Metadata

WIDTHS = {"created": 24, "tool": 12, "kind": 10, "size": 14, "ref": 0}
"""The least of each column, so that tables that follow each other are one."""
ROWS = 500


async def print_some(
    client: "Client", session: str, cursor: str | None, filters: "ListFilters", *, as_json: bool
) -> None:
    """As many as are asked for at a time, or the reply as JSON. Raises RequestError."""
    reply = await client.list(session, cursor=cursor, **filters)
    while not reply.tool_results and reply.has_more and reply.cursor not in (None, cursor):
        # The workers' time limit passed before one was found.
        cursor = reply.cursor
        reply = await client.list(session, cursor=cursor, **filters)
    if as_json:
        write_json(reply)
        return
    print_rows(reply.tool_results, header=True)
    if not reply.tool_results:
        hint(nothing(session, filtered=_is_filtered(filters, cursor), unfinished=reply.has_more))
    if reply.has_more and reply.cursor is not None:
        hint(f"there is more: go on with --cursor {reply.cursor}, or --all")


async def print_all(
    client: "Client", session: str, cursor: str | None, filters: "ListFilters", *, as_json: bool
) -> None:
    """Every one, in the memory of some hundred rows. Raises RequestError."""
    rows: list[Metadata] = []
    printed = found = 0
    with Bar("listing", unit="results") as bar:
        bar.update(0)
        if on_terminal() and as_json:
            bar.stop()
        async for one in client.results(session, cursor=cursor, **filters):
            found += 1
            bar.update(found)
            if as_json:
                await asyncio.to_thread(write_json, one)
            elif len(rows) < ROWS:
                rows.append(one)
            else:
                if on_terminal():
                    bar.stop()
                # In a thread, for a reader may take its time: meanwhile the connection is kept alive.
                await asyncio.to_thread(print_rows, rows, header=not printed)
                printed += len(rows)
                rows = [one]
    print_rows(rows, header=not printed)
    if not as_json and not rows:
        hint(nothing(session, filtered=_is_filtered(filters, cursor), unfinished=False))


def print_rows(results: "Sequence[Metadata]", *, header: bool) -> None:
    """A line a result, under the columns' names. By hand, for a library's table takes milliseconds a row."""
    import click

    rows = [_row(one) for one in results]
    if not rows:
        return
    titles = list(WIDTHS)
    widths = [max(least, *map(cell_len, column)) for least, *column in zip(WIDTHS.values(), titles, *rows, strict=True)]
    if header:
        click.echo(styled(_line(titles, widths), bold=True))
    click.echo("\n".join(_line(row, widths) for row in rows))


def _row(one: "Metadata") -> list[str]:
    from coatcheck_core.stub.escaping import one_line

    chars = one.original_chars
    size = f"{one.original_bytes:,} bytes" if chars is None else f"{chars:,} chars"
    kind = kind_and_format(one.synopsis_kind, one.synopsis_format)
    return [one.created_at, one_line(one.tool_name, 40), kind, size, one.ref]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Two blanks between the columns, none at the end; a size stands to the right."""
    cells = []
    for title, text, width in zip(WIDTHS, row, widths, strict=True):
        blanks = " " * (width - cell_len(text))
        cells.append(blanks + text if title == "size" else text + blanks)
    return "  ".join(cells).rstrip()


def kind_and_format(kind: str, form: str | None) -> str:
    """The kind that `--kind` takes, and after a slash the format where that says more."""
    return kind if form is None or form == kind else f"{kind}/{form}"


def nothing(session: str, *, filtered: bool, unfinished: bool) -> str:
    """What is said in place of an empty table."""
    if unfinished:
        return "none found yet"
    if filtered:
        return f"none of the results stored for session {session[:100]!r} match"
    return f"no results are stored for session {session[:100]!r}: only offloaded ones are listed"


def _is_filtered(filters: "ListFilters", cursor: str | None) -> bool:
    return cursor is not None or any(
        value is not None for name, value in filters.items() if name not in ("order", "limit")
    )
