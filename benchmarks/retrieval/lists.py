"""The newest of a session of many results beside those of a session of few.

A session's entries are put into the store as a worker leaves them, with copies of one real result's metadata for the
newest: the others' is not there, and nothing reads it. The last result came an hour ago.
"""

import asyncio
import time
from collections.abc import Coroutine, Iterator
from statistics import median
from typing import Any

import msgspec
import obstore
from obstore.store import S3Store

from benchmarks.agent import KB, result_of
from benchmarks.deployment import Servers, consumer
from benchmarks.retrieval.asking import Asking
from benchmarks.retrieval.keeping import SESSION, Deployment, deployment
from benchmarks.rows import Pair, Row, compared
from coatcheck_schemas.keys import Keys, TimeEntry, turn_hash
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref
from coatcheck_schemas.times import format_time, from_milliseconds

MANY, QUICK_MANY = 100_000, 10_000
FEW = 100
LISTED = 50
WITH_METADATA = 300
TIMES, QUICK_TIMES = 60, 20
WORKERS, QUICK_WORKERS = 7, 3
WARMING = 5
_AT_ONCE = 64
_EACH_MILLISECONDS = 700
_AGO_MILLISECONDS = 60 * 60 * 1000


async def lists(on: Servers, quick: bool) -> list[Row]:
    many = QUICK_MANY if quick else MANY
    async with deployment(on) as one:
        pattern = await _stored(one)
        await _fill(one, pattern, "many", many)
        for session in ("few", "other"):
            await _fill(one, pattern, session, FEW)
        asking = Asking(one.client, one.prefix)
        first = [await _first(one, asking, many) for _ in range(QUICK_WORKERS if quick else WORKERS)]
        async with consumer(on, "ours", "requests", one.settings):
            await _in_turn(asking, many, 3)
            count = QUICK_TIMES if quick else TIMES
            warm = [await _in_turn(asking, many, count) for _ in range(1 if quick else 3)]
    figure = f"the {LISTED} newest of {many}, beside those of {FEW}"
    return [
        compared(f"{figure}, p50", "ms", warm, "<= 2"),
        compared(f"{figure}, a worker's first of them", "ms", first, "<= 2"),
    ]


async def _stored(one: Deployment) -> Metadata:
    """Of one result that a worker has stored."""
    async with consumer(one.on, "ours", "requests", one.settings):
        stubs = await one.client.subscribe(f"{one.prefix}.stubs.{SESSION}.>")
        await one.client.jetstream().publish(f"{one.prefix}.results.{SESSION}.=.c", result_of(120 * KB, 0))
        stub = msgspec.json.decode((await stubs.next_msg(timeout=30)).data)
    key = Keys(one.prefix).metadata(SESSION, stub["result_id"])
    return msgspec.json.decode(bytes(await (await obstore.get_async(one.bucket, key)).bytes_async()), type=Metadata)


async def _fill(one: Deployment, pattern: Metadata, session: str, count: int) -> None:
    places = asyncio.Semaphore(_AT_ONCE)

    async def put(one_put: Coroutine[Any, Any, object]) -> None:
        try:
            await one_put
        finally:
            places.release()

    async with asyncio.TaskGroup() as group:
        for coroutine in _puts(one.bucket, Keys(one.prefix), pattern, session, count):
            await places.acquire()
            group.create_task(put(coroutine))


def _puts(
    bucket: S3Store, keys: Keys, pattern: Metadata, session: str, count: int
) -> Iterator[Coroutine[Any, Any, object]]:
    first = time.time_ns() // 1_000_000 - _AGO_MILLISECONDS - count * _EACH_MILLISECONDS
    for number in range(count):
        result_id = f"c{number}-{number:032x}"
        at = first + number * _EACH_MILLISECONDS
        if number >= count - WITH_METADATA:
            metadata = _copy(pattern, session, result_id, at)
            yield obstore.put_async(bucket, keys.metadata(session, result_id), metadata, use_multipart=False)
        entry = TimeEntry(at, turn_hash("="), result_id)
        yield obstore.put_async(bucket, keys.time_entry(session, entry), b"", use_multipart=False)


def _copy(pattern: Metadata, session: str, result_id: str, milliseconds: int) -> bytes:
    return msgspec.json.encode(
        msgspec.structs.replace(
            pattern,
            tool_result_id=result_id,
            result_id=result_id,
            ref=str(Ref(session, result_id)),
            session_id=session,
            created_at=format_time(from_milliseconds(milliseconds)),
        )
    )


async def _first(one: Deployment, asking: Asking, many: int) -> Pair:
    """By a worker that has listed another session, so that its connections are there."""
    async with consumer(one.on, "ours", "requests", one.settings):
        for _ in range(WARMING):
            await _newest(asking, "other", FEW)
        return await _newest(asking, "many", many), await _newest(asking, "few", FEW)


async def _in_turn(asking: Asking, many: int, count: int) -> Pair:
    """The medians."""
    pairs = [(await _newest(asking, "many", many), await _newest(asking, "few", FEW)) for _ in range(count)]
    return median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)


async def _newest(asking: Asking, session: str, count: int) -> float:
    seconds, reply = await asking.ours("list", session, order="newest", limit=LISTED)
    listed = [result["result_id"] for result in reply["tool_results"]]
    if listed != [f"c{number}-{number:032x}" for number in range(count - 1, count - 1 - LISTED, -1)]:
        raise RuntimeError(f"these are not the newest of {session}: {listed}")
    return seconds
