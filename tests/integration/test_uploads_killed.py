"""Workers that die, or stop, in the middle of a result in pieces."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import minio
import pytest
import zstandard
from tests.integration.test_uploads import MIB, a_log, all_is_tidy
from tests.support.agents import Agent, agent, waiting_results
from tests.support.processes import peak_bytes
from tests.support.servers import STREAMS, deployed
from tests.support.uploading import Producer, cut
from tests.support.wait import eventually
from tests.support.workers import worker_here, worker_process

from coatcheck_core.settings import Settings
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.refs import sha256_hex
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.storage import open_store


@asynccontextmanager
async def quick(nats_server: NatsServer, s3_server: S3Server, **storage: Any) -> AsyncIterator[Settings]:
    """A deployment in which a dead worker's results go to another soon."""
    async with deployed(nats_server, s3_server, worker={"ack_wait_seconds": 1.0}, storage=storage) as settings:
        yield settings


def multiparts(settings: Settings) -> list[str]:
    """The keys of all uploads to the store that are neither completed nor aborted."""
    storage = settings.storage
    client = minio.Minio(storage.endpoint.removeprefix("http://"), storage.access_key, storage.secret_key, secure=False)
    found = client._list_multipart_uploads(storage.bucket, prefix=storage.prefix)
    return [str(upload.object_name) for upload in found.uploads]


async def no_multiparts(settings: Settings) -> bool:
    return await asyncio.to_thread(multiparts, settings) == []


async def stored(settings: Settings, one: Agent, result_id: str) -> bytes:
    store = open_store(settings.storage)
    lies = await store.get(Keys(settings.storage.prefix).output(one.address("").session, result_id))
    if not lies.startswith(b"\x28\xb5\x2f\xfd"):
        return lies
    return zstandard.ZstdDecompressor().stream_reader(lies, read_across_frames=True).read()


async def until_taken(settings: Settings, is_passed_on: bool) -> None:
    """Until the worker has begun to put the result into the store, or has had time to read some of it."""
    if is_passed_on:
        await eventually(lambda: asyncio.to_thread(multiparts, settings), expecting="a multipart upload")


@pytest.mark.parametrize(("size", "compression"), [(3 * MIB, "zstd"), (90 * MIB, "none")], ids=["spooled", "passed on"])
async def test_a_worker_killed_in_the_middle_costs_nothing(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path, size: int, compression: str
) -> None:
    data = a_log(size)
    parts = cut(data)
    async with quick(nats_server, s3_server, compression=compression) as settings, agent(settings, "s") as one:
        producer = Producer(one, "c")
        await producer.open()
        async with worker_process(settings, tmp_path) as worker:
            for seq, part in enumerate(parts[:-1]):
                await producer.send(seq, part)
            await until_taken(settings, size > 64 * MIB)
            await worker.kill()
        async with worker_process(settings, tmp_path):
            await producer.send(len(parts) - 1, parts[-1])
            await producer.end(parts)
            event = await one.stub("c")
            assert event.sha256 == sha256_hex(data)
            assert await stored(settings, one, str(event.result_id)) == data
            await all_is_tidy(settings)
            await eventually(lambda: no_multiparts(settings))
            assert [stub.call_id for stub in one.events] == ["c"]


async def test_a_worker_that_stops_hands_the_upload_back_and_leaves_no_multipart(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    parts = cut(a_log(90 * MIB))
    async with quick(nats_server, s3_server, compression="none") as settings, agent(settings, "s") as one:
        producer = Producer(one, "c")
        await producer.open()
        async with worker_process(settings, tmp_path) as worker:
            for seq, part in enumerate(parts):
                await producer.send(seq, part)
            await until_taken(settings, is_passed_on=True)
            assert await worker.terminate() == 0
        await eventually(lambda: no_multiparts(settings))
        assert await waiting_results(settings) == 1
        await producer.end(parts)
        async with worker_here(settings):
            assert (await one.stub("c")).original_bytes == sum(map(len, parts))
            await all_is_tidy(settings)


async def test_a_large_result_in_pieces_costs_a_worker_little_memory(deployment: Settings, tmp_path: Path) -> None:
    """Field case 32: 300 MB by pieces."""
    block = a_log(MIB - 64 * 1024)
    count = 320
    async with agent(deployment, "s") as one, worker_process(deployment, tmp_path) as worker:
        producer = Producer(one, "warm")
        await producer.publish(a_log(3 * MIB))
        await one.stub("warm")
        idle = peak_bytes(worker.process.pid)
        producer = Producer(one, "c", upload="u2")
        await producer.open()
        for seq in range(count):
            await producer.send(seq, block)
        await producer.end([block] * count)
        event = await one.stub("c")
        assert event.original_bytes == count * len(block)
        assert event.synopsis is not None
        assert event.synopsis.read is not None
        assert peak_bytes(worker.process.pid) - idle < 96 * MIB
        await all_is_tidy(deployment)


async def test_eight_large_results_at_once_cost_a_worker_little_memory_and_stop_no_small_one(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path
) -> None:
    """Field case 47: none says how long it will be."""
    block = a_log(MIB - 64 * 1024)
    count = 72
    room = {name: {"max_bytes": 1024 * MIB if name == "chunks" else 64 * MIB} for name in STREAMS}
    async with (
        deployed(nats_server, s3_server, streams=room) as settings,
        agent(settings, "s") as one,
        worker_process(settings, tmp_path) as worker,
    ):
        await Producer(one, "warm").publish(a_log(3 * MIB))
        await one.stub("warm")
        idle = peak_bytes(worker.process.pid)
        producers = [Producer(one, f"c{number}", upload=f"up{number}") for number in range(8)]
        for producer in producers:
            await producer.open()
        for seq in range(count):
            await asyncio.gather(*(producer.send(seq, block) for producer in producers))
        await one.publish("small", "done")
        assert (await one.stub("small")).content == "done"
        await asyncio.gather(*(producer.end([block] * count) for producer in producers))
        for number in range(8):
            assert (await one.stub(f"c{number}")).original_bytes == count * len(block)
        assert peak_bytes(worker.process.pid) - idle < 256 * MIB
        await eventually(lambda: no_multiparts(settings))
