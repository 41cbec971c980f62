"""The life of `coatcheck up`: servers, their layout, workers, and all of it stopped in order."""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import msgspec
import nats

from coatcheck_core.settings import Settings
from coatcheck_core.settings.inboxes import inboxes

from ..embedded import Child, ChildEnded, NatsServer, S3Server
from ..embedded.files import private_directory, trim, write_private
from ..provisioning import place_of, provision
from . import locks
from .plan import GRACE_SECONDS, Plan, Served, answered, effective
from .ports import check_free
from .ready import Ready, ReadyFiles
from .workers import Workers

WORKER_COMMAND = (sys.executable, "-m", "coatcheck", "worker")
WORKER_SETTINGS = "worker.yaml"
"""In the data directory: what the workers are configured with, whose user may do what workers do."""
ADMIN_SETTINGS = "admin.yaml"
"""Beside it: what any other command may be configured with."""
LOOK_SECONDS = 1.0
"""How soon a user that was granted is let in."""
STOP_SECONDS = 8.5
SERVERS_STOP_SECONDS = 1.0
TRIM_EVERY_SECONDS = 10.0


class ServerEnded(ChildEnded):
    """A server ended by itself, and with it `up`."""


class Machine:
    """Everything that one `up` runs. `run` goes on until it is cancelled or fails; then `stop` ends what lives."""

    def __init__(
        self,
        plan: Plan,
        *,
        ready: Callable[[Ready], None],
        notice: Callable[[str], None],
        worker_command: Sequence[str] = WORKER_COMMAND,
    ) -> None:
        self._plan = plan
        self._on_ready = ready
        self._notice = notice
        self._worker_command = tuple(worker_command)
        self._held = AsyncExitStack()
        self._inherit: tuple[int, ...] = ()
        self._ready_files: ReadyFiles | None = None
        self._servers: list[NatsServer | S3Server] = []
        self._workers: Workers | None = None
        self._logs = self._plan.data_dir / "logs"

    async def run(self) -> None:
        """Start everything and keep the workers alive.

        Raises AlreadyRunning, CannotListen, ServerEnded where a server dies, ChildEnded where no worker can start, and
        what starting and provisioning raise.
        """
        private_directory(self._plan.data_dir)
        private_directory(self._logs)
        self._held.enter_context(locks.held(self._plan.data_dir))
        self._ready_files = ReadyFiles(self._plan.data_dir, self._plan.ready_file)
        self._ready_files.remove()
        self._inherit = (await self._held.enter_async_context(locks.shared_with_children(self._plan.data_dir)),)
        await check_free(self._plan.settings.http.host, self._plan.http_ports)
        served, workers = await self._start_servers()
        room = self._room()
        admin = answered(effective(self._plan.settings, served, room))
        await _lay_out(admin)
        write_private(self._plan.data_dir / ADMIN_SETTINGS, msgspec.yaml.encode(admin).decode())
        config = self._plan.data_dir / WORKER_SETTINGS
        write_private(config, msgspec.yaml.encode(effective(self._plan.settings, workers, room)).decode())
        self._workers = Workers(
            self._plan.workers,
            lambda slot, ready: self._start_worker(slot, ready, config),
            ready=lambda pids: self._announce(served, pids),
            died=self._worker_died,
        )
        await self._keep(self._workers)

    async def stop(self) -> None:
        """Workers first, all at once, so that they finish what they hold; then the servers that they need for it."""
        deadline = asyncio.get_running_loop().time() + STOP_SECONDS
        if self._ready_files is not None:
            self._ready_files.remove()
        if self._workers is not None:
            await self._workers.stop(GRACE_SECONDS + 0.5)
        left = max(SERVERS_STOP_SECONDS, deadline - asyncio.get_running_loop().time())
        await asyncio.gather(*(server.stop(left) for server in self._servers))
        await self._held.aclose()

    async def _start_servers(self) -> tuple[Served, Served]:
        """What an administrator is given, and what the workers are."""
        plan, settings = self._plan, self._plan.settings
        prefix, bucket = settings.nats.prefix, settings.storage.bucket
        bus = NatsServer(
            plan.data_dir / "nats",
            port=plan.nats_port,
            inherit=self._inherit,
            prefix=prefix,
            inboxes=inboxes(settings.requests),
        )
        s3 = S3Server(plan.data_dir / "s3", port=plan.s3_port, inherit=self._inherit, bucket=bucket)
        self._servers = [bus, s3]
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(bus.start())
                group.create_task(s3.start())
        except ExceptionGroup as errors:
            raise _first(errors) from None
        admin, worker = (
            Served(nats_url=url, s3_endpoint=s3.endpoint, s3_access_key=keys.name, s3_secret_key=keys.secret)
            for url, keys in ((bus.url, s3.credentials), (bus.worker_url, s3.worker_credentials))
        )
        return admin, worker

    def _room(self) -> int:
        """The bytes that streams may hold: what is free, and what they hold already."""
        return shutil.disk_usage(self._plan.data_dir).free + _stored(self._plan.data_dir / "nats")

    async def _start_worker(self, slot: int, ready: int, config: Path) -> Child:
        ports = self._plan.http_ports
        own = ["--set", f"http.port={ports[slot]}"] if ports else []
        return await Child.start(
            f"worker {slot + 1}",
            [*self._worker_command, "--config", config, *own, "--ready-fd", str(ready)],
            log=self._log_of(slot),
            env={name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")},
            inherit=(ready, *self._inherit),
        )

    def _log_of(self, slot: int) -> Path:
        return self._logs / f"worker-{slot + 1}.log"

    def _announce(self, served: Served, pids: list[int]) -> None:
        ready = Ready(
            **msgspec.structs.asdict(served),
            s3_bucket=self._plan.settings.storage.bucket,
            worker_pids=pids,
            worker_http=self._plan.worker_http,
        )
        if self._ready_files is not None:
            self._ready_files.write(ready)
        self._on_ready(ready)

    def _worker_died(self, child: Child, code: int, delay: float) -> None:
        again = f"starting another in {delay:g} s" if delay else "starting another"
        self._notice(f"{ChildEnded(child.name, code, child.log)}; {again}")

    async def _keep(self, workers: Workers) -> None:
        """Run the workers until a server ends."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(workers.run())
                group.create_task(self._trim_logs())
                for server in self._servers:
                    group.create_task(_watch(server))
                    if isinstance(server, NatsServer):
                        group.create_task(_reload_for_agents(server, self._notice))
        except ExceptionGroup as errors:
            raise _first(errors) from None

    async def _trim_logs(self) -> None:
        logs = [server.log for server in self._servers] + [self._log_of(slot) for slot in range(self._plan.workers)]
        while True:
            for log in logs:
                await asyncio.to_thread(trim, log)
            await asyncio.sleep(TRIM_EVERY_SECONDS)


async def _watch(server: NatsServer | S3Server) -> None:
    child = server.child
    raise ServerEnded(child.name, await child.wait(), child.log)


async def _reload_for_agents(server: NatsServer, notice: Callable[[str], None]) -> None:
    """Whenever the file of agents' users has changed, also since the server read it at its start."""
    while True:
        is_told = server.reload_if_changed()
        await asyncio.sleep(LOOK_SECONDS)
        if is_told and (why := server.reload_failure()) is not None:
            notice(f"{server.agents_file} is not taken, so nobody new is let in until it is mended: {why}")


def _first(errors: BaseException) -> BaseException:
    """The first of the errors that ended a group of tasks, however deep the group."""
    while isinstance(errors, BaseExceptionGroup):
        errors = errors.exceptions[0]
    return errors


def _stored(directory: Path) -> int:
    total = 0
    for file in directory.rglob("*"):
        with suppress(FileNotFoundError):  # the server writes there meanwhile
            total += file.stat().st_size if file.is_file() else 0
    return total


async def _lay_out(settings: Settings) -> None:
    client = await nats.connect(settings.nats.url, connect_timeout=5)
    try:
        await provision(client.jetstream(), place_of(settings.storage), settings)
    finally:
        await client.close()
