"""Real servers for the benchmarks, and on them either a worker of ours or the floor, each a process of its own."""

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import nats
import yaml
from nats.aio.client import Client

from coatcheck_core.settings import Settings, load
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.provisioning import Bucket, provision


class Servers(msgspec.Struct, frozen=True):
    """One NATS and one S3 server, and a folder for what the processes need."""

    nats: NatsServer
    s3: S3Server
    folder: Path

    def settings(self, prefix: str, in_flight: int) -> Settings:
        tree = {
            "nats": {"url": self.nats.url, "prefix": prefix},
            "storage": {
                "endpoint": self.s3.endpoint,
                "access_key": self.s3.access_key,
                "secret_key": self.s3.secret_key,
                "bucket": "bench",
                "prefix": prefix,
            },
            "streams": {name: {"max_bytes": 2**30} for name in ("results", "stubs", "dlq", "ledger", "held")},
            "worker": {"in_flight": in_flight, "log_level": "warning"},
        }
        return load(("benchmark", yaml.safe_dump(tree)))[0]


@asynccontextmanager
async def servers() -> AsyncIterator[Servers]:
    with tempfile.TemporaryDirectory(prefix="coatcheck-bench-") as folder:
        root = Path(folder)
        async with NatsServer(root / "nats") as nats_server, S3Server(root / "s3") as s3_server:
            yield Servers(nats_server, s3_server, root)


@asynccontextmanager
async def deployed(on: Servers, prefix: str, in_flight: int) -> AsyncIterator[tuple[Client, Settings]]:
    """A connection, and streams of its own under `prefix`, gone afterwards."""
    settings = on.settings(prefix, in_flight)
    client = await nats.connect(on.nats.url)
    try:
        await provision(client.jetstream(), Bucket(settings.storage), settings)
        yield client, settings
        for name in ("RESULTS", "STUBS", "DLQ", "LEDGER", "HELD"):
            await client.jetstream().delete_stream(f"{prefix}_{name}".upper())
    finally:
        await client.close()


@asynccontextmanager
async def consumer(on: Servers, who: str, mode: str, settings: Settings) -> AsyncIterator[int]:
    """A ready consumer, `ours` or `floor`; yields its process id, and ends it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")}
    read_end, write_end = os.pipe()
    if who == "floor":
        environment["FLOOR"] = json.dumps(
            {
                "nats_url": settings.nats.url,
                "prefix": settings.nats.prefix,
                "endpoint": settings.storage.endpoint,
                "access_key": settings.storage.access_key,
                "secret_key": settings.storage.secret_key,
                "bucket": settings.storage.bucket,
                "in_flight": settings.worker.in_flight,
                "ready_fd": write_end,
            }
        )
        argv = [sys.executable, "-m", "benchmarks.floor", mode]
    else:
        config = on.folder / f"{settings.nats.prefix}.yaml"
        config.write_text(yaml.safe_dump(msgspec.to_builtins(settings)))
        argv = [sys.executable, "-m", "coatcheck", "worker", "--config", str(config), "--ready-fd", str(write_end)]
    process = await asyncio.create_subprocess_exec(*argv, env=environment, pass_fds=(write_end,))
    os.close(write_end)
    try:
        if not await asyncio.to_thread(os.read, read_end, 16):
            raise RuntimeError(f"{who} ended before it was ready")
        yield process.pid
    finally:
        os.close(read_end)
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()
