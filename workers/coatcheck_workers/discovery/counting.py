"""How often each kind of request came, how it went and how long it took, since the worker started."""

from collections import Counter

from coatcheck_schemas.errors import Code
from coatcheck_workers.intake.answered import Answered

_NANOSECONDS = 1_000_000_000
_NUMBERS: dict[str, int] = {code.value: code.number for code in Code}


class Counted:
    """One kind of request."""

    def __init__(self) -> None:
        self.requests = 0
        self.errors: Counter[str] = Counter()
        self.last_error = ""
        """`404:not_found`: the message for people may name another session's results, and is in no statistics."""
        self.nanoseconds = 0

    @property
    def average_nanoseconds(self) -> int:
        return self.nanoseconds // self.requests if self.requests else 0

    def count(self, answered: Answered) -> None:
        self.requests += 1
        self.nanoseconds += round((answered.work_seconds or 0.0) * _NANOSECONDS)
        code = answered.error_code
        if code is not None:
            self.errors[code] += 1
            self.last_error = f"{_NUMBERS[code]}:{code}" if code in _NUMBERS else code


class RequestCounts:
    """All kinds of requests, by verb."""

    def __init__(self) -> None:
        self._counted: dict[str, Counted] = {}

    def observe(self, answered: Answered) -> None:
        self.of(answered.verb).count(answered)

    def of(self, verb: str) -> Counted:
        """`verb` is one of ours: no message's own making."""
        return self._counted.setdefault(verb, Counted())
