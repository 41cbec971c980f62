"""Times on the wire: UTC, milliseconds, `Z`."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from coatcheck_schemas.times import format_time, from_milliseconds, to_milliseconds

MOMENT = datetime(2026, 1, 31, 23, 59, 59, 123999, UTC)


def test_a_time_is_cut_to_milliseconds() -> None:
    assert format_time(MOMENT) == "2026-01-31T23:59:59.123Z"
    assert format_time(MOMENT.replace(microsecond=0)) == "2026-01-31T23:59:59.000Z"


def test_a_time_of_another_zone_is_told_in_utc() -> None:
    assert format_time(MOMENT.astimezone(timezone(timedelta(hours=5, minutes=30)))) == "2026-01-31T23:59:59.123Z"


def test_a_year_has_four_digits() -> None:
    assert format_time(datetime(33, 4, 3, tzinfo=UTC)) == "0033-04-03T00:00:00.000Z"


def test_a_time_without_a_zone_is_refused() -> None:
    naive = MOMENT.replace(tzinfo=None)
    with pytest.raises(ValueError, match="zone"):
        format_time(naive)
    with pytest.raises(ValueError, match="zone"):
        to_milliseconds(naive)


def test_milliseconds_are_rounded_down_before_1970_too() -> None:
    assert to_milliseconds(datetime(1970, 1, 1, 0, 0, 1, 1999, UTC)) == 1001
    assert to_milliseconds(datetime(1969, 12, 31, 23, 59, 59, 999_500, UTC)) == -1


@pytest.mark.parametrize("milliseconds", [0, 1, 999, 1000, 1_760_000_000_123, 9_999_999_999_999, -1])
def test_milliseconds_read_back(milliseconds: int) -> None:
    assert to_milliseconds(from_milliseconds(milliseconds)) == milliseconds
