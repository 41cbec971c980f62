"""A NATS cluster on loopback: real servers with replicated streams, for tests that take one of them away."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nats
from nats.aio.client import Client
from nats.js.errors import ServiceUnavailableError
from tests.support.ports import reserved_port
from tests.support.wait import eventually

from coatcheck_workers.embedded import NatsServer
from coatcheck_workers.embedded.credentials import Credentials, read_or_create
from coatcheck_workers.embedded.files import private_directory, write_private

LOOPBACK = "127.0.0.1"
NAME = "coatcheck-tests"
ADMIN = "admin"
ELECTION_SECONDS = 60.0
"""A leader that is gone is missed after 4 to 9 s, the vote may be split, and the machine may be busy."""


class ClusterServer(NatsServer):
    """One server of a cluster, of the name `name`. `start` returns once it answers, which takes a majority of them."""

    def __init__(self, data_dir: Path, name: str, route_port: int, routes: Sequence[str]) -> None:
        super().__init__(data_dir, port=reserved_port())
        self.name = name
        self._route_port = route_port
        self._routes = list(routes)

    def _write_config(self) -> Path:
        config = super()._write_config()
        alone = config.read_text().replace('server_name: "coatcheck"', f'server_name: "{self.name}"')
        assert self.name in alone
        listen, routes = f"{LOOPBACK}:{self._route_port}", json.dumps(self._routes)
        write_private(config, f'{alone}cluster {{ name: "{NAME}", listen: "{listen}", routes: {routes} }}\n')
        return config

    @property
    def runs(self) -> bool:
        return self._child is not None and self.child.alive


class Cluster:
    """Made by `nats_cluster`. Single servers are the test's to stop: `servers[i].kill()`, and `start()`."""

    def __init__(self, servers: Sequence[ClusterServer]) -> None:
        self.servers = tuple(servers)

    @property
    def url(self) -> str:
        """All servers, comma-separated, with the administrator's user and password."""
        return ",".join(server.url for server in self.servers)

    async def leader(self, stream: str) -> ClusterServer:
        """The server that leads the stream, once there is one."""
        return await self._led(f"STREAM.INFO.{stream}", f"a leader of {stream}")

    async def consumer_leader(self, stream: str, durable: str) -> ClusterServer:
        """The server that leads the consumer, once there is one."""
        return await self._led(f"CONSUMER.INFO.{stream}.{durable}", f"a leader of {durable} of {stream}")

    async def stream_leader(self, stream: str) -> str:
        """The name of the server that leads the stream, once there is one."""
        return (await self.leader(stream)).name

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Client]:
        """An administrator's connection to a server that runs, closed afterwards.

        Elsewhere nats-py would leave the sockets of its vain tries open, with a warning.
        """
        urls = [server.url for server in self.servers if server.runs]
        client = await nats.connect(urls, connect_timeout=30, error_cb=_ignore)
        try:
            yield client
        finally:
            await client.close()

    async def healthy(self, stream: str) -> None:
        """Wait until every server has all of the stream: another one may be taken away then."""
        async with self.connected() as client:

            async def current() -> bool:
                peers = (await _info(client, f"STREAM.INFO.{stream}")).get("cluster", {}).get("replicas", [])
                return len(peers) == len(self.servers) - 1 and all(
                    peer.get("current") and not peer.get("offline") for peer in peers
                )

            await eventually(current, ELECTION_SECONDS, expecting=f"every copy of {stream} to be current")

    async def _led(self, api: str, expecting: str) -> ClusterServer:
        running = {server.name: server for server in self.servers if server.runs}
        async with self.connected() as client:

            async def leader() -> str | None:
                name: str | None = (await _info(client, api)).get("cluster", {}).get("leader")
                return name if name in running else None

            name = await eventually(leader, ELECTION_SECONDS, expecting=expecting)
        assert name is not None
        return running[name]


@asynccontextmanager
async def nats_cluster(folder: Path, size: int = 3) -> AsyncIterator[Cluster]:
    """A cluster with its data below `folder`, ready: JetStream answers on every server. Killed afterwards."""
    credentials = read_or_create(private_directory(folder) / "credentials.json", ADMIN)
    ports = [reserved_port() for _ in range(size)]  # each must know the others' before any of them runs
    routes = [f"nats://{LOOPBACK}:{port}" for port in ports]
    servers = [
        _server(folder / f"n{number}", f"n{number}", credentials, port, routes) for number, port in enumerate(ports, 1)
    ]
    try:
        async with asyncio.TaskGroup() as starting:
            for server in servers:
                starting.create_task(server.start())
        yield Cluster(servers)
    finally:
        await asyncio.gather(*(server.kill() for server in servers if server.runs))


def _server(data_dir: Path, name: str, admin: Credentials, port: int, routes: Sequence[str]) -> ClusterServer:
    """A client may move from one server to another, so they all know the same administrator."""
    write_private(private_directory(data_dir) / "credentials.json", json.dumps({"name": ADMIN, "secret": admin.secret}))
    return ClusterServer(data_dir, name, port, routes)


async def _info(client: Client, api: str) -> dict[str, Any]:
    """The API's answer; an empty one while nobody leads."""
    try:
        reply = await client.request(f"$JS.API.{api}", b"", timeout=1)
    except (nats.errors.Error, TimeoutError, ServiceUnavailableError):
        return {}
    answer: dict[str, Any] = json.loads(reply.data)
    return answer


async def _ignore(_: Exception) -> None:
    """Servers come and go here; nats-py would log each."""
