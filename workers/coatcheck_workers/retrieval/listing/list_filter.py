"""What a list asks for: by an entry's name, by what its metadata says."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, get_args

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.keys import TimeEntry, turn_hash
from coatcheck_schemas.requests import ListRequest
from coatcheck_schemas.synopsis import Kind

from ..limits import check_limit, turn_segment
from .newest import Range
from .session_entries import AFTER_ALL

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MAX_MILLISECONDS = 10**13 - 1


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Times in microseconds since 1970, `since` inclusive, `until` exclusive."""

    turn_hash: str | None
    since: int | None
    until: int | None
    tool_name: str | None
    kind: str | None

    def wants_entry(self, entry: TimeEntry) -> bool:
        return (self.turn_hash is None or entry.turn_hash == self.turn_hash) and (
            self.since is None or entry.milliseconds * 1000 >= self.since
        )

    def wants(self, tool_name: str, kind: str) -> bool:
        return self.tool_name in (None, tool_name) and self.kind in (None, kind)

    @property
    def is_of_facts(self) -> bool:
        """Whether an entry's name does not tell that it is wanted."""
        return self.tool_name is not None or self.kind is not None

    @property
    def needs_facts_of_many(self) -> bool:
        """Whether, besides, the names leave many that may be."""
        return self.is_of_facts and self.turn_hash is None

    def within(self, last: str) -> Range:
        """Where wanted entries lie in time that are older than the one named `last`, if one is."""
        below = min(last or AFTER_ALL, self.below or AFTER_ALL)
        return Range(floor=self.floor, below="" if below == AFTER_ALL else below)

    @property
    def after(self) -> str:
        """The name before which no wanted entry lies."""
        return f"{self.floor:013d}" if self.floor else ""

    @property
    def below(self) -> str:
        """The name from which on no wanted entry lies."""
        if self.until is None or self.until > _MAX_MILLISECONDS * 1000:
            return ""
        return f"{max(0, -(-self.until // 1000)):013d}"

    @property
    def floor(self) -> int:
        """No wanted entry is older, in milliseconds."""
        return 0 if self.since is None else min(max(0, self.since // 1000), _MAX_MILLISECONDS)


def filter_of(request: ListRequest) -> Filter:
    """Raises RequestError `invalid_argument`, InvalidId."""
    check_limit(request.limit)
    if request.kind is not None and request.kind not in get_args(Kind):
        raise RequestError(Code.INVALID_ARGUMENT, f"kind must be one of {', '.join(get_args(Kind))}")
    return Filter(
        turn_hash=None if request.turn_id is None else turn_hash(turn_segment(request.turn_id)),
        since=_microseconds("since", request.since),
        until=_microseconds("until", request.until),
        tool_name=request.tool_name,
        kind=request.kind,
    )


def _microseconds(field: str, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        moment: datetime = msgspec.convert(text, Annotated[datetime, msgspec.Meta(tz=True)])
    except msgspec.ValidationError:
        raise RequestError(
            Code.INVALID_ARGUMENT, f"{field} must be an RFC 3339 time with its zone, as 2026-01-31T23:59:59Z"
        ) from None
    return (moment - _EPOCH) // _MICROSECOND
