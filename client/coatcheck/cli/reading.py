"""What `coatcheck read` writes: pages as they come, and how far it has got for whoever looks."""

from typing import TYPE_CHECKING, NamedTuple

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import TO_THE_END

from .output import write_json
from .paging import print_page, print_pages

if TYPE_CHECKING:
    from coatcheck.client import Client
    from coatcheck_schemas.requests import ReadReply, Unit


class Reading(NamedTuple):
    """What is asked for, in the words of the options."""

    session: str
    ref: str
    offset: int
    limit: int | None
    unit: "Unit"
    numbered: bool

    @property
    def page_limit(self) -> int:
        """Of pages that are followed: the largest, where nothing else is said."""
        return TO_THE_END if self.limit is None else self.limit


async def write_page(client: "Client", reading: Reading, *, as_json: bool, metadata: bool) -> "ReadReply":
    """One page, or the reply as JSON; returns the reply. Raises RequestError; it names the session that was asked."""
    session, ref, offset, limit, unit, numbered = reading
    try:
        page = await client.read(
            session, ref, offset=offset, limit=limit, unit=unit, numbered=numbered, metadata=metadata
        )
    except RequestError as error:
        raise _naming_session(error, session) from None
    print_page(page, as_json=as_json)
    return page


async def write_pages(client: "Client", reading: Reading, *, as_json: bool, metadata: bool) -> None:
    """All from the offset on, in the memory of a page; as JSON a reply a line. Raises as `write_page`."""
    session, ref, offset, _, unit, numbered = reading
    pages = client.pages(
        session, ref, offset=offset, limit=reading.page_limit, unit=unit, numbered=numbered, metadata=metadata
    )
    try:
        await print_pages(pages, as_json=as_json)
    except RequestError as error:
        raise _naming_session(error, session) from None


async def write_metadata(client: "Client", reading: Reading) -> None:
    """The metadata alone, indented. Raises as `write_page`."""
    try:
        page = await client.read(reading.session, reading.ref, unit="bytes", limit=1, metadata=True)
    except RequestError as error:
        raise _naming_session(error, reading.session) from None
    write_json(page.metadata, indent=2)


def going_on(reading: Reading, unit: "Unit", offset: int) -> str:
    """The options for the page that follows; limit and numbers are kept where it counts in the same unit."""
    options = f"--offset {offset} --unit {unit}"
    if unit != reading.unit:
        return options
    if reading.numbered:
        options += " --numbered"
    return options if reading.limit is None or reading.limit == TO_THE_END else f"{options} --limit {reading.limit}"


def _naming_session(error: RequestError, session: str) -> RequestError:
    """A reference that is not found may be another session's: the message says which was asked."""
    if error.code is not Code.NOT_FOUND:
        return error
    named = RequestError(error.code, f"{error.message} (session {session[:100]!r} was asked)")
    named.details.update(error.details)  # not as keywords: their names are the answerer's
    return named
