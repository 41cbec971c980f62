"""What a simulated worker acts on: each act is one effect of its world."""

import base64
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, Literal, TypeVar, cast

from nats.aio.client import Client
from nats.errors import TimeoutError as NatsTimeout
from tests.support.simulation.streams import Stream
from tests.support.simulation.world import SimulatedWorker, World

from coatcheck_core.original import Written
from coatcheck_schemas.errors import StoreUnavailable
from coatcheck_schemas.said import Said
from coatcheck_schemas.store import ObjectInfo
from coatcheck_schemas.synopsis import Synopsis
from coatcheck_workers.flow.edges import Edges
from coatcheck_workers.streams.arriving import Arrived
from coatcheck_workers.streams.ledger import EXPECTED_LAST_SUBJECT
from coatcheck_workers.streams.letters import Letters
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.publishing import EXPECTED_LAST, PublishError, WrongLastSequence
from coatcheck_workers.uploads.describing import ends_within, synopsize_file

T = TypeVar("T")

MAX_PAYLOAD = 1024 * 1024
_EXECUTOR = ThreadPoolExecutor(1)
"""Never used: a simulated loop runs at once what would run in a thread."""


def edges(world: World, worker: SimulatedWorker) -> Edges:
    store = _Store(world, worker)
    skew = timedelta(seconds=world.plan.skew())
    return Edges(
        publisher=_Publisher(world, worker),
        results=_Log(world, worker, "results"),
        ledger=_Log(world, worker, "ledger"),
        held=_Log(world, worker, "held"),
        chunks=_Log(world, worker, "chunks"),
        stubs=_Log(world, worker, "stubs"),
        letters=Letters(cast(Client, _LettersClient(world, worker)), world.subjects, lambda: store),
        store=store,
        executor=_EXECUTOR,
        pieces_executor=_EXECUTOR,
        describer=_Describer(),
        max_payload=MAX_PAYLOAD,
        rehearse=_rehearse,
        said_apart=_said_apart,
        spool_bytes=world.spool_bytes,
        tombstones=worker.tombstones,
        now=lambda: world.loop.now() + skew,
    )


async def _rehearse(arrived: Arrived) -> None:
    """Nothing here kills a process."""


async def _said_apart(arrived: Arrived) -> Said:
    """Never asked."""
    raise AssertionError(f"{arrived.subject} kills no process")


class _Describer:
    """In this process: a simulation has no children."""

    def prepare(self) -> None:
        """Nothing."""

    async def whole(self, path: str, written: Written, mime_type: str | None) -> Synopsis:
        return synopsize_file(60.0, path, written.form, written.stored_bytes, written.size, mime_type)

    async def ends(self, written: Written, mime_type: str | None) -> Synopsis:
        counted = (written.size, written.chars, written.lines, written.encoding)
        return ends_within(60.0, written.head, written.tail, counted, mime_type)


class _Publisher:
    def __init__(self, world: World, worker: SimulatedWorker) -> None:
        self._world = world
        self._worker = worker

    async def once(self, subject: str, body: bytes) -> bool:
        try:
            await self._publish("stubs", subject, body, {EXPECTED_LAST: "0"})
        except WrongLastSequence:
            if not await self._is_there("stubs", subject):
                raise PublishError(f"{subject}: refused, and yet there is nothing under it") from None
            return False
        return True

    async def append(self, subject: str, body: bytes, headers: dict[str, str]) -> int:
        stream = {"dlq": "dlq", "ledger": "ledger", "failures": "ledger", "held": "held"}[subject.split(".")[1]]
        return await self._publish(stream, subject, body, headers)

    async def _publish(self, name: str, subject: str, body: bytes, headers: dict[str, str]) -> int:
        world, stream = self._world, self._world.streams[name]
        expects = headers.get(EXPECTED_LAST_SUBJECT, subject) if EXPECTED_LAST in headers else None
        on_its_way = world.plan.is_cluster and expects is not None and world.publishing[expects] > 0
        if on_its_way:
            raise WrongLastSequence(f"{subject}: another publish is on its way")
        key = expects or subject
        world.publishing[key] += 1
        try:
            return await world.effect(
                self._worker,
                f"publish {subject}",
                lambda: stream.publish(subject, body, headers, world.loop.now()),
                PublishError,
                away=name,
            )
        finally:
            world.publishing[key] -= 1

    async def _is_there(self, name: str, subject: str) -> bool:
        world = self._world
        return await world.effect(
            self._worker, f"confirm {subject}", lambda: any(world.streams[name].under(subject)), PublishError, away=name
        )


class _Log:
    def __init__(self, world: World, worker: SimulatedWorker, name: str) -> None:
        self._world = world
        self._worker = worker
        self._name = name

    @property
    def _stream(self) -> Stream:
        return self._world.streams[self._name]

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        until = self._world.loop.now() - timedelta(seconds=self._world.plan.lag())

        def do() -> list[Kept]:
            found = [kept for kept in self._stream.under(pattern) if kept.sequence > after]
            if self._world.plan.is_cluster:
                found = [kept for kept in found if kept.at <= until]
            return found[: max(3, len(found) // 2)]  # so that it takes several reads

        return await self._do(f"read {pattern}", do)

    async def last(self, subject: str) -> Kept | None:
        return await self._do(f"last {subject}", lambda: max(self._stream.under(subject), key=_sequence, default=None))

    async def first(self, pattern: str, after: int = 0) -> Kept | None:
        def do() -> Kept | None:
            found = (kept for kept in self._stream.under(pattern) if kept.sequence > after)
            return min(found, key=_sequence, default=None)

        return await self._do(f"first {pattern}", do)

    async def get(self, sequence: int) -> Kept | None:
        return await self._do(f"get {sequence}", lambda: self._stream.messages.get(sequence))

    async def delete(self, sequence: int) -> None:
        await self._do(f"delete {sequence}", lambda: self._stream.messages.pop(sequence, None))

    async def purge(self, pattern: str, through: int | None = None) -> None:
        await self._do(f"purge {pattern}", lambda: self._stream.purge(pattern, through))

    async def _do(self, label: str, do: Callable[[], T]) -> T:
        return await self._world.effect(self._worker, label, do, PublishError, away=self._name)


class _Store:
    """The world's store, as one worker reaches it."""

    def __init__(self, world: World, worker: SimulatedWorker) -> None:
        self._world = world
        self._worker = worker

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        await self._do(f"put {key}", lambda: self._world.store.put(key, data, exclusive=exclusive))

    async def get(self, key: str) -> bytes:
        found: bytes = await self._do(f"get {key}", lambda: self._world.store.get(key))
        return found

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        found: bytes = await self._do(f"get {key}", lambda: self._world.store.get_range(key, start, end))
        return found

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        """In parts: they stay where whoever puts them dies, or the store answers no more."""
        begun = self._world.multiparts
        await self._act(f"begin {key}", lambda: begun.add(key))
        try:
            data = b"".join([chunk async for chunk in chunks])
        except Exception:
            begun.discard(key)
            raise

        def complete() -> None:
            _at_once(self._world.store.put(key, data))
            begun.discard(key)

        await self._act(f"complete {key}", complete)

    async def abandon(self, key: str) -> None:
        await self._act(f"abandon {key}", lambda: self._world.multiparts.discard(key))

    async def get_stream(self, key: str, *, version: str | None = None) -> AsyncIterator[bytes]:
        yield await self.get(key)

    async def head(self, key: str) -> ObjectInfo:
        found: ObjectInfo = await self._do(f"head {key}", lambda: self._world.store.head(key))
        return found

    async def copy(self, source: str, target: str, *, version: str | None = None) -> None:
        await self._do(f"copy {target}", lambda: self._world.store.copy(source, target, version=version))

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        found = await self._act(f"list {prefix}", lambda: sorted(self._world.store._objects))
        for key in found:
            if key.startswith(prefix) and key > after:
                yield key

    async def delete(self, key: str) -> None:
        await self._do(f"delete {key}", lambda: self._world.store.delete(key))

    async def check(self) -> None:
        """Always there."""

    def uri(self, key: str) -> str:
        return self._world.store.uri(key)

    async def presign(self, method: Literal["GET", "PUT"], key: str, expires_seconds: int) -> str:
        return await self._world.store.presign(method, key, expires_seconds)

    async def _do(self, label: str, operation: Any) -> Any:
        return await self._act(label, lambda: _at_once(operation()))

    async def _act(self, label: str, do: Callable[[], T]) -> T:
        return await self._world.effect(self._worker, label, do, self._failed, away="store")

    def _failed(self, what: str) -> StoreUnavailable:
        self._world.store_failed.append(self._world.loop.time())
        return StoreUnavailable(what)


class _LettersClient:
    """What `Letters` asks of a connection."""

    def __init__(self, world: World, worker: SimulatedWorker) -> None:
        self._world = world
        self._worker = worker

    def jetstream(self, **_: Any) -> "_LettersClient":
        return self

    async def request(self, subject: str, body: bytes, **_: Any) -> Any:
        asked = json.loads(body)
        sequence = asked["seq"]
        messages = self._world.streams["dlq"].messages
        if ".MSG.DELETE." in subject:
            await self._do(f"delete letter {sequence}", lambda: messages.pop(sequence, None))
            return SimpleNamespace(data=b'{"success": true}')
        named = asked.get("next_by_subj")
        found = [key for key, one in messages.items() if key >= sequence and one.subject == named]
        wanted = sequence if named is None else min(found, default=0)
        kept = await self._do(f"get letter {sequence}", lambda: messages.get(wanted))
        if kept is None:
            return SimpleNamespace(data=b'{"error": {"err_code": 10037, "description": "no message found"}}')
        lines = "".join(f"{name}: {value}\r\n" for name, value in kept.headers.items())
        message = {
            "subject": kept.subject,
            "seq": kept.sequence,
            "time": kept.at.isoformat(),
            "hdrs": base64.b64encode(f"NATS/1.0\r\n{lines}\r\n".encode()).decode(),
            "data": base64.b64encode(kept.body).decode(),
        }
        return SimpleNamespace(data=json.dumps({"message": message}).encode())

    async def _do(self, label: str, do: Any) -> Any:
        return await self._world.effect(self._worker, label, do, lambda _: NatsTimeout(), away="dlq")


def _at_once(operation: Any) -> Any:
    """The outcome of one of MemoryStore's operations, none of which waits for anything."""
    try:
        operation.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the store waited for something")


def _sequence(kept: Kept) -> int:
    return kept.sequence
