"""Real servers for the benchmarks, and on them either a worker of ours or the floor, each a process of its own."""

import asyncio
import itertools
import json
import os
import signal
import sys
import tempfile
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import nats
import yaml
from nats.aio.client import Client

from coatcheck_core.settings import Settings, load
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.provisioning import place_of, provision

_numbers = itertools.count()


class Servers(msgspec.Struct, frozen=True):
    """One NATS and one S3 server, and a folder for what the processes need."""

    nats: NatsServer
    s3: S3Server
    folder: Path

    def settings(self, prefix: str, in_flight: int, **sections: dict[str, object]) -> Settings:
        """`sections` are laid over what all have."""
        tree: dict[str, dict[str, object]] = {
            "nats": {"url": self.nats.url, "prefix": prefix},
            "storage": {
                "endpoint": self.s3.endpoint,
                "access_key": self.s3.access_key,
                "secret_key": self.s3.secret_key,
                "bucket": "bench",
                "prefix": prefix,
            },
            "streams": {name: {"max_bytes": 2**30} for name in ("results", "stubs", "dlq", "ledger", "held")},
            "worker": {"in_flight": in_flight},
            "logs": {"level": "warning"},
        }
        tree["streams"]["chunks"] = {"max_bytes": 2**32}
        for name, section in sections.items():
            tree[name] = tree.get(name, {}) | section
        return load(("benchmark", yaml.safe_dump(tree)))[0]


@asynccontextmanager
async def servers() -> AsyncIterator[Servers]:
    with tempfile.TemporaryDirectory(prefix="coatcheck-bench-") as folder:
        root = Path(folder)
        async with NatsServer(root / "nats") as nats_server, S3Server(root / "s3") as s3_server:
            yield Servers(nats_server, s3_server, root)


@asynccontextmanager
async def deployed(
    on: Servers, prefix: str, in_flight: int, **sections: dict[str, object]
) -> AsyncIterator[tuple[Client, Settings]]:
    """A connection, and streams of its own under `prefix`, gone afterwards."""
    settings = on.settings(prefix, in_flight, **sections)
    client = await nats.connect(on.nats.url)
    try:
        await provision(client.jetstream(), place_of(settings.storage), settings)
        yield client, settings
        for name in ("RESULTS", "CHUNKS", "STUBS", "DLQ", "LEDGER", "HELD"):
            await client.jetstream().delete_stream(f"{prefix}_{name}".upper())
    finally:
        await client.close()


@asynccontextmanager
async def consumer(on: Servers, who: str, mode: str, settings: Settings, **variables: str) -> AsyncIterator[Process]:
    """A ready consumer, `ours`, `floor`, or a program of this folder around ours; ended afterwards.

    What it says goes to a file. `variables` are added to its environment.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")} | variables
    read_end, write_end = os.pipe()
    if who == "floor":
        environment["FLOOR"] = _for_the_floor(settings, write_end)
        argv = [sys.executable, "-m", "benchmarks.floor", mode]
    else:
        config = on.folder / f"{next(_numbers)}.yaml"
        config.write_text(yaml.safe_dump(msgspec.to_builtins(settings)))
        program = "coatcheck" if who == "ours" else f"benchmarks.{who}"
        argv = [sys.executable, "-m", program, "worker", "--config", str(config), "--ready-fd", str(write_end)]
    said = on.folder / f"{next(_numbers)}.log"
    with said.open("wb") as output:
        process = await asyncio.create_subprocess_exec(*argv, env=environment, pass_fds=(write_end,), stderr=output)
    os.close(write_end)
    try:
        if not await asyncio.to_thread(os.read, read_end, 16):
            raise RuntimeError(f"{who} ended before it was ready: {said.read_text()[-2000:]}")
        yield process
    finally:
        os.close(read_end)
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


def _for_the_floor(settings: Settings, ready_fd: int) -> str:
    return json.dumps(
        {
            "nats_url": settings.nats.url,
            "prefix": settings.nats.prefix,
            "endpoint": settings.storage.endpoint,
            "access_key": settings.storage.access_key,
            "secret_key": settings.storage.secret_key,
            "bucket": settings.storage.bucket,
            "in_flight": settings.worker.in_flight,
            "ready_fd": ready_fd,
        }
    )


def cpu_seconds(process: Process) -> float | None:
    """What a process has used so far; None on a system without /proc."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
