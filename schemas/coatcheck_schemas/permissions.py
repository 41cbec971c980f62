"""What each role may publish and subscribe on NATS, and what the agents' account has of the workers'.

Two accounts, since JetStream sends a publisher's acknowledgement wherever its reply subject says, whatever the
publisher's permissions: in the workers' own account that would write into other sessions' streams. Agents and tools
live in an account of their own, which has of the other what stands in `services` and `heard`, and nothing else.
"""

from collections.abc import Sequence
from typing import Literal, get_args

import msgspec

from .errors import InvalidSegment
from .segments import check_segment
from .subjects import VERBS, Subjects

Role = Literal["agent", "tool", "admin", "provisioner", "worker"]
SessionRole = Literal["agent", "tool"]
SESSION_ROLES: tuple[SessionRole, ...] = get_args(SessionRole)
"""The roles of one session; the others serve all of them."""

SERVICE_ACCOUNT = "COATCHECK"
AGENTS_ACCOUNT = "AGENTS"
"""The two accounts' names in the configurations that are ours; they may have others."""

ALL_INBOXES = "_INBOX.>"
SERVICE_REPLIES = "_R_.>"
"""Where the server takes the answers for another account. Nobody can name one as a reply: it refuses that."""
STREAMS = ("results", "chunks", "stubs", "dlq", "ledger", "held", "deleted")
CONSUMER = "workers"
"""The workers' durable consumer, of results and of what was held."""

_API = "$JS.API"
_CONSUMED = ("results", "held")
_READ = ("chunks", "stubs", "dlq", "ledger", "held", "deleted")
"""What workers read by subject."""


class Permissions(msgspec.Struct, frozen=True, kw_only=True):
    """Subjects, with NATS's wildcards; whatever is not among them is refused."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def user_name(role: Role, session: str = "") -> str:
    """The name of a role's user: `agent.SESSION`, `tool.SESSION`, or the role; a session is its segment."""
    return f"{role}.{session}" if session else role


def inbox_of(role: Role, session: str = "") -> str:
    """Where a role's replies go, without the `.>`. No session's segment begins with `=t` or `=w`, so none has these.

    A tool has not its agent's inbox: it would hear what the agent reads.
    """
    if role == "agent":
        return f"_INBOX.{check_segment(session)}"
    if role == "tool":
        return f"_INBOX.=tool.{check_segment(session)}"
    return "_INBOX.=worker" if role == "worker" else "_INBOX"


def session_of_user(name: str) -> str | None:
    """The segment of the one session that a user has by its name, as `user_name` makes it; None for another's name."""
    role, _, session = name.partition(".")
    if role not in SESSION_ROLES:
        return None
    try:
        return check_segment(session)
    except InvalidSegment:
        return None


def inbox_of_user(name: str) -> str | None:
    """The inbox of a user by its name, as `user_name` makes them; None for a name of another form."""
    if name == "worker":
        return inbox_of("worker")
    session = session_of_user(name)
    return None if session is None else inbox_of("tool" if name.startswith("tool.") else "agent", session)


def permissions(
    role: Role, subjects: Subjects, session: str = "", *, inboxes: Sequence[str] = (ALL_INBOXES,)
) -> Permissions:
    """What a role may do; the session is a segment, for `agent` and `tool`.

    `inboxes` are where the workers answer in their own account, and an administrator hears. Raises InvalidSegment where
    the session is none: a wildcard in it would give other sessions away.
    """
    match role:
        case "agent":
            return _agent(subjects, check_segment(session))
        case "tool":
            return _tool(subjects, check_segment(session))
        case "admin":
            return _admin(subjects, inboxes)
        case "provisioner":
            return _provisioner(subjects)
        case "worker":
            return _worker(subjects, inboxes)


def services(subjects: Subjects) -> tuple[str, ...]:
    """What agents publish: the agents' account imports each as a service, which brings its answers back."""
    return _requests(subjects, "*") + _published(subjects, "*")


def heard(subjects: Subjects) -> tuple[str, ...]:
    """What agents subscribe to: the agents' account imports each as a stream."""
    return subjects.session_stubs("*"), _settled(subjects, "*")


def _agent(subjects: Subjects, session: str) -> Permissions:
    return Permissions(
        publish=_requests(subjects, session) + _published(subjects, session),
        subscribe=(subjects.session_stubs(session), _settled(subjects, session), f"{inbox_of('agent', session)}.>"),
    )


def _tool(subjects: Subjects, session: str) -> Permissions:
    return Permissions(
        publish=(*_published(subjects, session), subjects.request("upload", session)),
        subscribe=(f"{inbox_of('tool', session)}.>",),
    )


def _admin(subjects: Subjects, inboxes: Sequence[str]) -> Permissions:
    """Who runs the commands: as an agent of any session, with dead letters, provisioning and all that can be looked at.

    A letter of a store failure is retried by telling the workers that it is due.
    """
    dlq = subjects.stream("dlq")
    letters = (
        f"{subjects.prefix}-internal.due.*.*.letter.*",
        f"{_API}.STREAM.MSG.GET.{dlq}",
        f"{_API}.STREAM.MSG.DELETE.{dlq}",
        f"{_API}.CONSUMER.CREATE.{dlq}.>",
        f"{_API}.CONSUMER.MSG.NEXT.{dlq}.*",
        f"{_API}.CONSUMER.DELETE.{dlq}.*",
    )
    looking = (
        f"{_API}.STREAM.LIST",
        f"{_API}.CONSUMER.NAMES.*",
        f"{_API}.CONSUMER.LIST.*",
        f"{_API}.CONSUMER.INFO.*.*",
    )
    return Permissions(
        publish=(*services(subjects), "$SRV.>", *letters, *looking, *_provisioner(subjects).publish),
        subscribe=(*heard(subjects), f"{subjects.prefix}.dlq.>", *inboxes),
    )


def _provisioner(subjects: Subjects) -> Permissions:
    """Declares streams and consumers, and takes none away: nothing that is stored is lost by it."""
    streams = tuple(
        f"{_API}.STREAM.{verb}.{subjects.stream(name)}" for verb in ("CREATE", "UPDATE") for name in STREAMS
    )
    consumers = tuple(
        f"{_API}.CONSUMER.{verb}.{subjects.stream(name)}.{CONSUMER}{rest}"
        for name in _CONSUMED
        for verb, rest in (("CREATE", ""), ("CREATE", ".>"), ("DURABLE.CREATE", ""))
    )
    return Permissions(publish=(*_checking(subjects), *streams, *consumers), subscribe=(ALL_INBOXES,))


def _worker(subjects: Subjects, inboxes: Sequence[str]) -> Permissions:
    """What the workers do: nothing declares or deletes a stream, and nothing is published as an agent would."""
    consumed = [f"{subjects.stream(name)}.{CONSUMER}" for name in _CONSUMED]
    return Permissions(
        publish=(
            f"{subjects.prefix}-internal.>",
            f"{subjects.prefix}.dlq.*.*.*",
            *_checking(subjects),
            *(f"{_API}.CONSUMER.MSG.NEXT.{one}" for one in consumed),
            *(f"$JS.ACK.{one}.>" for one in consumed),
            *(f"{_API}.STREAM.MSG.GET.{subjects.stream(name)}" for name in STREAMS),
            *(f"{_API}.DIRECT.GET.{subjects.stream(name)}" for name in _READ),
            *(f"{_API}.STREAM.PURGE.{subjects.stream(name)}" for name in STREAMS if name != "deleted"),
            *(f"{_API}.STREAM.MSG.DELETE.{subjects.stream(name)}" for name in ("dlq", "chunks")),
            *inboxes,
            SERVICE_REPLIES,
        ),
        subscribe=(
            *_requests(subjects, "*"),
            subjects.every_deletion,
            "$SRV.*",
            "$SRV.*.coatcheck",
            "$SRV.*.coatcheck.*",
            f"{inbox_of('worker')}.>",
        ),
    )


def _checking(subjects: Subjects) -> tuple[str, ...]:
    """What tells whether streams and consumers are as declared."""
    return (
        f"{_API}.INFO",
        f"{_API}.STREAM.NAMES",
        *(f"{_API}.STREAM.INFO.{subjects.stream(name)}" for name in STREAMS),
        *(f"{_API}.CONSUMER.INFO.{subjects.stream(name)}.{CONSUMER}" for name in _CONSUMED),
    )


def _requests(subjects: Subjects, session: str) -> tuple[str, ...]:
    return *(subjects.request(verb, session) for verb in VERBS), subjects.file_request(session, "*")


def _published(subjects: Subjects, session: str) -> tuple[str, ...]:
    return (
        f"{subjects.prefix}.results.{session}.*.*",
        f"{subjects.prefix}.chunks.{session}.*.*.*",
        f"{subjects.prefix}.turns.{session}.*.end",
    )


def _settled(subjects: Subjects, session: str) -> str:
    return f"{subjects.prefix}.settled.{session}.*"
