"""`coatcheck dlq`: look at dead letters, try them again, or drop them."""

import asyncio
import base64
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

import click

from coatcheck.cli.options import examples, json_option
from coatcheck.cli.output import write_bytes, write_content, write_json
from coatcheck.cli.quiet import hint
from coatcheck_core.stub.escaping import escape
from coatcheck_schemas.segments import encode_segment
from coatcheck_workers.streams.letters import Letter

from .dlq_acting import each
from .dlq_office import Office, opened
from .dlq_showing import facts, show_table

_Function = TypeVar("_Function", bound=Callable[..., Any])
MAX_LIMIT = 1000

session_filter = click.option("--session", metavar="ID", help="Only this session's.")
reason_filter = click.option("--reason", metavar="WORD", help="Only those with this reason, as store_failure.")
sequences = click.argument("sequences", nargs=-1, type=click.IntRange(min=1), metavar="[SEQ]...")
every = click.option("--all", "every", is_flag=True, help="All letters, or all that --session and --reason leave.")


@click.group(
    "dlq",
    short_help="List, show, retry or drop dead letters.",
    epilog=examples("coatcheck dlq list", "coatcheck dlq show 1", "coatcheck dlq retry 2 3"),
)
def command() -> None:
    """Dead letters: messages that could not be processed, kept with the reason for 30 days."""


@command.command(
    "list",
    epilog=examples("coatcheck dlq list", "coatcheck dlq list --session s1 --reason invalid_json --json | jq .letters"),
)
@session_filter
@reason_filter
@click.option("--limit", type=click.IntRange(1, MAX_LIMIT), default=50, show_default=True)
@click.option("--after", type=click.IntRange(min=0), default=0, metavar="SEQ", help="Go on after an earlier list.")
@json_option
def list_letters(session: str | None, reason: str | None, limit: int, after: int, as_json: bool) -> None:
    """List dead letters, the oldest first."""
    found, has_more = _run(lambda office: _page(office, session, reason, after, limit))
    if as_json:
        write_json({"letters": [facts(one) for one in found], "has_more": has_more})
        return
    if found:
        show_table(found)
    else:
        hint("no dead letters" if session is None and reason is None and not after else "no dead letters match")
    if has_more:
        hint(f"there is more: go on with --after {found[-1].sequence}")


@command.command("show", epilog=examples("coatcheck dlq show 1", "coatcheck dlq show 1 --raw > body"))
@click.argument("sequence", type=click.IntRange(min=1), metavar="SEQ")
@click.option("--raw", is_flag=True, help="The body alone, exactly as it is.")
@json_option
@click.pass_context
def show(ctx: click.Context, sequence: int, raw: bool, as_json: bool) -> None:
    """Show a letter: its headers, an empty line, its body. Control characters are escaped on a terminal."""
    if raw and as_json:
        raise click.UsageError("--raw and --json do not go together", ctx)
    letter, body = _run(lambda office: _whole(office, sequence))
    if raw:
        write_bytes(body)
    elif as_json:
        write_json({**facts(letter), "headers": letter.headers, **_encoded(body)})
    else:
        for name, value in letter.headers.items():
            click.echo(f"{escape(name)}: {escape(value)}")
        click.echo()
        write_content(body)


@command.command(
    "retry", epilog=examples("coatcheck dlq retry 2 3", "coatcheck dlq retry --all --reason store_failure --quiet")
)
@sequences
@every
@session_filter
@reason_filter
@json_option
@click.pass_context
def retry(
    ctx: click.Context, sequences: tuple[int, ...], every: bool, session: str | None, reason: str | None, as_json: bool
) -> int:
    """Try letters again: each goes back to where it came from, with its own headers, and is no letter any more.

    A result that only could not be stored (store_failure) is handed to a worker, which stores it and drops the letter.
    """
    _check_choice(ctx, sequences, every, session, reason)

    async def one(office: Office, letter: Letter) -> str:
        return await office.retrying.retry(letter)

    return _run(lambda office: each(office, _chosen(office, sequences, session, reason), one, "retried", as_json))


@command.command("drop", epilog=examples("coatcheck dlq drop 4 --yes", "coatcheck dlq drop --all --session s1 --yes"))
@sequences
@every
@session_filter
@reason_filter
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def drop(
    ctx: click.Context,
    sequences: tuple[int, ...],
    every: bool,
    session: str | None,
    reason: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """Delete letters for good, and what they hold with them."""
    _check_choice(ctx, sequences, every, session, reason)
    if not yes:
        count = len(sequences) or _run(lambda office: _count(office, session, reason))
        if not count:
            hint("no dead letters match")
            return 0
        if not sys.stdin.isatty():
            raise click.UsageError(f"nobody can be asked whether to drop {count} for good: say --yes", ctx)
        click.confirm(f"drop {count} dead letter{'s' if count > 1 else ''} for good?", abort=True, err=True)

    async def one(office: Office, letter: Letter) -> str:
        await office.letters.delete(letter)
        return letter.subject

    return _run(lambda office: each(office, _chosen(office, sequences, session, reason), one, "dropped", as_json))


_T = TypeVar("_T")


def _run(work: Callable[[Office], Coroutine[Any, Any, _T]]) -> _T:
    async def inside() -> _T:
        async with opened(click.get_current_context().obj) as office:
            return await work(office)

    return asyncio.run(inside())


def _check_choice(
    ctx: click.Context, sequences: tuple[int, ...], every: bool, session: str | None, reason: str | None
) -> None:
    if every == bool(sequences):
        raise click.UsageError("name the letters by their SEQ, or say --all", ctx)
    if sequences and (session is not None or reason is not None):
        raise click.UsageError("--session and --reason go with --all", ctx)


async def _page(
    office: Office, session: str | None, reason: str | None, after: int, limit: int
) -> tuple[list[Letter], bool]:
    found: list[Letter] = []
    async with aclosing(_matching(office, session, reason, after)) as letters:
        async for letter in letters:
            if len(found) == limit:
                return found, True
            found.append(letter)
    return found, False


async def _count(office: Office, session: str | None, reason: str | None) -> int:
    count = 0
    async with aclosing(_matching(office, session, reason)) as letters:
        async for _ in letters:
            count += 1
    return count


async def _matching(
    office: Office, session: str | None, reason: str | None, after: int = 0
) -> AsyncGenerator[Letter, None]:
    segment = None if session is None else encode_segment(session)
    async with aclosing(office.letters.scan(session=segment, after=after)) as letters:
        async for letter in letters:
            if reason is None or letter.reason == reason:
                yield letter


async def _whole(office: Office, sequence: int) -> tuple[Letter, bytes]:
    letter = await office.letters.get(sequence)
    if letter is None:
        raise click.ClickException(f"there is no dead letter {sequence}: `coatcheck dlq list` shows those there are")
    return letter, await office.letters.body(letter)


async def _chosen(
    office: Office, sequences: tuple[int, ...], session: str | None, reason: str | None
) -> AsyncIterator[int]:
    """The letters that there are now: one that fails again becomes a new letter, which is not tried in this run."""
    for sequence in dict.fromkeys(sequences):
        yield sequence
    if sequences:
        return
    last = await office.letters.last_sequence()
    async with aclosing(_matching(office, session, reason)) as letters:
        async for letter in letters:
            if letter.sequence > last:
                return
            yield letter.sequence


def _encoded(body: bytes) -> dict[str, str]:
    try:
        return {"body": body.decode(), "encoding": "utf-8"}
    except UnicodeDecodeError:
        return {"body": base64.b64encode(body).decode(), "encoding": "base64"}
