"""The bundled servers: ready when they say so, back on the same port with their data, gone with their parent."""

import asyncio
import io
import signal
import socket
import ssl
import stat
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import minio
import nats
import pytest
from tests.support.ports import reserved_port
from tests.support.up import all_gone
from tests.support.wait import eventually

from coatcheck_workers.embedded import ChildEnded, NatsServer, S3Server
from coatcheck_workers.embedded.files import write_private

PARENT = """
import asyncio, sys, pathlib
from coatcheck_workers.embedded import NatsServer
async def main():
    server = NatsServer(pathlib.Path(sys.argv[1]))
    await server.start()
    print(server.child.pid, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


def _client(server: S3Server) -> minio.Minio:
    address = server.endpoint.removeprefix("http://")
    return minio.Minio(address, server.access_key, server.secret_key, secure=False, region="us-east-1")


async def test_nats_comes_back_on_its_port_with_its_messages(own_nats: NatsServer) -> None:
    url = own_nats.url
    client = await nats.connect(url, connect_timeout=30)
    await client.jetstream().add_stream(name="S", subjects=["s.>"])
    await client.jetstream().publish("s.1", b"kept")
    await client.close()

    await own_nats.kill()
    await own_nats.start()

    assert own_nats.url == url
    client = await nats.connect(url, connect_timeout=30)
    assert (await client.jetstream().get_msg("S", seq=1)).data == b"kept"
    await client.close()


async def test_s3_comes_back_on_its_port_with_its_objects(own_s3: S3Server) -> None:
    endpoint = own_s3.endpoint
    await asyncio.to_thread(_client(own_s3).make_bucket, "kept")
    await asyncio.to_thread(_client(own_s3).put_object, "kept", "k", io.BytesIO(b"bytes"), 5)

    await own_s3.kill()
    await own_s3.start()

    assert own_s3.endpoint == endpoint
    reply = await asyncio.to_thread(_client(own_s3).get_object, "kept", "k")
    assert reply.data == b"bytes"
    reply.close()


async def test_s3_finds_its_objects_on_other_ports(tmp_path: Path) -> None:
    async with S3Server(tmp_path / "s3") as first:
        await asyncio.to_thread(_client(first).make_bucket, "kept")
        await asyncio.to_thread(_client(first).put_object, "kept", "k", io.BytesIO(b"bytes"), 5)
        await first.kill()
        reserved_port(first.port)
    async with S3Server(tmp_path / "s3") as second:
        assert second.endpoint != first.endpoint
        reply = await asyncio.to_thread(_client(second).get_object, "kept", "k")
        assert reply.data == b"bytes"
        reply.close()


async def test_nobody_gets_in_without_the_keys(s3_server: S3Server) -> None:
    address = s3_server.endpoint.removeprefix("http://")
    stranger = minio.Minio(address, secure=False, region="us-east-1")
    with pytest.raises(minio.error.S3Error, match="AccessDenied"):
        await asyncio.to_thread(stranger.list_buckets)


def _inodes_of(pid: int) -> set[str]:
    """Those of the sockets that a process has open."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it closes some meanwhile
            if (target := str(link.readlink())).startswith("socket:"):
                inodes.add(target[8:-1])
    return inodes


def _ports_of(pid: int) -> set[int]:
    """On which a process listens."""
    inodes = _inodes_of(pid)
    lines = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return {int(one[1].split(":")[1], 16) for one in lines if one[3] == "0A" and one[9] in inodes}


def _answer(port: int, context: ssl.SSLContext | None) -> bytes:
    """What a stranger's request for all buckets gets."""
    with ExitStack() as held:
        wire = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
        try:
            if context is not None:
                wire = held.enter_context(context.wrap_socket(wire))
            wire.sendall(b"GET /buckets/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            return wire.recv(4096)
        except (ssl.SSLError, ConnectionError):
            return b""


async def test_no_other_port_of_the_s3_server_lets_anybody_in(s3_server: S3Server) -> None:
    anybody = ssl.create_default_context()
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    ports = _ports_of(s3_server.child.pid) - {s3_server.port}
    assert len(ports) >= 7  # by HTTP and gRPC: master, volume, filer; and S3's own gRPC
    for port in ports:
        assert await asyncio.to_thread(_answer, port, anybody) == b""
        assert b" 200 " not in await asyncio.to_thread(_answer, port, None)
    assert b" 403 " in await asyncio.to_thread(_answer, s3_server.port, None)


def _sockets_of(pid: int) -> list[Path]:
    """The files of its sockets."""
    inodes = _inodes_of(pid)
    rows = [row.split() for row in Path("/proc/net/unix").read_text().splitlines()[1:]]
    cwd = Path(f"/proc/{pid}/cwd").resolve()
    return [cwd / row[7] for row in rows if len(row) == 8 and row[6] in inodes]


async def test_the_sockets_of_the_s3_server_are_its_user_s_alone(s3_server: S3Server) -> None:
    sockets = _sockets_of(s3_server.child.pid)
    assert {"filer.sock", "s3.sock"} <= {path.name for path in sockets if path.parent == s3_server.data_dir}
    assert [path for path in sockets if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


async def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    server = NatsServer(tmp_path / "nats")
    write_private(tmp_path / "nats" / "data", "a file where the store's folder belongs")
    with pytest.raises((ChildEnded, FileExistsError)):
        await server.start()


async def test_a_stopped_server_may_be_stopped_again(tmp_path: Path) -> None:
    server = NatsServer(tmp_path / "nats")
    await server.stop()
    await server.start()
    await server.stop()
    await server.stop()
    assert not server.child.alive


async def test_a_server_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(tmp_path / "nats"), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    server = int(await asyncio.wait_for(parent.stdout.readline(), 60))
    parent.send_signal(signal.SIGKILL)
    await parent.wait()
    await eventually(lambda: all_gone({server}), expecting="the server's end")


async def test_streams_that_an_earlier_version_made_are_there(tmp_path: Path) -> None:
    """It had them in the server's global account."""
    server = NatsServer(tmp_path / "nats")
    async with server:
        await _keep_one(server.url)
    accounts = tmp_path / "nats" / "data" / "jetstream"
    (accounts / "COATCHECK").rename(accounts / "$G")
    async with server:
        client = await nats.connect(server.url, connect_timeout=30)
        assert (await client.jetstream().stream_info("KEPT")).state.messages == 1
        await client.close()


async def _keep_one(url: str) -> None:
    client = await nats.connect(url, connect_timeout=30)
    await client.jetstream().add_stream(name="KEPT", subjects=["kept"])
    await client.jetstream().publish("kept", b"x")
    await client.close()
