"""Times as they stand on the wire: RFC 3339, UTC, milliseconds, `Z`."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def format_time(moment: datetime) -> str:
    """`2026-01-31T23:59:59.123Z`; raises ValueError for a time without a zone."""
    in_utc = moment if moment.tzinfo is UTC else _zoned(moment).astimezone(UTC)
    return f"{in_utc.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def to_milliseconds(moment: datetime) -> int:
    """Whole milliseconds since 1970, rounded down; raises ValueError for a time without a zone."""
    return (_zoned(moment) - _EPOCH) // _MILLISECOND


def from_milliseconds(milliseconds: int) -> datetime:
    return _EPOCH + milliseconds * _MILLISECOND


def _zoned(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a time without a zone is ambiguous")
    return moment
