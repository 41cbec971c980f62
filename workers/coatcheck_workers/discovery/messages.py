"""What a service says of itself, as NATS's services protocol has it (its ADR-32)."""

import re
from typing import Any, Literal

import msgspec

SERVICE = "coatcheck"
"""The name that all workers share, of whatever deployment; their `metadata` names its prefix."""
CONTROL = "$SRV"
VERBS = ("PING", "INFO", "STATS")
DESCRIPTION = "Keeps oversized tool results out of an agent's context, and gives them back in parts."

_RELEASE = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?(.*)")
_NO_IDENTIFIER = re.compile(r"[^0-9A-Za-z-]+")


class Ping(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to `$SRV.PING`: who is there. `id` is one process, `metadata` has its `prefix`, `host` and `pid`."""

    type: Literal["io.nats.micro.v1.ping_response"] = "io.nats.micro.v1.ping_response"
    name: str
    id: str
    version: str
    metadata: dict[str, str]


class EndpointInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of request: ask on `subject`, with a session's segment in place of the first `*`."""

    name: str
    subject: str
    queue_group: str
    metadata: dict[str, str]


class Info(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to `$SRV.INFO`: what can be asked of it."""

    type: Literal["io.nats.micro.v1.info_response"] = "io.nats.micro.v1.info_response"
    name: str
    id: str
    version: str
    metadata: dict[str, str]
    description: str
    endpoints: list[EndpointInfo]


class EndpointStats(msgspec.Struct, frozen=True, kw_only=True):
    """Of one kind of request, since the worker started; times in nanoseconds, of the work without the wait for it.

    `last_error` is a number and a code, `404:not_found`, or empty. `data` has `waiting` and `at_work`, how many there
    are just now, and `errors`, how often each code was the answer.
    """

    name: str
    subject: str
    queue_group: str
    num_requests: int
    num_errors: int
    last_error: str
    processing_time: int
    average_processing_time: int
    data: dict[str, Any]


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to `$SRV.STATS`. `data`, of the whole worker, is beyond the protocol: its readers pass over it."""

    type: Literal["io.nats.micro.v1.stats_response"] = "io.nats.micro.v1.stats_response"
    name: str
    id: str
    version: str
    metadata: dict[str, str]
    started: str
    endpoints: list[EndpointStats]
    data: dict[str, Any]


def control_subjects(verb: str, identity: str) -> tuple[str, str, str]:
    """Where a verb of `VERBS` is asked: of all services, of all workers, of the one with this id."""
    return f"{CONTROL}.{verb}", f"{CONTROL}.{verb}.{SERVICE}", f"{CONTROL}.{verb}.{SERVICE}.{identity}"


def semantic(version: str) -> str:
    """A Python version as the protocol wants it: `1.2rc1` is `1.2.0-rc1`, `1.2.3+local` is `1.2.3-local`."""
    match = _RELEASE.match(version)
    if match is None:
        return "0.0.0"
    release = ".".join(str(int(number or 0)) for number in match.groups()[:3])
    rest = _NO_IDENTIFIER.sub("-", match[4]).strip("-")
    return f"{release}-{rest}" if rest else release
