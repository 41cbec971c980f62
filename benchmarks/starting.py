"""What a person waits for: the service to come up, and a command to answer."""

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from nats.aio.client import Client

from benchmarks.deployment import Servers, consumer, deployed
from coatcheck_schemas.refs import result_id, sha256_hex


async def up_to_ready() -> float:
    """Seconds from the command to its ready file, in an empty folder with two workers."""
    with tempfile.TemporaryDirectory(prefix="coatcheck-bench-") as folder:
        ready = Path(folder) / "ready.json"
        started = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "coatcheck", "up", "--data-dir", f"{folder}/data", "--ready-file", str(ready),
            stdout=asyncio.subprocess.DEVNULL, env=_environment(),
        )  # fmt: skip
        try:
            while not ready.exists():
                if process.returncode is not None:
                    raise RuntimeError("`coatcheck up` ended before it was ready")
                await asyncio.sleep(0.01)
            return time.perf_counter() - started
        finally:
            process.terminate()
            await process.wait()


async def read_first_byte(on: Servers) -> float:
    """Seconds from the command `coatcheck read` to the first byte of its output."""
    prefix = f"benchread{os.getpid()}"
    body = b"x" * 50_000
    async with deployed(on, prefix, 16) as (client, settings), consumer(on, "ours", "offload", settings):
        await _offload(client, prefix, body)
        ref = f"coat://s/{result_id('c', sha256_hex(body))}"
        environment = _environment() | {
            "COATCHECK_NATS__URL": settings.nats.url,
            "COATCHECK_NATS__PREFIX": prefix,
        }
        times = []
        for _ in range(5):
            started = time.perf_counter()
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "coatcheck", "read", ref, "--limit", "-1",
                stdout=asyncio.subprocess.PIPE, env=environment,
            )  # fmt: skip
            assert process.stdout is not None
            if await process.stdout.read(1) != b"x":
                raise RuntimeError("`coatcheck read` did not print the original")
            times.append(time.perf_counter() - started)
            await process.communicate()
    return sorted(times)[len(times) // 2]


async def _offload(client: Client, prefix: str, body: bytes) -> None:
    stubs = await client.subscribe(f"{prefix}.stubs.>")
    await client.flush()
    headers = {"ce-specversion": "1.0", "ce-type": "dev.coatcheck.tool_result.v1", "ce-id": "1", "ce-source": "bench"}
    await client.jetstream().publish(f"{prefix}.results.s.t.c", body, headers=headers | {"ce-toolname": "cat"})
    await stubs.next_msg(timeout=30)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")}
