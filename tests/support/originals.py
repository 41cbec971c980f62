"""Originals on a shelf: a session's stored results and events, as a worker leaves them, for tests of retrieval."""

from typing import Any

import msgspec

from coatcheck.testing import MemoryStore
from coatcheck_core.lines import count_lines
from coatcheck_core.original import Compression, Writing, Written
from coatcheck_core.settings import Settings
from coatcheck_schemas.events import Part
from coatcheck_schemas.keys import Keys, TimeEntry, turn_hash
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import Ref, result_id, sha256_hex
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.store import Store
from coatcheck_schemas.synopsis import Kind, Synopsis
from coatcheck_schemas.times import format_time, from_milliseconds
from coatcheck_workers.retrieval import Answer, EventPage, LoggedEvent, Retrieval, answer
from coatcheck_workers.streams.tombstone import NoTombstones

MAX_REPLY_BYTES = 1024 * 1024 - 4096
BEGIN = 1_790_000_000_000
"""Milliseconds at which the first result of a shelf arrived; each later one a second after."""


class Large(msgspec.Struct, frozen=True, kw_only=True):
    """How an original is stored as a large one, of whatever size it is."""

    compression: Compression = "zstd"
    block_bytes: int | None = None
    mime_type: str | None = None
    encoding: str | msgspec.UnsetType | None = msgspec.UNSET

    def write(self, data: bytes) -> tuple[bytes, Written]:
        writing = Writing(
            mime_type=self.mime_type,
            compression=self.compression,
            head=data[: 1 << 20],
            encoding=self.encoding,
            block_bytes=self.block_bytes,
        )
        stored = writing.feed(data) + writing.finish()
        return stored, writing.written


class MemoryEvents:
    """An EventLog over a list: every event that is published, whose ever it is."""

    def __init__(self) -> None:
        self.events: list[LoggedEvent] = []

    def publish(self, subject: str, data: bytes) -> None:
        self.events.append(LoggedEvent(subject=subject, data=data, seq=len(self.events) + 1))

    async def event_of(self, session: str, result_id: str) -> bytes | None:
        return next((e.data for e in reversed(self.events) if e.subject.endswith(f".{result_id}")), None)

    async def manifest(self, session: str, turn: str) -> LoggedEvent | None:
        subject = f"coat.settled.{session}.{turn}"
        return next((event for event in self.events if event.subject == subject), None)

    async def last_seq(self) -> int:
        return len(self.events)

    async def page(self, session: str, turn: str | None, after_seq: int, limit: int, max_bytes: int) -> EventPage:
        prefix = f"coat.stubs.{session}." if turn is None else f"coat.stubs.{session}.{turn}."
        wanted = [event for event in self.events if event.seq > after_seq and event.subject.startswith(prefix)]
        return EventPage(events=wanted[:limit], has_more=len(wanted) > limit)


_UNHURRIED = {"search_seconds": 600, "timeout_seconds": 900}
"""A busy machine is no reason to answer with a part."""


class Shelf:
    """A retrieval over a store in memory (or any other), and the means to fill it."""

    def __init__(
        self, *, store: Store | None = None, prefix: str = "", max_reply_bytes: int = MAX_REPLY_BYTES, **settings: Any
    ) -> None:
        self.store: Store = store if store is not None else MemoryStore()
        self.keys = Keys(prefix)
        self.events = MemoryEvents()
        self.retrieval = Retrieval(
            store=self.store,
            keys=self.keys,
            events=self.events,
            tombstones=NoTombstones(),
            settings=msgspec.convert({**settings, "requests": _UNHURRIED | settings.get("requests", {})}, Settings),
            max_reply_bytes=max_reply_bytes,
        )
        self._arrived = 0

    async def keep(
        self,
        data: bytes | str,
        *,
        session: str = "s1",
        call: str = "call_1",
        turn: str = "t1",
        tool: str = "tool",
        kind: Kind = "text",
        milliseconds: int | None = None,
        parts: list[Part] | None = None,
        bodies: dict[int, bytes] | None = None,
        large: Large | None = None,
    ) -> str:
        """Store a result; its ref. `session` and `call` are segments, `turn` is an id."""
        raw = data.encode() if isinstance(data, str) else data
        rid = result_id(call, sha256_hex(raw))
        at = BEGIN + 1000 * self._arrived if milliseconds is None else milliseconds
        self._arrived += 1
        metadata = _metadata(raw, session, rid, call=call, turn=turn, tool=tool, kind=kind, at=at, parts=parts)
        metadata = await self._put_output(session, raw, metadata, large)
        for index, body in (bodies or {}).items():
            await self.store.put(self.keys.part(session, rid, index), body)
        await self.store.put(self.keys.metadata(session, rid), msgspec.json.encode(metadata))
        await self.enter(session, rid, turn, at)
        return metadata.ref

    async def _put_output(self, session: str, raw: bytes, metadata: Metadata, large: Large | None) -> Metadata:
        key = self.keys.output(session, metadata.result_id)
        if large is None:
            await self.store.put(key, raw)
            return metadata
        stored, written = large.write(raw)
        await self.store.put(key, stored)
        if written.index is not None:
            await self.store.put(self.keys.index(session, metadata.result_id), written.index)
        return msgspec.structs.replace(
            metadata,
            form=written.form,
            stored_bytes=written.stored_bytes,
            index_bytes=written.index_bytes,
            encoding=written.encoding,
            original_chars=written.chars,
            original_lines=written.lines,
        )

    async def enter(self, session: str, rid: str, turn: str, milliseconds: int) -> None:
        entry = TimeEntry(milliseconds, turn_hash(encode_segment(turn)), rid)
        await self.store.put(self.keys.time_entry(session, entry), b"")

    async def ask(self, verb: str, *, session: str = "s1", **fields: Any) -> Answer:
        return await answer(self.retrieval, verb, session, msgspec.json.encode(fields))

    async def ok(self, verb: str, *, session: str = "s1", **fields: Any) -> dict[str, Any]:
        """The reply's `ok`; it must fit one message and bear no error headers."""
        got = await self.ask(verb, session=session, **fields)
        assert len(got.body) <= self.retrieval.max_reply_bytes
        reply = msgspec.json.decode(got.body)
        assert set(reply) == {"ok"}, reply
        assert got.headers == {}
        ok: dict[str, Any] = reply["ok"]
        return ok

    async def read_all(self, ref: str, **fields: Any) -> str:
        """The whole original, page by page: `next` is followed to the end."""
        content = ""
        for _ in range(10_000):
            page = await self.ok("read", ref=ref, **fields)
            content += str(page["content"])
            if page["next"] is None:
                assert page["has_more"] is False
                return content
            fields |= page["next"]
        raise AssertionError("the pages do not end")

    async def error(self, verb: str, *, session: str = "s1", **fields: Any) -> tuple[str, str]:
        """The error's code and message, as the body and the headers agree on them."""
        return problem(await self.ask(verb, session=session, **fields))


def problem(got: Answer) -> tuple[str, str]:
    """The code and message of an error answer; fails where it is none, or its headers are not fit to be headers."""
    reply = msgspec.json.decode(got.body)
    assert set(reply) == {"error"}, reply
    assert set(reply["error"]) == {"code", "message", "details"}
    header = got.headers["Nats-Service-Error"]
    assert header.isascii()
    assert header.isprintable()
    assert 0 < len(header) <= 200
    assert got.headers["Nats-Service-Error-Code"].isdigit()
    return reply["error"]["code"], reply["error"]["message"]


def _metadata(
    raw: bytes,
    session: str,
    rid: str,
    *,
    call: str,
    turn: str,
    tool: str,
    kind: Kind,
    at: int,
    parts: list[Part] | None,
) -> Metadata:
    try:
        text: str | None = raw.decode()
    except UnicodeDecodeError:
        text = None
    return Metadata(
        tool_result_id=rid,
        result_id=rid,
        ref=str(Ref(session, rid)),
        session_id=session,
        message_id=None,
        turn_id=turn,
        tool_id=call,
        call_id=call,
        tool_name=tool,
        agent_id=None,
        created_at=format_time(from_milliseconds(at)),
        original_chars=None if text is None else len(text),
        original_bytes=len(raw),
        original_lines=None if text is None else count_lines(text),
        preview_chars=2000,
        sha256=sha256_hex(raw),
        mime_type=None,
        synopsis_kind=kind,
        synopsis_format=None,
        synopsis=Synopsis(kind=kind),
        is_error=False,
        storage_uri="memory://",
        output_uri="memory://",
        parts=parts,
    )
