"""Which roles may take part in an operation, by what NATS lets each of them publish and subscribe."""

import re
from typing import get_args

from coatcheck_schemas.permissions import SESSION_ROLES, Role, permissions

from .channels import SUBJECTS
from .model import Operation

_OTHERS: tuple[Role, ...] = ("admin", "provisioner")
"""Workers are who the document is of."""


def roles_of(operation: Operation) -> list[str]:
    """Who publishes what is received, who hears what is sent."""
    roles = [role for role in get_args(Role) if role in (*SESSION_ROLES, *_OTHERS)]
    return [role for role in roles if _may(role, operation)]


def _may(role: Role, operation: Operation) -> bool:
    allowed = permissions(role, SUBJECTS, "session" if role in SESSION_ROLES else "")
    patterns = allowed.publish if operation.action == "receive" else allowed.subscribe
    subject = re.sub(r"[{}]", "", operation.channel.address or "")
    return any(matches(pattern, subject) for pattern in patterns)


def matches(pattern: str, subject: str) -> bool:
    """Whether a subject lies in what a pattern of NATS takes in."""
    wanted, given = pattern.split("."), subject.split(".")
    for at, part in enumerate(wanted):
        if part == ">":
            return len(given) > at
        if at >= len(given) or part not in ("*", given[at]):
            return False
    return len(wanted) == len(given)
