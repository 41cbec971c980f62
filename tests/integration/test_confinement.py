"""Each role on a real server: what it may do works, and whatever else is tried is refused or without effect."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from string import digits
from typing import Any, NamedTuple

import msgspec
import pytest
import pytest_asyncio
from click.testing import CliRunner
from tests.support.commands import Command, configured
from tests.support.confined import Deployment, as_role, raw, stored
from tests.support.forbidden import FORBIDDEN, INNER, MAY_HEAR, PUBLISHED, REQUESTS, UNHEARD, filled
from tests.support.servers import connected, unprovisioned
from tests.support.wait import eventually
from tests.support.workers import worker_here

import coatcheck
from coatcheck.cli import main
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import Code
from coatcheck_schemas.permissions import Role, inbox_of
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.provisioning import drift, place_of, provision

SMALL, LARGE = "small", "a line of a log\n" * 5000


class World(NamedTuple):
    deployment: Deployment
    settings: Settings

    def agent(self, session: str) -> Any:
        return coatcheck.connect(self.deployment.url("agent", session))


def grown(before: dict[str, int], now: dict[str, int]) -> set[str]:
    """The subjects of which streams have more than before; workers take from them meanwhile."""
    return {subject for subject, count in now.items() if count > before.get(subject, 0)}


async def at_rest(server: NatsServer) -> dict[str, int]:
    """What the streams have once the worker is through with what the tests before have published."""

    async def is_through() -> bool:
        return not any(one.startswith(("coat.results.", "coat.turns.")) for one in await stored(server))

    await eventually(is_through, expecting="an empty queue")
    return await stored(server)


def logged_in(settings: Settings, url: str) -> Settings:
    return msgspec.structs.replace(settings, nats=msgspec.structs.replace(settings.nats, url=url, prefix="coat"))


@pytest_asyncio.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory, s3_server: S3Server) -> AsyncIterator[World]:
    """Laid out by the provisioner, served by a worker, each as its own user."""
    server = NatsServer(tmp_path_factory.mktemp("confined"))
    await server.start()
    try:
        deployment = Deployment(server)
        await deployment.grant()
        settings = logged_in(unprovisioned(server, s3_server), deployment.url("provisioner"))
        async with connected(settings) as client:
            await provision(client.jetstream(), place_of(settings.storage), settings)
        async with worker_here(logged_in(settings, deployment.url("worker"))):
            yield World(deployment, settings)
    finally:
        await server.kill()


async def test_an_agent_does_all_that_agents_do_with_its_url_alone(world: World) -> None:
    async with world.agent("s1") as client:
        async with client.turn("s1", "t1", size=2) as turn:
            await turn.publish(SMALL, tool_name="cat", call="c1")
            await turn.publish(LARGE, tool_name="cat", call="c2")
            small, large = await turn.stubs()
        mine = [one.ref for one in (await client.list("s1", turn="t1")).tool_results]
        assert (small.content, large.disposition) == (SMALL, "offloaded")
        assert (await client.read("s1", large.ref, limit=15)).content == LARGE[:15]
        assert (await client.search("s1", "of a log", ref=large.ref)).matches
        assert mine == [large.ref]
        assert (await client.link("s1", large.ref)).url
        assert len((await client.replay("s1", turn="t1")).events) == 2
        written = await client.fs("s1").write("plan.md", "1. read")
        assert (await client.fs("s1").read(written.path)).content == "1. read"
        assert (await client.clear("s1", [{"role": "user", "content": "hello"}])).cleared == []
        streamed = client.stream("s1", tool_name="build")
        async with streamed:
            for _ in range(3):
                await streamed.write(LARGE * 8)
            assert (await streamed.submit()).original_chars == len(LARGE) * 24
        assert (await client.delete("s1", large.ref)).deleted == 1


async def test_a_session_of_any_name_is_confined_to_its_own(world: World) -> None:
    async with world.agent("s1") as client:
        for asked in (client.list("s2"), client.publish("s2", SMALL, tool_name="cat"), anext(client.stubs("s2"))):
            with pytest.raises(coatcheck.RequestError, match="this NATS user may not") as caught:
                await asyncio.wait_for(asked, 60)
            assert caught.value.code is Code.UNAVAILABLE


async def test_a_tool_publishes_and_is_told_that_it_reads_nothing(world: World) -> None:
    async with world.agent("s1") as agent, coatcheck.connect(world.deployment.url("tool", "s1")) as client:
        await client.publish("s1", LARGE, tool_name="cat", turn="of-a-tool")
        event = await asyncio.wait_for(anext(agent.stubs("s1", turn="of-a-tool", from_start=True)), 60)
        assert event.disposition == "offloaded"
        asks = (client.list("s1"), client.submit("s1", SMALL, tool_name="cat"), anext(client.stubs("s1")))
        for asked in (
            *asks,
            client.submit("s1", "x" * 3_000_000, tool_name="cat"),
            client.upload("s1", __file__, tool_name="c"),
        ):
            with pytest.raises(coatcheck.RequestError, match="grant --role agent"):
                await asyncio.wait_for(asked, 60)


async def test_a_tool_s_large_file_and_its_turn_s_end_reach_the_agent(world: World) -> None:
    async with world.agent("s1") as agent, coatcheck.connect(world.deployment.url("tool", "s1")) as client:
        done = await client.publish_file("s1", __file__, tool_name="cat", turn="put-by-a-tool")
        await client.end_turn("s1", "put-by-a-tool")
        event = await asyncio.wait_for(anext(agent.stubs("s1", turn="put-by-a-tool", from_start=True)), 60)
        assert (event.call_id, event.result_id) == (done.call_id, done.result_id)


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["publish", "FILE"], "its stub goes to the session's agent"),
        (["publish", "FILE", "--upload"], "its stub goes to the session's agent"),
        (["exec", "--", "head", "-c", "3000000", "/dev/zero"], "its stub goes to the session's agent"),
        (["turn", "end", "of-a-tool"], "what is decided goes to the session's agent"),
    ],
)
async def test_a_tool_s_command_says_where_its_stub_goes(
    world: World, tmp_path: Path, argv: list[str], told: str
) -> None:
    (tmp_path / "large").write_text(LARGE)
    argv = [str(tmp_path / "large") if one == "FILE" else one for one in argv]
    config = configured(logged_in(world.settings, world.deployment.url("tool", "s1")), tmp_path)
    command = Command(config, tmp_path)
    done = await (command.run if argv[0] == "exec" else command.here)(*argv)  # exec hears signals: a process's
    assert (done.code, told in done.text, done.err) == (0, True, ""), done


@pytest.mark.parametrize("role", ["agent", "tool"])
async def test_whatever_else_a_session_s_user_tries_is_refused_and_leaves_no_trace(world: World, role: Role) -> None:
    before = await at_rest(world.deployment.server)
    async with as_role(world.deployment, role, "s1") as tried:
        await tried.try_all(FORBIDDEN[role], set(UNHEARD[role]) - MAY_HEAR[role])
        assert tried.publish == {one.lower() for one in FORBIDDEN[role]}
        assert tried.subscribe == {one.lower() for one in set(UNHEARD[role]) - MAY_HEAR[role]}
        assert tried.heard == []
    assert grown(before, await stored(world.deployment.server)) == set()


@pytest.mark.parametrize("role", ["admin", "provisioner", "worker"])
async def test_whatever_is_not_its_work_is_refused_to_who_serves(world: World, role: Role) -> None:
    async with raw(world.deployment.url(role), inbox_of(role)) as tried:
        await tried.try_all(FORBIDDEN[role], UNHEARD[role])
        assert tried.publish == {one.lower() for one in FORBIDDEN[role]}
        assert tried.subscribe == {one.lower() for one in UNHEARD[role]}


async def test_no_acknowledgement_or_answer_is_made_to_land_in_another_s_stream(world: World) -> None:
    """JetStream and workers answer to the reply subject that a message names, whatever its publisher may publish."""
    replies = (
        *filled((*PUBLISHED, *REQUESTS), "s2"),
        *(
            *INNER,
            "coat-internal.out.stubs.s2.t.r",
            "coat-internal.deleted.s2.session",
            "coat-internal.due.s2.t.turn.=",
        ),
        *("coat.stubs.s2.t.r", "coat.settled.s2.t", "coat.dlq.s2.t.c", "$JS.API.STREAM.PURGE.COAT_STUBS", "$SRV.PING"),
    )
    async with world.agent("s2") as other:
        kept = await other.submit("s2", LARGE, tool_name="cat")
        before = await at_rest(world.deployment.server)
        async with as_role(world.deployment, "agent", "s1") as tried:
            for reply in replies:
                await tried.try_all(["coat.results.s1.t.forged", "coat.list.s1", "coat.read.s1"], reply=reply)
            assert tried.publish == set()
        async with world.agent("s1") as own:  # which the workers take after all of those
            await own.submit("s1", SMALL, tool_name="cat", turn="t", call="last")
        added = grown(before, await stored(world.deployment.server))
        assert {one for one in added if ".s2." in one or one.endswith(".s2")} == set()
        assert (await other.read("s2", kept.ref, limit=4)).content == LARGE[:4]


async def test_an_answer_to_another_s_inbox_or_stubs_is_no_event_of_it(world: World) -> None:
    async with world.agent("s2") as other, as_role(world.deployment, "agent", "s1") as tried:
        stubs = other.stubs("s2")
        waiting = asyncio.ensure_future(anext(stubs))
        await other.list("s2")  # the subscription is on its way before it
        await tried.try_all(["coat.list.s1", "coat.results.s1.t.c"], reply="coat.stubs.s2.t.r")
        await tried.try_all(["coat.list.s1"], reply="_INBOX.s2.x")
        event = await other.submit("s2", SMALL, tool_name="cat", call="mine")
        assert (await asyncio.wait_for(waiting, 60)).result_id == event.result_id
        await stubs.aclose()


async def test_a_reference_of_another_session_finds_nothing(world: World) -> None:
    async with world.agent("s2") as other, world.agent("s1") as client:
        event = await other.submit("s2", LARGE, tool_name="cat")
        assert event.ref is not None
        for ref in (event.ref, event.result_id):
            with pytest.raises(coatcheck.RequestError) as caught:
                await client.read("s1", ref)
            assert caught.value.code is Code.NOT_FOUND
        for asked in (
            client.fs("s1").read(f"/large_tool_result/{event.result_id}"),
            client.search("s1", "of a log", ref=event.ref),
            client.link("s1", event.ref),
            client.delete("s1", event.ref),
        ):
            with pytest.raises(coatcheck.RequestError) as caught:
                await asked
            assert caught.value.code is Code.NOT_FOUND
        assert (await other.read("s2", event.ref, limit=4)).content == LARGE[:4]


async def test_a_wildcard_among_one_s_own_ids_reaches_nobody_else(world: World) -> None:
    """The server takes it, since the session is one's own; a worker does not."""
    async with world.agent("s2") as other, as_role(world.deployment, "agent", "s1") as tried:
        before = (await other.replay("s2", limit=1000)).events
        wild = (
            "coat.results.s1.*.*",
            "coat.results.s1.>",
            "coat.turns.s1.*.end",
            "coat.chunks.s1.*.*.*",
            "coat.fs.s1.*",
        )
        await tried.try_all(wild)
        assert tried.publish == {"coat.results.s1.>"}
        await other.submit("s2", SMALL, tool_name="cat", call="after")
        assert len((await other.replay("s2", limit=1000)).events) == len(before) + 1


async def test_nobody_takes_the_message_ids_of_another_s_next_pieces_or_results(world: World) -> None:
    """A stream tells whoever expects a wrong one its last message's id, and takes each id once, whoever used it."""
    taken: set[str] = set()

    async def take(subject: str, thief: Any) -> None:
        answer = await thief.request(subject, b"x", timeout=30, headers={"Nats-Expected-Last-Msg-Id": "none"})
        last = msgspec.json.decode(answer.data)["error"]["description"].partition(": ")[2]
        head = last.rstrip(digits)
        number = last[len(head) :] or "0"
        for step in range(1, 4):
            following = f"{head}{int(number) + step}"
            await thief.request(subject, b"x", timeout=30, headers={"Nats-Msg-Id": following})
            taken.add(following)

    async with world.agent("s2") as other, as_role(world.deployment, "agent", "s1") as tried:
        streamed = other.stream("s2", tool_name="build")
        async with streamed:
            for _ in range(5):
                await streamed.write(LARGE * 16)
                await take("coat.chunks.s1.t.c.u", tried.client)
                await take("coat.results.s1.t.c", tried.client)
            event = await streamed.submit(30)
        assert taken
        assert (event.disposition, event.original_chars) == ("offloaded", len(LARGE) * 80)
        assert (await other.submit("s2", SMALL, tool_name="cat")).content == SMALL


async def test_an_admin_does_what_the_commands_do(world: World) -> None:
    url = world.deployment.url("admin")
    async with coatcheck.connect(url) as client:
        event = await client.submit("any", LARGE, tool_name="cat")
        assert (await client.read("any", event.ref, limit=4)).content == LARGE[:4]
    settings = logged_in(world.settings, url)
    async with connected(settings) as admin:
        assert await drift(admin.jetstream(), None, settings) == []
        assert await provision(admin.jetstream(), None, settings) == []


@pytest.mark.parametrize(
    "argv",
    [["dlq", "list", "--json"], ["dlq", "retry", "--all"], ["top", "--once"], ["provision", "--check"]],
    ids=" ".join,
)
async def test_an_admin_s_command_is_refused_nothing(world: World, tmp_path: Path, argv: list[str]) -> None:
    config = configured(logged_in(world.settings, world.deployment.url("admin")), tmp_path)
    log = world.deployment.server.log
    before = log.read_text().count("Violation")
    done = await asyncio.to_thread(CliRunner().invoke, main, [argv[0], *argv[1:], "--config", str(config)])
    assert done.exit_code == 0 or argv[1] == "retry", done.output  # of what was forged above some can never be retried
    assert log.read_text().count("Violation") == before


@pytest.mark.parametrize(
    "argv", [["dlq", "list"], ["top", "--once"], ["provision", "--check"]], ids=lambda argv: argv[0]
)
async def test_an_agent_that_runs_an_operator_s_command_is_told_at_once(
    world: World, tmp_path: Path, argv: list[str]
) -> None:
    config = configured(logged_in(world.settings, world.deployment.url("agent", "s1")), tmp_path)
    done = await Command(config, tmp_path).here(*argv)
    assert (done.code, done.text) == (1, "")
    assert "NATS does not let this user ask JetStream ($JS.API." in done.err
    assert "coatcheck grant --role admin" in done.err


async def test_the_doctor_finds_nothing_wrong_with_who_is_let_in(world: World, tmp_path: Path) -> None:
    config = configured(logged_in(world.settings, world.deployment.url("admin")), tmp_path)
    before = world.deployment.server.log.read_text().count("Violation")
    done = await asyncio.to_thread(CliRunner().invoke, main, ["doctor", "--json", "--config", str(config)])
    assert '"workers"' in done.output
    assert world.deployment.server.log.read_text().count("Violation") == before, done.output


async def test_a_worker_was_refused_nothing(world: World) -> None:
    """After all of the above, and a dead letter, a deletion and a turn that its deadline ends."""
    async with as_role(world.deployment, "agent", "s1") as tried:
        await tried.try_all(["coat.results.s1.t9.bad", "coat.stubs.s1.t9.forged"])
    async with world.agent("s1") as client:
        failed = await asyncio.wait_for(anext(client.stubs("s1", turn="t9", from_start=True)), 60)
        assert failed.disposition == "failed"
        kept = await client.submit("s1", LARGE, tool_name="cat")
        await client.delete("s1", kept.ref)
    refused = [line for line in world.deployment.server.log.read_text().splitlines() if "Violation" in line]
    assert any('"AGENTS/user:agent.s1" - Publish Violation' in line for line in refused)
    assert [line for line in refused if ":coatcheck-worker" in line] == []
