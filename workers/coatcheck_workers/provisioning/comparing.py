"""How what is there differs from what is declared. Pure."""

from collections.abc import Iterable
from typing import Any

import msgspec

SEPARATOR = ", "
"""Between the items of a list, as a Drift shows it; no subject has a blank in it."""


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """One difference. `what` is a stream, a consumer or a bucket; `field` is empty where it is missing altogether."""

    what: str
    field: str
    declared: str
    actual: str

    def __str__(self) -> str:
        if not self.field:
            return f"{self.what} is {self.actual}, not {self.declared}"
        return f"{self.what}: {self.field} is {self.actual}, not {self.declared}"


def missing(what: str) -> Drift:
    return Drift(what=what, field="", declared="there", actual="missing")


def differences(what: str, declared: object, actual: object, fields: Iterable[str]) -> list[Drift]:
    """A Drift for each of the fields in which two configurations differ."""
    found = []
    for field in fields:
        wanted, got = _plain(getattr(declared, field)), _plain(getattr(actual, field))
        if wanted != got:
            found.append(Drift(what=what, field=field, declared=_show(wanted), actual=_show(got)))
    return found


def _plain(value: Any) -> Any:
    """Servers leave out what is empty, so that nothing, no items, 0 and false are the same."""
    if not value:
        return None
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return getattr(value, "value", value)


def _show(value: Any) -> str:
    if isinstance(value, list):
        return SEPARATOR.join(map(_show, value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "none" if value is None else str(value)
