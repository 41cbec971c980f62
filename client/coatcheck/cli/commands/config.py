"""`coatcheck config`: every setting, its effective value, and where that comes from."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from coatcheck.cli.options import examples

if TYPE_CHECKING:
    from coatcheck_core.settings import Settings

DEFAULT = "default"
NOTE = "these are the settings of a command started now; a worker that runs already keeps those it was started with"


@click.command(
    "config",
    epilog=examples(
        "coatcheck config",
        "coatcheck config --set result.threshold=8000 | grep -v default",
        "coatcheck config --json | jq '.[\"nats.url\"]'",
    ),
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object: {NAME: {value, origin}}.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show every setting, its effective value, and where that comes from. Secrets are hidden.

    These are the settings that a command started here and now would have. A worker or `up` that runs already keeps
    those that it was started with.
    """
    from coatcheck_core.settings import redact

    settings, origins = ctx.obj.settings()
    _check(settings)
    rows = [(name, value, origins.get(name, DEFAULT)) for name, value in _flatten(redact(settings))]
    if as_json:
        from coatcheck.cli.output import write_json

        table = {name: {"value": value, "origin": origin} for name, value, origin in rows}
        write_json(table, indent=2)
        return
    from coatcheck.cli.quiet import hint

    _print(rows)
    hint(NOTE)


def _check(settings: "Settings") -> None:
    """What else a worker refuses at its start. Raises ConfigError; a function may be there on the workers alone."""
    from coatcheck_core.layout import layout_of
    from coatcheck_schemas.keys import Keys

    if "{" in settings.storage.layout:
        layout_of(settings.storage.layout, Keys(settings.storage.prefix))


def _flatten(tree: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _print(rows: list[tuple[str, Any, str]]) -> None:
    import msgspec
    from rich.table import Table
    from rich.text import Text

    from coatcheck.cli.terminal import print_table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("setting", "value", "from"):
        table.add_column(title, overflow="fold")
    for name, value, origin in rows:
        shown = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        style = "" if origin != DEFAULT else "dim"
        table.add_row(Text(name), Text(shown, style), Text(origin, style))
    print_table(table, fold=True)
