"""The floor: the same consume, puts, publish and ack written directly on nats-py and obstore, without product code.

Run as a process of its own, as a worker is: `python -m benchmarks.floor offload|inline`, the deployment in the
environment variable FLOOR as JSON. With `pieces` it is the floor of results in pieces, with `requests` of requests.
"""

import asyncio
import hashlib
import json
import os
import sys

import msgspec
import nats
import obstore
import uvloop
from nats.aio.msg import Msg
from obstore.store import S3Store

from benchmarks.large.floor import follow
from benchmarks.retrieval.floor import answer_requests

EXPECTED_LAST = {"Nats-Expected-Last-Subject-Sequence": "0"}
_SERVING = {"pieces": follow, "requests": answer_requests}


class Event(msgspec.Struct):
    tool_name: str
    content: str


async def main(mode: str) -> None:
    given = json.loads(os.environ["FLOOR"])
    client = await nats.connect(given["nats_url"])
    jetstream = client.jetstream()
    bucket = S3Store(
        given["bucket"],
        endpoint=given["endpoint"],
        region="us-east-1",
        access_key_id=given["access_key"],
        secret_access_key=given["secret_key"],
        virtual_hosted_style_request=False,
        client_options={"allow_http": True},
    )
    prefix = given["prefix"]
    if mode in _SERVING:
        await _SERVING[mode](client, bucket, prefix)
        os.write(given["ready_fd"], b"ready\n")
        await asyncio.Event().wait()
    decoder = msgspec.json.Decoder(Event)
    slots = asyncio.Semaphore(given["in_flight"])
    metadata = b"m" * 2000

    async def handle(message: Msg) -> None:
        try:
            event = decoder.decode(message.data)
            _, _, session, turn, call = message.subject.split(".")
            if mode == "offload":
                original = event.content.encode()
                result_id = f"{call}-{hashlib.sha256(original).hexdigest()[:32]}"
                key = f"{prefix}/v1/sessions/{session}/results/{result_id}"
                await obstore.put_async(bucket, f"{key}/output", original, use_multipart=False)
                await obstore.put_async(bucket, f"{key}/metadata.json", metadata, use_multipart=False)
                body = b"s" * 2500
            else:
                body = message.data
            await jetstream.publish(f"{prefix}-internal.out.stubs.{session}.{turn}.{call}", body, headers=EXPECTED_LAST)
            await message.ack()
        finally:
            slots.release()

    pull = await jetstream.pull_subscribe_bind("workers", f"{prefix}_results".upper())
    os.write(given["ready_fd"], b"ready\n")
    tasks: set[asyncio.Task[None]] = set()
    while True:
        try:
            messages = await pull.fetch(given["in_flight"], timeout=1)
        except TimeoutError:
            continue
        for message in messages:
            await slots.acquire()
            task = asyncio.create_task(handle(message))
            tasks.add(task)
            task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
