"""A list of blocks is read as a whole: what that takes of a worker's memory is bounded by the list's bytes."""

import base64
import json
import random
from pathlib import Path

import pytest
from tests.support.agents import agent
from tests.support.uploading import Producer
from tests.support.workers import worker_process

from coatcheck_core.settings import Settings

MIB = 1024 * 1024


def peak_bytes(pid: int) -> int:
    """The most memory that a process has had resident."""
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def image(size: int) -> dict[str, str]:
    return {"type": "image", "data": base64.b64encode(random.Random(size).randbytes(size)).decode()}


@pytest.mark.parametrize("kind", ["one image", "texts"])
async def test_large_lists_cost_a_few_times_their_bytes(deployment: Settings, tmp_path: Path, kind: str) -> None:
    size = 24 * MIB
    contents = {
        "one image": [image(size * 3 // 4)],
        "texts": [{"type": "text", "text": "a line of text\n" * (size // 15 // 40)}] * 40,
    }
    document = json.dumps(contents[kind]).encode()
    async with worker_process(deployment, tmp_path) as worker, agent(deployment, "s") as one:
        await one.offload("warm", "a line of text\n" * 20_000)
        before = peak_bytes(worker.process.pid)
        await Producer(one, "c").publish(document, blocks=True)
        assert (await one.stub("c")).disposition == "offloaded"
        grown = peak_bytes(worker.process.pid) - before
        assert grown < 4 * len(document)
