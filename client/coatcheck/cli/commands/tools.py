"""`coatcheck tools`: the definitions of an agent's tools, for a provider's API or an MCP server."""

from typing import TYPE_CHECKING

import click

from coatcheck.cli.options import examples

if TYPE_CHECKING:
    from coatcheck.tools import Format, Language

FORMATS = ("openai", "openai-responses", "anthropic", "mcp")


@click.command(
    "tools",
    epilog=examples(
        "coatcheck tools --format anthropic > tools.json",
        "coatcheck tools --format mcp --language zh --names tool_result_read,tool_result_search",
    ),
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="openai", show_default=True)
@click.option("--language", type=click.Choice(["en", "zh"]), show_default="stub.language", help="Of the descriptions.")
@click.option("--names", multiple=True, metavar="NAME,...", help="Only these tools; can be repeated.")
@click.pass_context
def command(ctx: click.Context, form: "Format", language: "Language | None", names: tuple[str, ...]) -> None:
    """Print the definitions of the tools by which an agent reads what Coatcheck keeps: a JSON array.

    Their names are settings (retrieval.read_tool ...), and so is what each is described by (tools.NAME.description).
    What a model then calls goes to `client.call_tool`.
    """
    import msgspec

    from coatcheck.cli.output import write_line
    from coatcheck.tools import definitions
    from coatcheck_schemas.errors import InvalidInput

    settings, _ = ctx.obj.settings(ready_file=False)
    wanted = [name.strip() for text in names for name in text.split(",") if name.strip()]
    try:
        made = definitions(format=form, language=language, settings=settings, names=wanted if names else None)
    except InvalidInput as error:
        raise click.UsageError(str(error), ctx) from None
    write_line(msgspec.json.format(msgspec.json.encode(made), indent=2).decode())
