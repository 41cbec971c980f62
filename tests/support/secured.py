"""Certificates made for a test, and servers that have them."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import trustme
from tests.support.ports import reserved_port
from tests.support.wait import eventually

from coatcheck_workers.embedded import binaries
from coatcheck_workers.embedded.child import Child

HOST = "127.0.0.1"
USER, PASSWORD = "ann", "hush-hush"


class Certificates:
    """One authority with its certificates, as PEM files in a folder; another authority that has signed none of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._authority, other = trustme.CA(), trustme.CA()
        self.ca = folder / "ca.pem"
        self.other_ca = folder / "other-ca.pem"
        self._authority.cert_pem.write_to_path(str(self.ca))
        other.cert_pem.write_to_path(str(self.other_ca))
        self.server = self._written("server", self._authority.issue_cert(HOST, "localhost"))
        self.elsewhere = self._written("elsewhere", self._authority.issue_cert("elsewhere.example"))
        self.client = self._written("client", self._authority.issue_cert("ann@example.org"))
        self.foreign_client = self._written("foreign", other.issue_cert("eve@example.org"))
        past = [datetime(year, 1, 1, tzinfo=UTC) for year in (2019, 2020)]
        self.expired = self._written("expired", self._authority.issue_cert(HOST, not_before=past[0], not_after=past[1]))

    def _written(self, name: str, cert: trustme.LeafCert) -> Path:
        """Key and certificate in one file."""
        file = self.folder / f"{name}.pem"
        cert.private_key_and_cert_chain_pem.write_to_path(str(file))
        return file

    def block(self, cert: Path, more: str = "") -> str:
        """The `tls` block of a NATS server."""
        return f'tls {{ cert_file: "{cert}", key_file: "{cert}", ca_file: "{self.ca}" {more} }}'


@asynccontextmanager
async def nats_with(folder: Path, name: str, block: str) -> AsyncIterator[str]:
    """`HOST:PORT` of a NATS server with this in its configuration, which lets in USER with PASSWORD."""
    port = reserved_port()
    config = folder / f"{name}.conf"
    config.write_text(
        f'listen: "{HOST}:{port}"\njetstream {{ store_dir: "{folder / name}" }}\n'
        f'authorization {{ user: {USER}, password: "{PASSWORD}" }}\n{block}\n'
    )
    child = await Child.start("nats-server", [binaries.nats_server(), "-c", config], log=folder / f"{name}.log")
    try:
        await eventually(lambda: "Server is ready" in child.log.read_text())
        yield f"{HOST}:{port}"
    finally:
        await child.kill()


@asynccontextmanager
async def tls_in_front_of(port: int, cert: Path) -> AsyncIterator[str]:
    """`HOST:PORT` where TLS ends, and what it bears goes on to the port on this machine."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        inner, outer = await asyncio.open_connection(HOST, port)
        with suppress(asyncio.CancelledError):
            await asyncio.gather(_carry(reader, outer), _carry(inner, writer))
        tasks.discard(task)

    server = await asyncio.start_server(serve, HOST, 0, ssl=context)
    try:
        yield f"{HOST}:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Until either end is gone."""
    try:
        with suppress(OSError):
            while data := await source.read(256 * 1024):
                target.write(data)
                await target.drain()
    finally:
        target.close()


@asynccontextmanager
async def eavesdropper(port: int = 0) -> AsyncIterator[tuple[str, list[bytes]]]:
    """`HOST:PORT` of one that greets as a NATS server without TLS, and what it is sent, b"" for each connection."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            heard.append(b"")
            writer.write(b'INFO {"server_id":"x","version":"2.14.0","max_payload":1048576,"auth_required":true}\r\n')
            while data := await reader.read(4096):
                heard.append(data)
        writer.close()

    server = await asyncio.start_server(serve, HOST, port)
    try:
        yield f"{HOST}:{server.sockets[0].getsockname()[1]}", heard
    finally:
        server.close()
