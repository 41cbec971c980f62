"""The floor of results in pieces: direct-get batches from the stream into a multipart upload, without product code.

Run as a process of its own, as a worker is: `python -m benchmarks.floor pieces`. It hears the event that opens an
upload, pipes what the stream has of it and still gets, and then says so on the stub's subject.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import obstore
from nats.aio.client import Client
from nats.aio.msg import Msg
from obstore.store import S3Store

BATCH_BYTES = 2 * 1024**2
AHEAD = 2
PAUSE_SECONDS = 0.005


async def follow(client: Client, bucket: S3Store, prefix: str) -> None:
    """From now on, until it is cancelled; one task an upload."""
    tasks: set[asyncio.Task[None]] = set()

    async def opened(message: Msg) -> None:
        task = asyncio.create_task(_pipe(client, bucket, prefix, message))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    await client.subscribe(f"{prefix}.results.>", cb=opened)
    await client.flush()


async def _pipe(client: Client, bucket: S3Store, prefix: str, message: Msg) -> None:
    _, _, session, turn, call = message.subject.split(".")
    upload = msgspec.json.decode(message.data)["upload"]
    reading = _Reading(client, f"{prefix}_chunks".upper(), f"{prefix}.chunks.{session}.{turn}.{call}.{upload}")
    await obstore.put_async(bucket, f"{prefix}/floor/{upload}", reading.bodies(), use_multipart=True)
    await client.publish(f"{prefix}.stubs.{session}.{turn}.{call}-floor", b"s" * 2500)


class _Reading:
    """The pieces on one subject in the stream's order; some batches are fetched ahead of whom they are for."""

    def __init__(self, client: Client, stream: str, subject: str) -> None:
        self._client = client
        self._stream = stream
        self._subject = subject
        self._ahead: asyncio.Queue[list[Msg]] = asyncio.Queue(AHEAD)

    async def bodies(self) -> AsyncIterator[bytes]:
        fetching = asyncio.create_task(self._fetch())
        try:
            while batch := await self._ahead.get():
                for message in batch:
                    yield message.data
        finally:
            fetching.cancel()

    async def _fetch(self) -> None:
        inbox = self._client.new_inbox()
        answers = await self._client.subscribe(inbox, pending_bytes_limit=-1, pending_msgs_limit=-1)
        after = 0
        while True:
            request = {"next_by_subj": self._subject, "seq": after + 1, "batch": 1000, "max_bytes": BATCH_BYTES}
            ask = f"$JS.API.DIRECT.GET.{self._stream}"
            await self._client.publish(ask, msgspec.json.encode(request), reply=inbox)
            batch = [message async for message in _until_its_end(answers)]
            if not batch:
                await asyncio.sleep(PAUSE_SECONDS)
                continue
            after = int((batch[-1].headers or {})["Nats-Sequence"])
            is_last = "Coat-Final" in (batch[-1].headers or {})
            await self._ahead.put([one for one in batch if one.data])
            if is_last:
                await self._ahead.put([])
                return


async def _until_its_end(answers: Any) -> AsyncIterator[Msg]:
    """The messages of one batch; a status ends it."""
    while True:
        message = await answers.next_msg(timeout=30)
        if "Status" in (message.headers or {}):
            return
        yield message
