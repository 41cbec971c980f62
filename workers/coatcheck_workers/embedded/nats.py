"""The bundled NATS server: JetStream on disk, loopback only; an administrator, a user for workers, agents apart."""

import asyncio
import json
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import nats
import nats.errors
import nats.js.errors

from coatcheck_core.credentials.server_users import NO_USERS, ServerUser, accounts_block, quoted
from coatcheck_schemas.permissions import ALL_INBOXES, SERVICE_ACCOUNT, permissions
from coatcheck_schemas.subjects import DEFAULT_PREFIX, Subjects

from . import binaries
from .child import Child
from .credentials import Credentials, read_or_create
from .files import private_directory, write_private

LOOPBACK = "127.0.0.1"
START_SECONDS = 60.0
STOP_SECONDS = 5.0

# The store's limit is lifted: streams have their own, and the default (three quarters of the free disk at the start)
# counts what streams may hold, so that it would refuse streams on a disk that has since filled a little.
_CONFIG = """\
listen: "{host}:{port}"
server_name: "coatcheck"
ports_file_dir: {ports_dir}
jetstream {{ store_dir: {store_dir}, max_file_store: 1PB }}
{accounts}"""
_GLOBAL_ACCOUNT = "$G"
"""Where earlier versions had their streams."""

_NOT_RELOADED = "Failed to reload server configuration: "
_MAX_TOLD_BYTES = 64 * 1024
AGENTS_FILE = "agents.conf"
"""Beside the configuration: the users of agents, which `coatcheck grant` adds."""


class NatsServer:
    """A NATS server with its data, credentials and log below `data_dir`.

    `prefix` is that of the subjects on which its worker and agents may speak, `inboxes` where its worker may answer;
    the administrator may do all. The port is a free one where none is given; a server that starts again keeps it.
    `inherit` are descriptors that the server holds open while it lives.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        port: int | None = None,
        inherit: Sequence[int] = (),
        prefix: str = DEFAULT_PREFIX,
        inboxes: Sequence[str] = (ALL_INBOXES,),
    ) -> None:
        self.data_dir = data_dir
        self.log = data_dir / "nats.log"
        self.agents_file = data_dir / AGENTS_FILE
        self._subjects = Subjects(prefix)
        self._inboxes = tuple(inboxes)
        self._port = port
        self._inherit = tuple(inherit)
        self._child: Child | None = None
        self._agents_read = _state_of(self.agents_file)
        self._told_at = 0
        private_directory(data_dir)
        self.credentials = read_or_create(data_dir / "credentials.json", "admin")
        self.worker_credentials = read_or_create(data_dir / "worker.json", "worker")

    @property
    def port(self) -> int:
        if self._port is None:
            raise RuntimeError("the server has not been started, it has no port yet")
        return self._port

    @property
    def address(self) -> str:
        """The URL without user and password."""
        return f"nats://{LOOPBACK}:{self.port}"

    @property
    def url(self) -> str:
        """The URL with the administrator's user and password."""
        return self._url_of(self.credentials)

    @property
    def worker_url(self) -> str:
        """The URL with the workers' user and password, who may do what workers do."""
        return self._url_of(self.worker_credentials)

    @property
    def child(self) -> Child:
        if self._child is None:
            raise RuntimeError("the server has not been started")
        return self._child

    async def start(self) -> None:
        """Start it and wait until JetStream answers. Raises BinaryMissing, ChildEnded, NotReady."""
        program = binaries.nats_server()
        config = self._write_config()
        child = await Child.start("nats-server", [program, "-c", config], log=self.log, inherit=self._inherit)
        self._child = child
        try:
            if self._port is None:
                await child.until(self._knows_port, START_SECONDS)
            await child.until(self._answers, START_SECONDS)
        except BaseException:
            await child.kill()
            raise

    def reload_if_changed(self) -> bool:
        """Take the agents' users as they are now, where their file has changed since the server was told to read it.

        True where it has; a configuration that is wrong leaves the users before.
        """
        found = _state_of(self.agents_file)
        if found == self._agents_read:
            return False
        self._agents_read = found
        self._told_at = self.log.stat().st_size if self.log.exists() else 0
        if self.child.alive:
            os.kill(self.child.pid, signal.SIGHUP)
        return True

    def reload_failure(self) -> str | None:
        """Why the server did not take what it was last told to read, as its log has it by now."""
        try:
            with self.log.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(self._told_at if self._told_at <= size else 0)  # it was trimmed meanwhile
                told = file.read(_MAX_TOLD_BYTES).decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        failures = [line.partition(_NOT_RELOADED)[2] for line in told.splitlines() if _NOT_RELOADED in line]
        return failures[-1] if failures else None

    async def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Stop it in order, by force after `seconds`; nothing where it does not run."""
        if self._child is not None:
            await self._child.stop(seconds)

    async def kill(self) -> None:
        """SIGKILL, as a crash would be."""
        await self.child.kill()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def _url_of(self, user: Credentials) -> str:
        return f"nats://{user.name}:{user.secret}@{LOOPBACK}:{self.port}"

    def _write_config(self) -> Path:
        for stale in self.data_dir.glob("*.ports"):
            stale.unlink()
        if not self.agents_file.exists():
            write_private(self.agents_file, NO_USERS)
        self._agents_read = _state_of(self.agents_file)  # before the server reads it: who is granted then is let in
        admin, worker = self.credentials, self.worker_credentials
        answering = permissions("worker", self._subjects, inboxes=self._inboxes)
        users = (
            ServerUser(name=admin.name, password=admin.secret),
            ServerUser(name=worker.name, password=worker.secret, permissions=answering),
        )
        config = self.data_dir / "nats.conf"
        text = _CONFIG.format(
            host=LOOPBACK,
            port=self._port or -1,
            ports_dir=quoted(str(self.data_dir)),
            store_dir=quoted(str(self._store_directory())),
            accounts=accounts_block(self._subjects, users, AGENTS_FILE),
        )
        write_private(config, text)
        return config

    def _store_directory(self) -> Path:
        """The streams' folder, in which each account has its own; what lies in the one of before moves with it."""
        data = private_directory(self.data_dir / "data")
        before, now = (data / "jetstream" / account for account in (_GLOBAL_ACCOUNT, SERVICE_ACCOUNT))
        if before.is_dir() and not now.exists():
            before.rename(now)
        return data

    async def _knows_port(self) -> bool:
        """The server tells which free port it got in a file that it names after its program and process id."""
        for file in self.data_dir.glob(f"*_{self.child.pid}.ports"):
            try:
                self._port = int(json.loads(file.read_text())["nats"][0].rpartition(":")[2])
            except ValueError:
                return False  # not written to its end yet
            return True
        return False

    async def _answers(self) -> bool:
        try:
            connection = await asyncio.wait_for(
                nats.connect(
                    self.url,
                    allow_reconnect=False,
                    connect_timeout=2,
                    max_reconnect_attempts=1,
                    reconnect_time_wait=0.05,
                    error_cb=_ignore,
                ),
                4,
            )
        except (OSError, TimeoutError, nats.errors.Error):
            return False
        try:
            await connection.jetstream(timeout=0.5).account_info()
        except (TimeoutError, nats.errors.Error):
            return False
        finally:
            await connection.close()
        return True


def _state_of(file: Path) -> tuple[int, int, int]:
    """What differs once a file is written anew; zeros where there is none."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_ino, found.st_size


async def _ignore(_: Exception) -> None:
    """A server that starts refuses connections; nats-py would log each with its traceback."""
