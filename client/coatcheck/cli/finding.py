"""What `coatcheck search` prints: passages for people, or matches as JSON."""

import asyncio
from typing import TYPE_CHECKING

from .output import write_json
from .passages import Passage, passages, search_console, shown
from .progress import Bar
from .quiet import hint
from .terminal import on_terminal

if TYPE_CHECKING:
    from coatcheck.client import Client
    from coatcheck.client.requesting import SearchOptions
    from coatcheck_schemas.requests import SearchReply


async def print_some(
    client: "Client",
    session: str,
    query: str,
    ref: str | None,
    cursor: str | None,
    options: "SearchOptions",
    *,
    as_json: bool,
) -> int:
    """As many as are asked for at a time, or the reply as JSON; returns how many. Raises RequestError."""
    reply = await client.search(session, query, ref=ref, cursor=cursor, **options)
    while not reply.matches and reply.has_more and reply.cursor not in (None, cursor):
        # The workers' time limit passed before there was any.
        cursor = reply.cursor
        reply = await client.search(session, query, ref=ref, cursor=cursor, **options)
    if as_json:
        write_json(reply)
    else:
        console = search_console()
        for passage in passages(reply.matches):
            console.print(shown(passage, marks=not options.get("invert")))
        hint(summary(reply))
    return len(reply.matches)


async def print_all(
    client: "Client",
    session: str,
    query: str,
    ref: str | None,
    cursor: str | None,
    options: "SearchOptions",
    *,
    as_json: bool,
) -> int:
    """Every match as it is found, in the memory of one passage; returns how many. Raises RequestError."""
    console = search_console()
    found = 0
    passage: Passage | None = None
    with Bar("searching", unit="found") as bar:
        bar.update(0)
        async for match in client.matches(session, query, ref=ref, cursor=cursor, **options):
            found += 1
            bar.update(found)
            if on_terminal():
                bar.stop()
            if as_json:
                await asyncio.to_thread(write_json, match)
                continue
            if passage is None:
                passage = Passage(match)
            elif not passage.takes(match):
                # In a thread, for a reader may take its time: meanwhile the connection is kept alive.
                await asyncio.to_thread(console.print, shown(passage, marks=not options.get("invert")))
                passage = Passage(match)
    if passage is not None:
        console.print(shown(passage, marks=not options.get("invert")))
    if not as_json:
        hint(counted(found, "match", "matches") if found else "no match")
    return found


def summary(reply: "SearchReply") -> str:
    """How many of how many were printed, and how to go on."""
    more = f"; there is more: go on with --cursor {reply.cursor}, or --all" if reply.has_more and reply.cursor else ""
    if not reply.matches:
        return f"no match yet{more}" if more else "no match"
    if reply.total is None or reply.total == len(reply.matches):
        return counted(len(reply.matches), "match", "matches") + more
    return f"{len(reply.matches)} of {counted(reply.total, 'match', 'matches')}{more}"


def counted(number: int, one: str, many: str) -> str:
    """`1 match`, `20 matches`."""
    return f"{number:,} {one if number == 1 else many}"
