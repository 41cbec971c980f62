"""What a check has found, and what is to be done about it."""

from collections.abc import Iterable
from typing import Literal

import msgspec

Status = Literal["ok", "warn", "fail"]
_ORDER: tuple[Status, ...] = ("ok", "warn", "fail")


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """`warn` works and wants looking at, `fail` does not work. `mend` is empty where it is well."""

    check: str
    status: Status
    found: str
    mend: str = ""


def well(check: str, found: str) -> Finding:
    return Finding(check=check, status="ok", found=found)


def doubtful(check: str, found: str, mend: str) -> Finding:
    return Finding(check=check, status="warn", found=found, mend=mend)


def failing(check: str, found: str, mend: str) -> Finding:
    return Finding(check=check, status="fail", found=found, mend=mend)


def worst(findings: Iterable[Finding]) -> Status:
    return max((one.status for one in findings), key=_ORDER.index, default="ok")
