"""Retry or drop dead letters one by one, and tell the outcome of each."""

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import click

from coatcheck.cli.output import note, write_json
from coatcheck.cli.progress import Bar
from coatcheck.cli.quiet import hint
from coatcheck.cli.terminal import on_terminal
from coatcheck_core.stub.escaping import escape
from coatcheck_workers.streams.letters import Letter
from coatcheck_workers.streams.retrying import NotRetryable

from .dlq_office import Office


async def each(
    office: Office,
    chosen: AsyncIterator[int],
    act: Callable[[Office, Letter], Coroutine[Any, Any, str]],
    done: str,
    as_json: bool,
) -> int:
    """Act on each letter and tell the outcome; 1 where one could not be. What would fail for all ends it."""
    count, failed = 0, 0
    with Bar("dead letters", unit="done") as bar:
        async for sequence in chosen:
            if not on_terminal():
                bar.update(count)
            count += 1
            why = await _acted(office, sequence, act, done, as_json)
            failed += why is not None
    if not count and not as_json:
        hint("no dead letters match")
    return 1 if failed else 0


async def _acted(
    office: Office,
    sequence: int,
    act: Callable[[Office, Letter], Coroutine[Any, Any, str]],
    done: str,
    as_json: bool,
) -> str | None:
    """Why the letter could not be acted on, told already."""
    letter = await office.letters.get(sequence)
    why = None
    subject = ""
    try:
        if letter is None:
            raise NotRetryable("there is no such dead letter (any more): `coatcheck dlq list` shows those there are")
        subject = await act(office, letter)
    except NotRetryable as error:
        why = str(error)
    _tell(sequence, done, subject, why, as_json=as_json)
    return why


def _tell(sequence: int, done: str, subject: str, why: str | None, *, as_json: bool) -> None:
    if as_json:
        write_json(
            {"sequence": sequence, "outcome": "failed" if why else done, "subject": subject or None, "error": why}
        )
    elif why:
        note(f"error: {sequence}: {escape(why)}")
    else:
        click.echo(f"{done} {sequence} ({escape(subject)})")
