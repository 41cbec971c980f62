"""Times as people give them: RFC 3339, or how long ago."""

import re
from datetime import UTC, datetime, timedelta

import click

from coatcheck_schemas.times import format_time

_AGO = re.compile(r"(\d{1,9}) ?(s|m|h|d|w)(?: ago)?")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def moment(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A click callback: `2h`, `7d` as the time that long ago, any other as it is, if it is RFC 3339 with a zone."""
    return None if value is None else to_moment(value, datetime.now(UTC), ctx, param)


def to_moment(value: str, now: datetime, ctx: click.Context | None = None, param: click.Parameter | None = None) -> str:
    """The time in RFC 3339; raises BadParameter."""
    ago = _AGO.fullmatch(value.strip())
    try:
        if ago is not None:
            return format_time(now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}))
        if datetime.fromisoformat(value).tzinfo is not None:
            return value
    except (ValueError, OverflowError):
        pass
    raise click.BadParameter(
        f"{value[:100]!r} is no time: give RFC 3339 with a zone, as 2026-01-31T23:59:59Z, or how long ago, as 2h, 7d",
        ctx,
        param,
    )
