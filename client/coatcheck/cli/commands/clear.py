"""`coatcheck clear`: a conversation without its old tool results."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO, TypedDict, TypeVar, Unpack

import click

from coatcheck.cli.options import InputFile, examples, json_option, session_option

if TYPE_CHECKING:
    from coatcheck.client.clear_rules import ClearRules
    from coatcheck_schemas.clearing import ClearReply, ClearRule

MOST_BYTES = 256 * 1024 * 1024
"""Of a conversation: it is held in memory."""
_Function = TypeVar("_Function", bound=Callable[..., Any])
_COUNT = click.IntRange(min=0)
_RULES = (
    "clearing_token_threshold",
    "keep_recent_tokens",
    "clear_at_least_tokens",
    "keep_rounds",
    "placeholder",
    "clear_arguments",
)


class Options(TypedDict):
    """What is asked for, by the options' names."""

    session: str
    offload: bool | None
    light: bool
    local: bool
    clearing_token_threshold: int | None
    keep_recent_tokens: int | None
    clear_at_least_tokens: int | None
    keep_rounds: int | None
    placeholder: str | None
    clear_arguments: bool | None
    exclude_tools: tuple[str, ...]
    tools: str | None
    no_retrieval: bool
    as_json: bool


def _tokens(name: str, help_text: str) -> Callable[[_Function], _Function]:
    return click.option(name, type=_COUNT, metavar="N", help=help_text)


@click.command(
    "clear",
    epilog=examples(
        "coatcheck clear messages.json --session my-session > shorter.json",
        'coatcheck clear --local --keep-rounds 3 --tools \'{"todo": {"never": true}}\' - < messages.json',
    ),
)
@click.argument("file", type=InputFile())
@session_option
@_tokens("--clearing-token-threshold", "Nothing happens unless the results have more.")
@_tokens("--keep-recent-tokens", "Messages at the end that stay, by their tokens.")
@_tokens("--clear-at-least-tokens", "Nothing happens where less would be gained.")
@_tokens("--keep-rounds", "Newest rounds of calls and results that stay.")
@click.option("--placeholder", metavar="TEXT", help="What stands for a result.")
@click.option("--exclude-tools", multiple=True, metavar="NAME,...", help="Their results stay; can be repeated.")
@click.option("--clear-arguments/--keep-arguments", default=None, help="The arguments of the calls go, too.")
@click.option("--tools", metavar="JSON", help="Rules by a tool's name: never, keep, placeholder, clear_arguments.")
@click.option("--offload/--no-offload", default=None, help="Store a result before it is cleared.")
@click.option("--no-retrieval", is_flag=True, help="The agent cannot read originals: no placeholder says how to.")
@click.option("--light", is_flag=True, help="Send sizes alone, no contents; nothing is stored.")
@click.option("--local", is_flag=True, help="Ask no server; nothing is stored.")
@json_option
@click.pass_context
def command(ctx: click.Context, file: BinaryIO, **options: Unpack[Options]) -> None:
    """Print the messages of FILE (a JSON list; - is standard input) with placeholders for old tool results.

    What is not given is as the settings clearing.* say. The messages are those of OpenAI's APIs, Anthropic's or
    LangChain's, and come back in their shape. With --json it is the whole reply: messages, cleared, tokens_before,
    tokens_after, offloaded.
    """
    from coatcheck.cli.output import write_json
    from coatcheck.cli.quiet import hint
    from coatcheck.cli.work import run

    reply = run(_cleared(ctx, _messages(file), options))
    write_json(reply if options["as_json"] else reply.messages)
    stored = sum(item.ref is not None for item in reply.cleared)
    hint(
        f"{len(reply.cleared)} results cleared, {stored} of them with a ref: "
        f"{reply.tokens_before} tokens before, {reply.tokens_after} after"
    )


async def _cleared(ctx: click.Context, messages: list[Any], options: Options) -> "ClearReply":
    from coatcheck import clear
    from coatcheck.cli.work import connected

    rules = _rules(ctx, options)
    settings, _ = ctx.obj.settings(ready_file=False)
    if options["local"]:
        return clear(messages, settings=settings, **rules)
    async with connected(ctx.obj) as client:
        return await client.clear(
            options["session"],
            messages,
            offload=options["offload"],
            light=options["light"],
            settings=settings,
            **rules,
        )


def _rules(ctx: click.Context, options: Options) -> "ClearRules":
    """Those that are given."""
    excluded = [name.strip() for text in options["exclude_tools"] for name in text.split(",") if name.strip()]
    given: dict[str, Any] = {name: options[name] for name in _RULES if options[name] is not None}  # type: ignore[literal-required]
    if options["exclude_tools"]:
        given["exclude_tools"] = excluded
    if options["no_retrieval"]:
        given["retrieval"] = False
    rules: ClearRules = {**given, "tools": _tool_rules(ctx, options["tools"])}  # type: ignore[typeddict-item]
    return rules


def _messages(file: BinaryIO) -> list[Any]:
    import msgspec

    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise click.ClickException(f"the conversation has more than {MOST_BYTES // 1024**2} MiB")
    try:
        return msgspec.json.decode(data, type=list[Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise click.ClickException(f'this is no JSON list of messages: {error}; give [{{"role": ...}}, ...]') from None


def _tool_rules(ctx: click.Context, text: str | None) -> "dict[str, ClearRule | dict[str, Any]]":
    import msgspec

    from coatcheck_schemas.clearing import ClearRule

    try:
        return dict(msgspec.json.decode(text or "{}", type=dict[str, ClearRule]))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise click.UsageError(f"--tools: {error}", ctx) from None
