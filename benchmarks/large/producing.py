"""A producer of pieces without product code, and the same as a process of its own, which publishes while others follow.

`python -m benchmarks.large.producing SUBJECT COUNT SEED`, the server's URL in the environment variable NATS_URL; it
publishes once a line comes to its standard input. With a file in place of a count it publishes that.
"""

import asyncio
import hashlib
import os
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import nats
import uvloop
from nats.aio.client import Client

from benchmarks.large.contents import PIECE_BYTES, pieces
from coatcheck_schemas.pieces import final_headers, piece_headers

AT_ONCE = 8


async def publish_pieces(client: Client, subject: str, bodies: Iterable[bytes]) -> None:
    """Some at a time, and the message that ends them."""
    jetstream = client.jetstream(timeout=60)
    places = asyncio.Semaphore(AT_ONCE)
    sha256, count, size = hashlib.sha256(), 0, 0

    async def publish(seq: int, body: bytes) -> None:
        try:
            await jetstream.publish(subject, body, headers=piece_headers(uuid4().hex, seq))
        finally:
            places.release()

    async with asyncio.TaskGroup() as group:
        for body in bodies:
            await places.acquire()
            group.create_task(publish(count, body))
            sha256.update(body)
            count, size = count + 1, size + len(body)
    headers = final_headers(uuid4().hex, count=count, size=size, sha256=sha256.hexdigest())
    await jetstream.publish(subject, b"", headers=headers)


@asynccontextmanager
async def producer(url: str, subject: str, what: str, seed: int = 0) -> AsyncIterator[asyncio.StreamWriter]:
    """A ready process; a line to its standard input lets it begin."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.large.producing", subject, what, str(seed),
        env=os.environ | {"NATS_URL": url}, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        await process.stdout.readline()
        yield process.stdin
        process.stdin.close()
        if await process.wait():
            raise RuntimeError("the producer of pieces failed")
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def main(subject: str, what: str, seed: int) -> None:
    client = await nats.connect(os.environ["NATS_URL"])
    bodies = list(pieces(int(what), seed)) if what.isdigit() else _of_file(Path(what))
    print(flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await publish_pieces(client, subject, bodies)
    await client.close()


def _of_file(path: Path) -> Iterable[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
