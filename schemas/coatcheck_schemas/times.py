"""Times as they stand on the wire: RFC 3339, UTC, milliseconds, `Z`."""

from datetime import UTC, datetime


def format_time(moment: datetime) -> str:
    """`2026-01-31T23:59:59.123Z`; raises ValueError for a time without a zone."""
    if moment.tzinfo is None:
        raise ValueError("a time without a zone is ambiguous")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def to_milliseconds(moment: datetime) -> int:
    """Whole milliseconds since 1970, rounded down."""
    return int(moment.timestamp()) * 1000 + moment.microsecond // 1000


def from_milliseconds(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds // 1000, UTC).replace(microsecond=milliseconds % 1000 * 1000)
