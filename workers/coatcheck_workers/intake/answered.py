"""What became of a request, told once for each: what metrics, traces and `$SRV.STATS` count by."""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec
from nats.aio.msg import Msg

from coatcheck_schemas.errors import Code
from coatcheck_schemas.filesystem import OPERATIONS
from coatcheck_schemas.requests import ERROR_CODE_HEADER, ERROR_HEADER
from coatcheck_schemas.subjects import FILESYSTEM

DROPPED = "dropped"
"""In place of a code: its reply subject is no inbox, so that no answer went anywhere."""
UNSENT = "unsent"
"""In place of a code: its reply was made, and NATS did not take it."""
OTHER = "other"
"""For an operation that there is not: what a subject says is the sender's making, and without end."""

_CODES = {str(code.number): code.value for code in Code}


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """One request, answered, refused or dropped.

    `operation` is one of OPERATIONS or OTHER for `fs`, else empty. `seconds` go from its receipt to its reply, the
    waiting for its turn included, 0 of what was DROPPED; `work_seconds` are those after that, None where its turn did
    not come. `error_code` is a Code, DROPPED or UNSENT, and None of an answer that is no error; `bytes_in` and
    `bytes_out` count bodies.
    """

    verb: str
    operation: str
    seconds: float
    work_seconds: float | None
    error_code: str | None
    error_message: str | None
    bytes_in: int
    bytes_out: int


Observe = Callable[[Answered], None]
"""Called once for each request, at the end of it. It raises nothing, and takes no time."""


class Reply(Protocol):
    """As a subscriber's handling returns it: FastStream's responses are such."""

    @property
    def body(self) -> bytes: ...

    @property
    def headers(self) -> Mapping[str, str] | None: ...


class Watch:
    """Times and tells the requests of one subject, for one observer."""

    def __init__(self, verb: str, observe: Observe) -> None:
        self._verb = verb
        self._observe = observe

    def replied(self, message: Msg, seconds: float, work_seconds: float | None, reply: Reply) -> None:
        """Its answer went out; of which kind it is stands in the headers, as everybody else reads it."""
        headers = reply.headers or {}
        code = headers.get(ERROR_CODE_HEADER)
        self._tell(
            message,
            seconds,
            work_seconds,
            None if code is None else _CODES.get(code, Code.INTERNAL.value),
            headers.get(ERROR_HEADER),
            len(reply.body),
        )

    def failed(self, message: Msg, seconds: float, work_seconds: float | None, code: str, why: str) -> None:
        """Nobody got an answer: DROPPED or UNSENT."""
        self._tell(message, seconds, work_seconds, code, why, 0)

    def _tell(
        self,
        message: Msg,
        seconds: float,
        work_seconds: float | None,
        code: str | None,
        why: str | None,
        bytes_out: int,
    ) -> None:
        self._observe(
            Answered(
                verb=self._verb,
                operation=_operation(message.subject) if self._verb == FILESYSTEM else "",
                seconds=seconds,
                work_seconds=work_seconds,
                error_code=code,
                error_message=why,
                bytes_in=len(message.data),
                bytes_out=bytes_out,
            )
        )


def _operation(subject: str) -> str:
    named = subject.rpartition(".")[2]
    return named if named in OPERATIONS else OTHER
