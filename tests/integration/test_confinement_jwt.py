"""Tokens of `coatcheck grant` on a real server with an operator: everybody logs in by a credentials file."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
import pytest_asyncio
from click.testing import CliRunner
from tests.support.commands import Command
from tests.support.confined import raw_with
from tests.support.operator import AGENTS, SERVICE, SIGNING, OperatorServer
from tests.support.servers import unprovisioned
from tests.support.wait import eventually
from tests.support.workers import worker_here

import coatcheck
from coatcheck.cli import main
from coatcheck_core.credentials.login import login
from coatcheck_core.credentials.nkeys import KeyPair
from coatcheck_core.settings import Settings
from coatcheck_workers.commands.connecting import connected
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.provisioning import place_of, provision

LARGE = "a line of a log\n" * 5000


class World(NamedTuple):
    server: OperatorServer
    settings: Settings
    folder: Path

    def creds(self, name: str) -> Path:
        return self.folder / f"{name}.creds"


def grant(folder: Path, name: str, role: str, key: str, *more: str) -> Path:
    out = folder / f"{name}.creds"
    options = ("--role", role, "--signing-key", str(folder / f"{key}.nk"), "--out", str(out), *more)
    done = CliRunner().invoke(main, ["grant", *options])
    assert done.exit_code == 0, done.output
    return out


def logged_in(settings: Settings, server: OperatorServer, creds: Path) -> Settings:
    nats = msgspec.structs.replace(settings.nats, url=server.address, creds_file=str(creds), prefix="coat")
    return msgspec.structs.replace(settings, nats=nats)


@pytest_asyncio.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory, s3_server: S3Server) -> AsyncIterator[World]:
    folder = tmp_path_factory.mktemp("operator")
    for name, key in (("service", SERVICE), ("signing", SIGNING)):
        (folder / f"{name}.nk").write_text(key.seed)
    account = ("--account", AGENTS.public)
    for session in ("s1", "s2"):
        grant(folder, session, "agent", "signing", "--session", session, "--expires", "1h", *account)
    for role in ("worker", "provisioner", "admin"):
        grant(folder, role, role, "service")
    worker = login("nats://h", creds=((folder / "worker.creds").read_text, "worker.creds"))
    server = OperatorServer(folder / "nats", worker)
    await server.start()
    try:
        settings = logged_in(unprovisioned(server, s3_server), server, folder / "provisioner.creds")
        async with connected(settings, "provisioner") as client:
            await provision(client.jetstream(), place_of(settings.storage), settings)
        async with worker_here(logged_in(settings, server, folder / "worker.creds")):
            yield World(server, settings, folder)
    finally:
        await server.kill()


async def test_an_agent_works_with_a_url_and_its_file(world: World) -> None:
    async with coatcheck.connect(world.server.address, creds=world.creds("s1")) as client:
        event = await client.submit("s1", LARGE, tool_name="cat")
        assert (await client.read("s1", event.ref, limit=4)).content == LARGE[:4]
        with pytest.raises(coatcheck.RequestError, match=r"may not publish to coat\.list\.s2"):
            await client.list("s2")


async def test_the_command_line_works_with_the_file_alone(world: World, tmp_path: Path) -> None:
    config = tmp_path / "coatcheck.yaml"
    config.write_text(f"nats: {{url: '{world.server.address}', creds_file: '{world.creds('s2')}'}}\n")
    command = Command(config, tmp_path)
    done = await command.run("publish", "-", "--session", "s2", "--json", stdin=LARGE)
    assert done.code == 0, done.err
    assert done.event.disposition == "offloaded"
    refused = await command.run("list", "--session", "s1")
    assert refused.code == 1
    assert "may not publish to coat.list.s1" in refused.err


async def test_what_the_token_does_not_allow_is_refused(world: World) -> None:
    forbidden = (
        *("coat.results.s2.t.c", "coat.read.s2", "coat.read.*", "coat.stubs.s1.t.r", "coat.dlq.s1.t.c", "_INBOX.s2.x"),
        *("coat-internal.deleted.s1.session", "$JS.API.INFO", "$JS.API.STREAM.PURGE.COAT_STUBS", "$SRV.PING"),
    )
    unheard = ("coat.stubs.s2.>", "coat.stubs.>", "_INBOX.>", "_INBOX.s2.>", "coat.results.s1.>", ">")
    who = login(world.server.address, creds=(world.creds("s1").read_text, "s1.creds"))
    async with raw_with(who.urls[0], who.options) as tried:
        await tried.try_all(forbidden, unheard)
        assert tried.publish == {one.lower() for one in forbidden}
        assert tried.subscribe == {one.lower() for one in unheard}


async def test_no_acknowledgement_reaches_another_s_stream(world: World) -> None:
    who = login(world.server.address, creds=(world.creds("s1").read_text, "s1.creds"))
    admin = logged_in(world.settings, world.server, world.creds("admin"))
    async with connected(admin, "admin") as looking, raw_with(who.urls[0], who.options) as tried:
        before = (await looking.jetstream().stream_info("COAT_DLQ")).state.last_seq
        for reply in ("coat.results.s2.t.c", "coat.turns.s2.t.end", "coat-internal.out.stubs.s2.t.r"):
            await tried.try_all(["coat.chunks.s1.t.c.u"], reply=reply)
        async with coatcheck.connect(world.server.address, creds=world.creds("s2")) as client:
            await client.submit("s2", "after", tool_name="cat", call="after")
            stubs = [one.subject for one in (await client.replay("s2")).events]
        assert [one for one in stubs if ".t." in one] == []
        assert (await looking.jetstream().stream_info("COAT_DLQ")).state.last_seq == before


async def test_a_token_of_another_account_s_key_is_not_let_in(world: World, tmp_path: Path) -> None:
    (tmp_path / "other.nk").write_text(KeyPair("account", b"\x07" * 32).seed)
    creds = grant(tmp_path, "other", "agent", "other", "--session", "s1")
    with pytest.raises(coatcheck.RequestError, match="credentials"):
        async with coatcheck.connect(world.server.address, creds=creds):
            raise AssertionError("it was let in")


async def test_a_file_that_is_renewed_serves_the_next_connection(world: World, tmp_path: Path) -> None:
    file = tmp_path / "renewed.creds"
    file.write_bytes(world.creds("s1").read_bytes())
    who = login(world.server.address, creds=(file.read_text, "renewed.creds"))
    assert who.creds is not None
    first = bytes(who.creds.give_token())
    (tmp_path / "signing.nk").write_text(SIGNING.seed)
    grant(tmp_path, "renewed", "agent", "signing", "--session", "s1", "--account", AGENTS.public)
    async with raw_with(who.urls[0], who.options) as tried:
        assert bytes(who.creds.give_token()) != first
        await tried.try_all(["coat.list.s1", "coat.list.s2"])
        assert tried.publish == {"coat.list.s2"}


async def test_a_client_outlives_its_token_where_the_file_is_renewed(world: World, tmp_path: Path) -> None:
    (tmp_path / "signing.nk").write_text(SIGNING.seed)
    options = ("s1", "agent", "signing", "--session", "s1", "--account", AGENTS.public, "--expires")
    file = grant(tmp_path, *options, "5s")
    async with coatcheck.connect(world.server.address, creds=file) as client:
        first = client._connection.nats
        stubs = client.stubs("s1", turn="renewed")
        waiting = asyncio.ensure_future(anext(stubs))
        grant(tmp_path, *options, "1h")
        await eventually(lambda: first.stats["reconnects"] == 1, expecting="the connection that is made anew")
        event = await client.submit("s1", "small", tool_name="cat", turn="renewed")
        assert (await asyncio.wait_for(waiting, 60)).result_id == event.result_id
        await stubs.aclose()


async def test_a_client_whose_token_has_expired_says_so(world: World, tmp_path: Path) -> None:
    (tmp_path / "signing.nk").write_text(SIGNING.seed)
    file = grant(tmp_path, "s1", "agent", "signing", "--session", "s1", "--account", AGENTS.public, "--expires", "4s")
    async with coatcheck.connect(world.server.address, creds=file) as client:
        await eventually(lambda: client._connection.closed, expecting="the end of the connection")
        with pytest.raises(coatcheck.RequestError, match="expired"):
            await client.list("s1")
    with pytest.raises(coatcheck.InvalidInput, match=r"s1\.creds expired at .*make it anew"):
        async with coatcheck.connect(world.server.address, creds=file):
            raise AssertionError("it was let in")
