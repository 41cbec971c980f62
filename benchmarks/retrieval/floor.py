"""The floor of requests: the same bytes got from the store and sent back, or streamed to nowhere, by bare libraries.

Run as a process of its own, as a worker is: `python -m benchmarks.floor requests`. It proves nothing that it reads.
"""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import obstore
from nats.aio.client import Client
from nats.aio.msg import Msg
from obstore.store import S3Store


class Range(msgspec.Struct, frozen=True):
    """Bytes of an object; with `stop` 0 all of it is streamed, and its length is the reply."""

    key: str
    start: int = 0
    stop: int = 0


_DECODER = msgspec.json.Decoder(Range)


async def answer_requests(client: Client, bucket: S3Store, prefix: str) -> None:
    """From now on, until the connection closes; one task a request."""
    tasks: set[asyncio.Task[None]] = set()

    def begin(handle: Callable[[S3Store, Range], Awaitable[bytes]]) -> Callable[[Msg], Awaitable[None]]:
        async def answer(message: Msg) -> None:
            await message.respond(await handle(bucket, _DECODER.decode(message.data)))

        async def hear(message: Msg) -> None:
            task = asyncio.create_task(answer(message))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        return hear

    await client.subscribe(f"{prefix}.floor.range", cb=begin(_range))
    await client.subscribe(f"{prefix}.floor.stream", cb=begin(_stream))
    await client.flush()


async def _range(bucket: S3Store, wanted: Range) -> bytes:
    return bytes(await obstore.get_range_async(bucket, wanted.key, start=wanted.start, end=wanted.stop))


async def _stream(bucket: S3Store, wanted: Range) -> bytes:
    passed = 0
    async for chunk in (await obstore.get_async(bucket, wanted.key)).stream():
        passed += len(chunk)
    return str(passed).encode()
