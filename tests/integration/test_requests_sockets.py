"""Reads that are given up in the middle of a body leave no sockets to the store behind."""

import asyncio
import os
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.wait import eventually

from coatcheck_core.settings import Settings
from coatcheck_schemas.store import Store
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.storage import open_store
from coatcheck_workers.storage.opening import KEPT_CONNECTIONS

AT_ONCE = 50
SIZE = 2 * 1024 * 1024
ESTABLISHED = "01"


def sockets_to(server: S3Server) -> int:
    """This process's connections to the server that are open, as the kernel tells."""
    port = f"{urlsplit(server.endpoint).port:04X}"
    ours = set()
    for link in Path("/proc/self/fd").iterdir():
        try:
            ours.add(os.readlink(link))
        except FileNotFoundError:  # closed meanwhile
            continue
    count = 0
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[2].endswith(f":{port}") and fields[3] == ESTABLISHED and f"socket:[{fields[9]}]" in ours:
                count += 1
    return count


async def read_and_abort_half(store: Store, key: str) -> None:
    begun = asyncio.Semaphore(0)

    async def stream() -> int:
        size = 0
        async for chunk in store.get_stream(key):
            size += len(chunk)
            begun.release()
        return size

    async def whole() -> int:
        begun.release()
        return len(await store.get(key))

    readers = [asyncio.create_task(stream() if number % 4 < 2 else whole()) for number in range(AT_ONCE)]
    for _ in range(AT_ONCE // 2):
        await begun.acquire()
    for reader in readers[::2]:
        reader.cancel()
    outcomes = await asyncio.gather(*readers, return_exceptions=True)
    assert [outcome for outcome in outcomes[1::2] if outcome != SIZE] == []


async def test_fifty_reads_half_of_them_aborted_grow_no_sockets(deployment: Settings, s3_server: S3Server) -> None:
    """Were those of the aborted left, four rounds would leave 100 of them."""
    others = sockets_to(s3_server)
    store = open_store(deployment.storage)
    key = f"{deployment.storage.prefix}/v1/sessions/s/results/r/output"
    await store.put(key, os.urandom(SIZE))
    for _ in range(4):
        await read_and_abort_half(store, key)
    assert sockets_to(s3_server) > others, "they are not seen, so that nothing would be proved"
    most = others + 2 * KEPT_CONNECTIONS
    await eventually(lambda: sockets_to(s3_server) <= most, expecting=f"no more than {most} sockets")
