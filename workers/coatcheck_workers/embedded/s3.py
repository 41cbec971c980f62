"""The bundled S3 server: SeaweedFS as one process, loopback only, of which others reach the S3 port alone."""

import asyncio
import io
import json
import os
import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

import minio
import minio.error
import urllib3

from coatcheck_core.settings.model import StorageSettings

from . import binaries
from .child import Child, ChildEnded
from .credentials import Credentials, read_or_create
from .files import private_directory, write_private
from .secluding import seclude

LOOPBACK = "127.0.0.1"
START_SECONDS = 60.0
STOP_SECONDS = 5.0
START_TRIES = 3
PROBE_BUCKET = "ready-probe"
GRPC_DISTANCE = 10_000
LAST_PORT = 65_535
WORKER_ACTIONS = ("Read:{}/*", "Write:{}/*", "List:{}")
"""What workers do with objects, in this server's words. Without the `/*` they could change the bucket's own rules."""
ROLES = ("master", "volume", "filer", "s3", "admin")


class S3Server:
    """An S3 server with its data, credentials and log below `data_dir`.

    `bucket` is the one that its worker's keys reach; the administrator's reach all. Its ports are free ones where no S3
    port is given; a server that starts again keeps them. `inherit` are descriptors that the server holds open while it
    lives.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        port: int | None = None,
        inherit: Sequence[int] = (),
        bucket: str = StorageSettings().bucket,
    ) -> None:
        self.data_dir = data_dir
        self.log = data_dir / "s3.log"
        self._given_port = port
        self._ports: dict[str, int] = {}
        self._inherit = tuple(inherit)
        self._child: Child | None = None
        private_directory(data_dir)
        self.credentials = read_or_create(data_dir / "credentials.json", "coatcheck")
        self.worker_credentials = read_or_create(data_dir / "worker.json", "coatcheck-worker")
        self._bucket = bucket

    @property
    def port(self) -> int:
        if not self._ports:
            raise RuntimeError("the server has not been started, it has no port yet")
        return self._ports["s3.port"]

    @property
    def endpoint(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def access_key(self) -> str:
        return self.credentials.name

    @property
    def secret_key(self) -> str:
        return self.credentials.secret

    @property
    def child(self) -> Child:
        if self._child is None:
            raise RuntimeError("the server has not been started")
        return self._child

    async def start(self) -> None:
        """Start it and wait until it stores an object. Raises BinaryMissing, ChildEnded, NotReady."""
        tries = 1 if self._ports else START_TRIES
        while True:
            tries -= 1
            self._ports = self._ports or _free_ports(self._given_port)
            try:
                await self._start_once()
            except ChildEnded:
                # Somebody may have taken a free port between our choosing it and the server's binding it.
                if not tries:
                    raise
                self._ports = {}
            else:
                return

    async def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Stop it in order, by force after `seconds`; nothing where it does not run."""
        if self._child is not None:
            await self._child.stop(seconds)
            self._remove_sockets()

    async def kill(self) -> None:
        """SIGKILL, as a crash would be."""
        await self.child.kill()
        self._remove_sockets()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _start_once(self) -> None:
        argv = self._argv(binaries.weed())
        seclude(self.data_dir, LOOPBACK)
        # The security.toml in the working directory is obeyed, so that is a folder of our own.
        child = await Child.start(
            "weed (the S3 server)", argv, log=self.log, cwd=self.data_dir, env=_environment(), inherit=self._inherit
        )
        self._child = child
        try:
            await child.until(self._answers, START_SECONDS)
        except BaseException:
            await self.kill()
            raise

    def _argv(self, program: Path) -> list[str]:
        data = private_directory(self.data_dir / "data")
        return [
            str(program),
            "-logtostderr=true",
            "mini",
            f"-dir={data}",
            f"-ip={LOOPBACK}",
            f"-ip.bind={LOOPBACK}",
            *(f"-{name}={port}" for name, port in self._ports.items()),
            # Each of these would open a port that a second server on this machine cannot have, or phone home.
            "-admin.ui=false",
            "-webdav=false",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-master.telemetry=false",
            f"-s3.config={self._write_config()}",
            # In the working directory, which is private, and not in /tmp: nobody is asked for a key there.
            "-filer.localSocket=filer.sock",
            "-s3.localSocket=s3.sock",
        ]

    def _write_config(self) -> Path:
        admin = _identity(self.credentials, ["Admin", "Read", "Write", "List", "Tagging"])
        worker = _identity(self.worker_credentials, [action.format(self._bucket) for action in WORKER_ACTIONS])
        config = self.data_dir / "s3.json"
        write_private(config, json.dumps({"identities": [admin, worker]}))
        return config

    async def _answers(self) -> bool:
        return await asyncio.to_thread(self._stores_an_object)

    def _stores_an_object(self) -> bool:
        """Buckets are listed well before the first object can be stored, so only an object proves anything."""
        pool = urllib3.PoolManager(timeout=urllib3.Timeout(connect=1, read=5), retries=False)
        client = minio.Minio(
            f"{LOOPBACK}:{self.port}",
            self.access_key,
            self.secret_key,
            secure=False,
            region="us-east-1",
            http_client=pool,
        )
        try:
            if not client.bucket_exists(PROBE_BUCKET):
                client.make_bucket(PROBE_BUCKET)
            client.put_object(PROBE_BUCKET, "probe", io.BytesIO(b"x"), 1)
        except (minio.error.MinioException, urllib3.exceptions.HTTPError):
            return False
        finally:
            pool.clear()
        return True

    def _remove_sockets(self) -> None:
        """The server leaves sockets named by port in /tmp, wherever its data is."""
        for port in self._ports.values():
            for socket_file in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):  # noqa: S108 - the server's choice
                socket_file.unlink(missing_ok=True)


def _identity(keys: Credentials, actions: Sequence[str]) -> dict[str, object]:
    return {
        "name": keys.name,
        "credentials": [{"accessKey": keys.name, "secretKey": keys.secret}],
        "actions": actions,
    }


def _free_ports(s3_port: int | None) -> dict[str, int]:
    """A port for each flag: free ones, all different since all are held until all are chosen."""
    names = [f"{role}.port{suffix}" for role in ROLES for suffix in ("", ".grpc")]
    ports: dict[str, int] = {}
    with ExitStack() as held:
        # The server's own maintenance looks for it there, whatever the flag says, and logs each try for ever.
        ports["admin.port"], ports["admin.port.grpc"] = _free_pair(held, GRPC_DISTANCE)
        for name in names:
            if name == "s3.port" and s3_port is not None:
                ports[name] = s3_port
            elif name not in ports:
                ports[name] = _free_port(held)
    return ports


def _free_pair(held: ExitStack, distance: int) -> tuple[int, int]:
    """Two free ports that lie so far apart."""
    while True:
        port = _free_port(held)
        if port + distance <= LAST_PORT:
            with suppress(OSError):
                return port, _free_port(held, port + distance)


def _free_port(held: ExitStack, port: int = 0) -> int:
    listener = held.enter_context(socket.socket())
    listener.bind((LOOPBACK, port))
    number: int = listener.getsockname()[1]
    return number


def _environment() -> dict[str, str]:
    """The server takes settings and keys from WEED_ and AWS_ variables; ours come from its flags alone."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("WEED_", "AWS_", "COATCHECK_"))}
