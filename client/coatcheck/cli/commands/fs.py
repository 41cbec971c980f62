"""`coatcheck fs`: a session's files."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, BinaryIO, Literal, TypeVar

import click

from coatcheck.cli.options import InputFile, examples, json_option, session_option
from coatcheck_schemas.requests import MAX_LIMIT, TO_THE_END

if TYPE_CHECKING:
    from coatcheck.client.files import Files, GrepOptions
    from coatcheck_schemas.filesystem import GrepMode

_T = TypeVar("_T")

NOTHING_FOUND = 1
"""As grep has it; an error is told by what is on standard error."""

if_version_option = click.option(
    "--if-version", metavar="VERSION", help="Only where the file is of this version; 0: where there is none yet."
)
limit_option = click.option(
    "--limit", type=click.IntRange(1, MAX_LIMIT), default=200, show_default=True, help="How many at a time."
)
cursor_option = click.option("--cursor", help="Go on after an earlier one.")
all_option = click.option(
    "--all", "all_of_them", is_flag=True, help="Every one, and in JSON each on a line of its own."
)


@click.group(
    "fs",
    short_help="List, read, write and search a session's files.",
    epilog=examples(
        "coatcheck fs ls", "coatcheck fs write notes.md < notes.md", "coatcheck fs grep 'ERROR|FATAL' -C 2"
    ),
)
def command() -> None:
    """A session's files: its own, and its results below /large_tool_result, which are read-only."""


@command.command("ls", epilog=examples("coatcheck fs ls", "coatcheck fs ls /large_tool_result --all --json | jq .path"))
@click.argument("path", default="/")
@session_option
@limit_option
@cursor_option
@all_option
@json_option
@click.pass_context
def ls(
    ctx: click.Context, path: str, session: str, limit: int, cursor: str | None, all_of_them: bool, as_json: bool
) -> None:
    """List what lies directly in the folder PATH: its size, when it was written, and its path."""
    from coatcheck.cli.filing import print_all, print_some

    async def listing(files: "Files") -> None:
        if all_of_them:
            await print_all(files.entries(path), as_json=as_json)
        else:
            print_some(await files.ls(path, limit=limit, cursor=cursor), as_json=as_json)

    _run(ctx, session, listing)


@command.command("glob", epilog=examples("coatcheck fs glob '**/*.py'", "coatcheck fs glob '*.md' notes"))
@click.argument("pattern")
@click.argument("path", default="/")
@session_option
@limit_option
@cursor_option
@all_option
@json_option
@click.pass_context
def glob(
    ctx: click.Context,
    pattern: str,
    path: str,
    session: str,
    limit: int,
    cursor: str | None,
    all_of_them: bool,
    as_json: bool,
) -> None:
    """List the files below the folder PATH that PATTERN matches: * and ? of one name, ** any folders."""
    from coatcheck.cli.filing import print_all, print_some, until_some

    async def globbing(files: "Files") -> None:
        if all_of_them:
            await print_all(files.entries(path, pattern=pattern), as_json=as_json)
            return
        reply = await until_some(lambda after: files.glob(pattern, path, limit=limit, cursor=after), cursor)
        print_some(reply, as_json=as_json)

    _run(ctx, session, globbing)


@command.command(
    "read",
    epilog=examples(
        "coatcheck fs read notes.md --all > notes.md",
        "coatcheck fs read /large_tool_result/call_1 --numbered --offset -20",
    ),
)
@click.argument("path")
@session_option
@click.option("--offset", type=int, default=0, show_default=True, help="From 0; negative: from the end.")
@click.option("--limit", type=click.IntRange(min=TO_THE_END), help="How much: 200 lines, 20000 chars; -1: to the end.")
@click.option("--unit", type=click.Choice(["lines", "chars"]), default="lines", show_default=True)
@click.option("--numbered", is_flag=True, help="With line numbers, from 1.")
@click.option("--all", "all_of_it", is_flag=True, help="Page after page, to the end; in JSON a reply a line.")
@json_option
@click.pass_context
def read(
    ctx: click.Context,
    path: str,
    session: str,
    offset: int,
    limit: int | None,
    unit: Literal["lines", "chars"],
    numbered: bool,
    all_of_it: bool,
    as_json: bool,
) -> None:
    """Write the file PATH, or a part of it. A hint on standard error says how to go on."""
    from coatcheck.cli.filing import write_page
    from coatcheck.cli.paging import print_pages

    async def reading(files: "Files") -> None:
        if all_of_it:
            most = TO_THE_END if limit is None else limit
            pages = files.pages(path, offset=offset, limit=most, unit=unit, numbered=numbered)
            await print_pages(pages, as_json=as_json)
        else:
            page = await files.read(path, offset=offset, limit=limit, unit=unit, numbered=numbered)
            write_page(page, as_json=as_json)

    _run(ctx, session, reading)


@command.command(
    "write", epilog=examples("coatcheck fs write notes.md < notes.md", "date | coatcheck fs write now.txt")
)
@click.argument("path")
@click.argument("file", type=InputFile(), default="-")
@session_option
@if_version_option
@json_option
@click.pass_context
def write(ctx: click.Context, path: str, file: BinaryIO, session: str, if_version: str | None, as_json: bool) -> None:
    """Write the file PATH: all that standard input, or FILE, gives; it must be text."""
    from coatcheck.cli.filing import print_written, text_of

    text = text_of(file)

    async def writing(files: "Files") -> None:
        print_written(await files.write(path, text, if_version=if_version), as_json=as_json)

    _run(ctx, session, writing)


@command.command("edit", epilog=examples("coatcheck fs edit notes.md 'draft' 'final' --replace-all"))
@click.argument("path")
@click.argument("old")
@click.argument("new")
@session_option
@click.option("--replace-all", is_flag=True, help="Wherever OLD occurs; otherwise it must occur once.")
@if_version_option
@json_option
@click.pass_context
def edit(
    ctx: click.Context,
    path: str,
    old: str,
    new: str,
    session: str,
    replace_all: bool,
    if_version: str | None,
    as_json: bool,
) -> None:
    """Replace the text OLD by NEW in the file PATH."""
    from coatcheck.cli.filing import print_edited

    async def editing(files: "Files") -> None:
        print_edited(await files.edit(path, old, new, replace_all=replace_all, if_version=if_version), as_json=as_json)

    _run(ctx, session, editing)


@command.command(
    "grep",
    epilog=examples(
        "coatcheck fs grep 'ERROR|FATAL' -C 2",
        "coatcheck fs grep -i todo src --glob '*.py' --files",
    ),
)
@click.argument("pattern")
@click.argument("path", default="/")
@session_option
@click.option("--glob", "only", metavar="PATTERN", help="Only in files like this; without / by their name alone.")
@click.option("-i", "--ignore-case", is_flag=True)
@click.option("-B", "--before", type=click.IntRange(0, 50), default=0, help="Lines before each match.")
@click.option("-A", "--after", type=click.IntRange(0, 50), default=0, help="Lines after each match.")
@click.option("-C", "--context", type=click.IntRange(0, 50), default=0, help="Lines before and after.")
@click.option("--files", "mode", flag_value="files", help="Only which files have matches.")
@click.option("--count", "mode", flag_value="count", help="Only how many lines of each file match.")
@click.option("--limit", type=click.IntRange(1, MAX_LIMIT), default=100, show_default=True, help="How many at a time.")
@cursor_option
@json_option
@click.pass_context
def grep(
    ctx: click.Context,
    pattern: str,
    path: str,
    session: str,
    only: str | None,
    ignore_case: bool,
    before: int,
    after: int,
    context: int,
    mode: "GrepMode | None",
    limit: int,
    cursor: str | None,
    as_json: bool,
) -> int:
    """Find the lines that PATTERN (RE2) matches, in or below PATH. The exit code is 1 where there is none."""
    from coatcheck.cli.filing import print_found, until_some

    options: GrepOptions = {
        "glob": only,
        "ignore_case": ignore_case,
        "before": max(before, context),
        "after": max(after, context),
        "mode": mode or "content",
        "limit": limit,
    }

    async def grepping(files: "Files") -> bool:
        reply = await until_some(lambda after: files.grep(pattern, path, cursor=after, **options), cursor)
        return print_found(reply, as_json=as_json)

    return 0 if _run(ctx, session, grepping) else NOTHING_FOUND


def _run(ctx: click.Context, session: str, work: "Callable[[Files], Awaitable[_T]]") -> _T:
    from coatcheck.cli.work import connected, run

    async def running() -> _T:
        async with connected(ctx.obj) as client:
            return await work(client.fs(session))

    return run(running())
