"""What each role may do, as patterns against subjects."""

import re
from pathlib import Path

import pytest

from coatcheck_schemas.errors import InvalidSegment
from coatcheck_schemas.permissions import (
    SESSION_ROLES,
    STREAMS,
    Permissions,
    Role,
    heard,
    inbox_of,
    inbox_of_user,
    permissions,
    services,
    user_name,
)
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import FILESYSTEM, VERBS, CallAddress, Subjects, TurnAddress

SCHEMAS = Path(__file__).parents[2] / "schemas"
SUBJECTS = Subjects()
AT = CallAddress("mine", "t", "c")
OTHERS = CallAddress("other", "t", "c")
SERVING: tuple[Role, ...] = ("admin", "provisioner", "worker")


def matches(pattern: str, subject: str) -> bool:
    """NATS's rule, for a subject that may itself be a pattern: whether all that it covers is covered."""
    wanted, given = pattern.split("."), subject.split(".")
    for place, token in enumerate(wanted):
        if token == ">":
            return len(given) > place
        if place >= len(given) or given[place] == ">" or token not in ("*", given[place]):
            return False
    return len(wanted) == len(given)


def may_publish(allowed: Permissions, subject: str) -> bool:
    return any(matches(one, subject) for one in allowed.publish)


def may_hear(allowed: Permissions, subject: str) -> bool:
    return any(matches(one, subject) for one in allowed.subscribe)


def published(at: CallAddress) -> list[str]:
    return [SUBJECTS.results(at), SUBJECTS.chunks(at, "u"), SUBJECTS.turn_end(at.at_turn)]


def requests(session: str) -> list[str]:
    return [*(SUBJECTS.request(verb, session) for verb in VERBS), SUBJECTS.file_request(session, "read")]


def events(at: CallAddress) -> list[str]:
    return [SUBJECTS.stubs(at.session, at.turn, "r"), SUBJECTS.settled(at.at_turn)]


@pytest.fixture
def agent() -> Permissions:
    return permissions("agent", SUBJECTS, "mine")


@pytest.fixture
def tool() -> Permissions:
    return permissions("tool", SUBJECTS, "mine")


def test_an_agent_publishes_and_asks_in_its_own_session_alone(agent: Permissions) -> None:
    assert all(may_publish(agent, one) for one in [*published(AT), *requests("mine")])
    assert not any(may_publish(agent, one) for one in [*published(OTHERS), *requests("other"), *requests("*")])


def test_an_agent_hears_its_own_session_alone(agent: Permissions) -> None:
    assert all(may_hear(agent, one) for one in [*events(AT), SUBJECTS.session_stubs("mine"), "_INBOX.mine.x"])
    foreign = [*events(OTHERS), "coat.stubs.>", "coat.stubs.*.t.r", "coat.>", ">", "_INBOX.>", "_INBOX.other.x"]
    assert not any(may_hear(agent, one) for one in foreign)
    assert not any(may_hear(agent, one) for one in [*published(AT), *requests("mine")])


def test_a_tool_publishes_and_reads_nothing(tool: Permissions) -> None:
    assert all(may_publish(tool, one) for one in [*published(AT), SUBJECTS.request("upload", "mine")])
    assert not any(may_publish(tool, one) for one in requests("mine") if "upload" not in one)
    assert not any(may_hear(tool, one) for one in [*events(AT), "_INBOX.mine.x"])


@pytest.mark.parametrize("role", SESSION_ROLES)
def test_nobody_of_a_session_forges_what_workers_say(role: Role) -> None:
    allowed = permissions(role, SUBJECTS, "mine")
    inner = [
        "coat-internal.out.stubs.mine.t.r",
        "coat-internal.ledger.mine.t.k.n",
        "coat-internal.deleted.mine.session",
    ]
    others = [*events(AT), SUBJECTS.dlq(AT), *inner, "$JS.API.INFO", "$JS.ACK.x", "$SRV.PING", "$SYS.REQ.USER.INFO"]
    assert not any(may_publish(allowed, one) for one in [*others, "_INBOX.other.x", "_INBOX.mine.x"])


@pytest.mark.parametrize("role", SESSION_ROLES)
@pytest.mark.parametrize("session", ["*", ">", "a.b", "=41", "=tool", "a b", ""])
def test_what_is_no_segment_gets_no_permission(role: Role, session: str) -> None:
    with pytest.raises(InvalidSegment):
        permissions(role, SUBJECTS, session)


@pytest.mark.parametrize("session", ["", "a.b", "*", ">", "thread:42/a b", "ü" * 300])
def test_a_session_of_any_shape_has_permissions_of_its_own(session: str) -> None:
    segment = encode_segment(session)
    allowed = permissions("agent", SUBJECTS, segment)
    assert may_publish(allowed, SUBJECTS.request("read", segment))
    assert not may_publish(allowed, SUBJECTS.request("read", "mine"))
    assert inbox_of_user(user_name("agent", segment)) == inbox_of("agent", segment)


def test_an_agent_s_account_has_what_agents_use_and_nothing_else(agent: Permissions) -> None:
    assert {one.replace(".mine", ".*", 1) for one in agent.publish} == set(services(SUBJECTS))
    inbox = f"{inbox_of('agent', 'mine')}.>"
    assert {one.replace(".mine", ".*", 1) for one in agent.subscribe if one != inbox} == set(heard(SUBJECTS))
    assert {one.split(".")[1] for one in services(SUBJECTS)} == {*VERBS, FILESYSTEM, "results", "chunks", "turns"}


@pytest.mark.parametrize("role", SERVING)
def test_nobody_deletes_streams_or_looks_into_them_by_a_consumer_but_for_letters(role: Role) -> None:
    allowed = permissions(role, SUBJECTS)
    for verb in ("STREAM.DELETE", "STREAM.SNAPSHOT", "STREAM.RESTORE", "CONSUMER.CREATE"):
        assert not any(may_publish(allowed, f"$JS.API.{verb}.{SUBJECTS.stream(name)}") for name in ("stubs", "chunks"))
    assert not may_publish(allowed, "$JS.API.STREAM.CREATE.KV_OTHERS")


CONTENT = ("STREAM.MSG.GET", "STREAM.MSG.DELETE", "STREAM.PURGE", "DIRECT.GET")


@pytest.mark.parametrize(
    ("role", "allowed"),
    [("admin", {("STREAM.MSG.GET", "dlq"), ("STREAM.MSG.DELETE", "dlq")}), ("provisioner", set())],
)
def test_who_runs_the_deployment_reads_and_takes_letters_alone(role: Role, allowed: set[tuple[str, str]]) -> None:
    own = permissions(role, SUBJECTS)
    others = [f"$JS.API.{verb}.{stream}" for verb in CONTENT for stream in ("KV_OTHERS", "*")]
    assert not any(may_publish(own, one) for one in others)
    assert {
        (verb, name)
        for verb in CONTENT
        for name in STREAMS
        if may_publish(own, f"$JS.API.{verb}.{SUBJECTS.stream(name)}")
    } == allowed


def test_a_worker_touches_no_stream_but_those_that_are_declared() -> None:
    worker = permissions("worker", SUBJECTS)
    verbs = (*CONTENT, "STREAM.INFO", "CONSUMER.MSG.NEXT")
    assert not any(may_publish(worker, f"$JS.API.{verb}.{one}") for verb in verbs for one in ("KV_OTHERS", "*", "*.*"))


def test_a_worker_changes_nothing_of_the_deployment_and_says_nothing_for_agents() -> None:
    worker = permissions("worker", SUBJECTS)
    assert not any(may_publish(worker, one) for one in [*published(AT), *events(AT), *requests("mine")])
    assert not any(may_publish(worker, f"$JS.API.STREAM.{verb}.COAT_STUBS") for verb in ("CREATE", "UPDATE", "DELETE"))
    assert not may_hear(worker, "_INBOX.mine.x")


def test_a_provisioner_sees_and_sends_nothing_of_any_session() -> None:
    provisioner = permissions("provisioner", SUBJECTS)
    assert not any(may_publish(provisioner, one) for one in [*published(AT), *requests("mine")])
    assert not any(may_hear(provisioner, one) for one in events(AT))


def test_an_admin_is_as_an_agent_of_any_session() -> None:
    admin = permissions("admin", SUBJECTS)
    assert all(may_publish(admin, one) for one in [*published(OTHERS), *requests("other")])
    assert all(may_hear(admin, one) for one in [*events(OTHERS), "_INBOX.x.y"])
    assert not any(may_publish(admin, one) for one in [*events(AT), SUBJECTS.dlq(AT)])
    assert not may_publish(admin, SUBJECTS.ledger(TurnAddress("mine", "t"), "k", "n"))


def test_workers_answer_and_administrators_hear_at_the_inboxes_of_the_deployment() -> None:
    worker, admin = (permissions(role, SUBJECTS, inboxes=["reply.here.>"]) for role in ("worker", "admin"))
    assert may_publish(worker, "reply.here.x")
    assert may_publish(worker, "_R_.x.y")
    assert not may_publish(worker, "_INBOX.x")
    assert may_hear(admin, "reply.here.x")
    assert not may_hear(admin, "_INBOX.x")


@pytest.mark.parametrize("name", ["admin", "somebody", "agent", "agent.a b", "tool.*", ""])
def test_the_name_of_another_user_says_no_inbox(name: str) -> None:
    assert inbox_of_user(name) is None


def subjects_in(cell: str) -> set[str]:
    """What a cell of the contract's table names, each verb's request by itself."""
    named = set(re.findall(r"`([^`]+)`", cell))
    verbs = (
        {one.replace("VERB", verb) for one in named for verb in VERBS} if any("VERB" in one for one in named) else named
    )
    return {one.replace("SESSION", "mine") for one in verbs}


def test_the_contract_has_what_an_agent_and_a_tool_may(agent: Permissions, tool: Permissions) -> None:
    rows = {}
    for line in (SCHEMAS / "README.md").read_text().splitlines():
        if line.startswith(("| agent, `", "| tool, `")):
            who, publishes, hears = (cell.strip() for cell in line.strip("|").split(" | "))
            rows[who.partition(",")[0].strip()] = subjects_in(publishes), subjects_in(hears.rstrip("| "))
    assert rows["agent"] == (set(agent.publish), set(agent.subscribe))
    own = {SUBJECTS.request("upload", "mine")}
    assert rows["tool"] == (own, set(tool.subscribe))
    assert set(tool.publish) == own | set(agent.publish) - set(requests("mine")) - {SUBJECTS.file_request("mine", "*")}
