"""NATS with the files of docker-compose.yml, and each program as the user that it logs in as there."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import click
import msgspec
import pytest
import pytest_asyncio
from click.testing import CliRunner
from tests.support.deploying import coatchecks, mounted
from tests.support.ports import reserved_port
from tests.support.wait import eventually
from tests.support.workers import worker_here

import coatcheck
from coatcheck.cli import main
from coatcheck_core.settings import Settings
from coatcheck_workers.commands.connecting import connected
from coatcheck_workers.embedded import Child, binaries
from coatcheck_workers.provisioning import drift, place_of, provision

LARGE = "a line of a long output\n" * 2000


class Deployed:
    """The server, and the settings of compose's services for it, with a folder for object storage."""

    def __init__(self, folder: Path, port: int, server: Child) -> None:
        self.folder = folder
        self.url = f"nats://127.0.0.1:{port}"
        self.server = server

    def settings(self, service: str) -> Settings:
        given = coatchecks()[service]
        password = self.folder / "secrets" / Path(given.nats.password_file).name
        storage = msgspec.structs.replace(
            given.storage,
            endpoint="",
            public_url="",
            access_key="",
            secret_key_file="",
            url=f"file://{self.folder}/store",
        )
        login = msgspec.structs.replace(given.nats, url=self.url, password_file=str(password))
        http = msgspec.structs.replace(given.http, port=0)
        return msgspec.structs.replace(given, nats=login, storage=storage, http=http)

    async def lay_out(self) -> None:
        settings = self.settings("provision")
        async with connected(settings, "provision") as client:
            await provision(client.jetstream(), place_of(settings.storage), settings)
            assert await drift(client.jetstream(), place_of(settings.storage), settings) == []

    async def can_log_in(self) -> bool:
        try:
            async with connected(self.settings("provision"), "look"):
                return True
        except click.ClickException:
            return False


@pytest_asyncio.fixture(scope="module")
async def deployed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deployed]:
    folder, port = tmp_path_factory.mktemp("deployed"), reserved_port()
    command = mounted("nats", folder)
    base = folder / "etc/nats/base.conf"
    base.write_text(
        base.read_text()
        .replace("0.0.0.0:4222", f"127.0.0.1:{port}")
        .replace('http: "0.0.0.0:8222"', "http: 127.0.0.1:-1")
    )
    server = await Child.start("nats-server", [binaries.nats_server(), *command], log=folder / "nats.log")
    one = Deployed(folder, port, server)
    try:
        await server.until(one.can_log_in, 20)
        await one.lay_out()
        yield one
    finally:
        await server.kill()


async def test_an_agent_that_was_granted_is_served_by_a_worker(deployed: Deployed) -> None:
    agents, password = deployed.folder / "etc/nats/agents/agents.conf", deployed.folder / "s1.password"
    argv = ["grant", "--role", "agent", "--session", "s1", "--agents-file", str(agents), "--out", str(password)]
    granted = CliRunner().invoke(main, argv)
    assert granted.exit_code == 0, granted.output
    os.kill(deployed.server.pid, signal.SIGHUP)
    await eventually(lambda: "Reloaded server configuration" in deployed.server.log.read_text())
    url = deployed.url.replace("//", f"//agent.s1:{password.read_text().strip()}@")

    async with worker_here(deployed.settings("worker")), coatcheck.connect(url) as client:
        event = await client.submit("s1", LARGE, tool_name="build")
        assert event.ref is not None
        assert (await client.read("s1", event.ref, offset=-4)).content == LARGE[-4:]
