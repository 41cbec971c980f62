"""Tool and kind of some hundred neighbouring entries in one object, so that a list filtered by them reads few objects.

This is a cache and nothing else: the entries say what there is, and what a page does not say the metadata does. A page
begins with an entry whose name says so by its checksum, so that what arrives late or goes moves no border. What an
entry stands for keeps its tool and kind: a result that was deleted and comes again has an entry of its own.
"""

import logging
from zlib import crc32

import msgspec

from coatcheck_schemas.errors import ObjectNotFound, StoreError
from coatcheck_schemas.keys import TimeEntry, parse_time_entry
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.synopsis import Kind

from ..model import Retrieval

log = logging.getLogger("coatcheck.retrieval")

FIRST_PAGE = "first"
"""The name of the page of the entries before the first border."""
_ENTRIES_A_BORDER = 256
MOST_ENTRIES = 3000
"""Of one page: so many without a border among them come about once in 100,000 pages."""
_LEAST_NEW = 16
"""A page is written anew where so many of its entries had to be read."""
_LONGEST_TOOL_CHARS = 200


class Facts(msgspec.Struct, frozen=True, array_like=True):
    tool_name: str
    kind: Kind


class FactsPage:
    """The facts at hand of the entries from one border to the next. `may_keep`: whether it may be written."""

    def __init__(self, name: str, known: dict[str, Facts], *, may_keep: bool) -> None:
        self.name = name
        self.may_keep = may_keep
        self.learned: dict[str, Facts] = {}
        self._known = known

    def get(self, entry: TimeEntry) -> Facts | None:
        return self._known.get(str(entry))

    def learn(self, entry: TimeEntry, metadata: Metadata) -> None:
        name = str(entry)
        if name not in self._known and len(metadata.tool_name) <= _LONGEST_TOOL_CHARS:
            self.learned[name] = Facts(metadata.tool_name, metadata.synopsis_kind)

    @property
    def is_worth_keeping(self) -> bool:
        return self.may_keep and len(self.learned) >= _LEAST_NEW

    def encode(self) -> bytes:
        """Of more than a page holds, those learned last."""
        together = list((self._known | self.learned).items())[-MOST_ENTRIES:]
        return msgspec.json.encode(dict(together))


_PAGE = msgspec.json.Decoder(dict[str, Facts])


def is_border(entry: TimeEntry) -> bool:
    """Whether a page begins with this entry."""
    return crc32(str(entry).encode()) % _ENTRIES_A_BORDER == 0


async def open_page(retrieval: Retrieval, session: str, name: str, *, is_vouched: bool = True) -> FactsPage:
    """The page as it is stored, empty where that is damaged or not to be had.

    One whose border was not seen, not `is_vouched`, is written only where there is that border: nobody makes pages by
    asking.
    """
    key = retrieval.keys.facts(session, name)
    try:
        return FactsPage(name, _PAGE.decode(await retrieval.store.get(key)), may_keep=True)
    except ObjectNotFound:
        return FactsPage(name, {}, may_keep=is_vouched or await _begins_at(retrieval, session, name))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return FactsPage(name, {}, may_keep=True)
    except StoreError:
        return FactsPage(name, {}, may_keep=False)


async def _begins_at(retrieval: Retrieval, session: str, name: str) -> bool:
    entry = parse_time_entry(name)
    if entry is None or not is_border(entry):
        return name == FIRST_PAGE
    try:
        await retrieval.store.head(retrieval.keys.time_entry(session, entry))
    except StoreError:
        return False
    return True


async def _is_there(retrieval: Retrieval, session: str, name: str) -> bool:
    """Whether an entry is; a worker may not have heard yet of the deletion that has taken it."""
    try:
        await retrieval.store.head(f"{retrieval.keys.by_time(session)}{name}")
    except ObjectNotFound:
        return False
    return True


async def keep_page(retrieval: Retrieval, session: str, page: FactsPage) -> None:
    """Write it where it has learned enough; what fails costs the next list its time, and nobody an answer."""
    if not page.is_worth_keeping:
        return
    key = retrieval.keys.facts(session, page.name)
    deleted_at = retrieval.tombstones.deleted_at(session)
    try:
        await retrieval.store.put(key, page.encode())
        is_deleted = retrieval.tombstones.deleted_at(session) != deleted_at
        if is_deleted or not await _is_there(retrieval, session, next(reversed(page.learned))):
            # The session was deleted meanwhile, and its objects may have been swept already.
            await retrieval.store.delete(key)
    except StoreError as error:
        log.info("%s could not be written: %s", key, error)
