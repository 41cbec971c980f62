"""Entries that a list may want, each with the page that may have its facts."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from coatcheck_schemas.keys import TimeEntry

from ..model import Retrieval
from .facts import FIRST_PAGE, MOST_ENTRIES, FactsPage, is_border, open_page


class Candidate(msgspec.Struct, frozen=True):
    """`page` is None where facts are not needed, or it is not known which page has them."""

    entry: TimeEntry
    page: FactsPage | None


Walk = AsyncGenerator[TimeEntry, None]
Candidates = AsyncGenerator[Candidate, None]


async def without_facts(walk: Walk) -> Candidates:
    async with aclosing(walk):
        async for entry in walk:
            yield Candidate(entry, None)


async def oldest_with_facts(retrieval: Retrieval, session: str, walk: Walk, page: FactsPage | None) -> Candidates:
    """`page` is that of what comes before the first border."""
    count = 0
    async with aclosing(walk):
        async for entry in walk:
            if is_border(entry):
                page, count = await open_page(retrieval, session, str(entry)), 0
            elif count == MOST_ENTRIES:
                page = None
            count += 1
            yield Candidate(entry, page)


async def newest_with_facts(retrieval: Retrieval, session: str, walk: Walk, *, to_the_first: bool) -> Candidates:
    """Where a page begins is known once the walk has come there. `to_the_first`: it ends at the session's first."""
    waiting: list[TimeEntry] = []
    async with aclosing(walk):
        async for entry in walk:
            waiting.append(entry)
            page = await open_page(retrieval, session, str(entry)) if is_border(entry) else None
            if page is not None or len(waiting) == MOST_ENTRIES:
                for one in waiting:
                    yield Candidate(one, page)
                waiting = []
    page = await open_page(retrieval, session, FIRST_PAGE) if to_the_first and waiting else None
    for one in waiting:
        yield Candidate(one, page)
