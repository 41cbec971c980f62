"""What a producer left in the streams: the events that open uploads, and their pieces, read as they lie there."""

import hashlib
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import unquote

import msgspec
import nats
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from coatcheck_schemas import pieces
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer


class Sent:
    """One upload: its pieces in the order of the stream, and what ended it."""

    def __init__(self, messages: list[Msg]) -> None:
        self.pieces = [one for one in messages if pieces.SEQ in (one.headers or {})]
        self.ends = [one for one in messages if pieces.SEQ not in (one.headers or {})]

    @property
    def numbers(self) -> list[int]:
        return sorted(int((one.headers or {})[pieces.SEQ]) for one in self.pieces)

    @property
    def data(self) -> bytes:
        """All pieces, joined by their numbers."""
        ordered = sorted(self.pieces, key=lambda one: int((one.headers or {})[pieces.SEQ]))
        return b"".join(one.data for one in ordered)

    @property
    def end(self) -> dict[str, str]:
        """The headers of the one message that ended it."""
        assert len(self.ends) == 1
        assert self.ends[0].data == b""
        return dict(self.ends[0].headers or {})

    @property
    def reason(self) -> str:
        """Why the producer gave up."""
        return unquote(self.end[pieces.FAILED])

    def check(self, data: bytes) -> None:
        """Fails unless the upload is whole, and is this."""
        end = self.end
        assert self.numbers == list(range(len(self.pieces)))
        assert self.data == data
        assert end[pieces.FINAL] == "true"
        assert int(end[pieces.COUNT]) == len(self.pieces)
        assert int(end[pieces.BYTES]) == len(data)
        assert end[pieces.SHA256] == hashlib.sha256(data).hexdigest()


class Streams:
    """The two streams that a producer publishes to, without any worker."""

    def __init__(self, jetstream: JetStreamContext, prefix: str) -> None:
        self.jetstream = jetstream
        self.prefix = prefix
        self.results = Subjects(prefix).stream("results")
        self.chunks = Subjects(prefix).stream("chunks")

    async def events(self) -> list[dict[str, Any]]:
        """The bodies of the events that are JSON, oldest first."""
        return [msgspec.json.decode(one.data) for one in await self._all(self.results) if one.data[:1] == b"{"]

    async def uploads(self) -> dict[str, Sent]:
        """By upload id."""
        found: dict[str, list[Msg]] = {}
        for message in await self._all(self.chunks):
            found.setdefault(message.subject.rpartition(".")[2], []).append(message)
        return {upload: Sent(messages) for upload, messages in found.items()}

    async def upload(self) -> Sent:
        """The one that there is; the last event opened it."""
        uploads = await self.uploads()
        assert len(uploads) == 1
        assert (await self.events())[-1]["upload"] in uploads
        return next(iter(uploads.values()))

    async def count(self, stream: str) -> int:
        return int((await self.jetstream.stream_info(stream)).state.messages)

    async def _all(self, stream: str) -> list[Msg]:
        info = await self.jetstream.stream_info(stream)
        messages = []
        for sequence in range(max(1, info.state.first_seq), info.state.last_seq + 1):
            raw = await self.jetstream.get_msg(stream, sequence)
            messages.append(
                Msg(
                    _client=self.jetstream._nc,
                    subject=raw.subject or "",
                    data=raw.data or b"",
                    headers=dict(raw.headers or {}),
                )
            )
        return messages


@asynccontextmanager
async def streams(server: NatsServer, *, prefix: str | None = None, **chunks: Any) -> AsyncIterator[Streams]:
    """Under a prefix of their own; `chunks` are further settings of the stream of pieces."""
    prefix = prefix or f"t{secrets.token_hex(6)}"
    connection = await nats.connect(server.url, connect_timeout=30, max_reconnect_attempts=-1, reconnect_time_wait=0.1)
    one = Streams(connection.jetstream(), prefix)
    await one.jetstream.add_stream(name=one.results, subjects=[f"{prefix}.results.>", f"{prefix}.turns.>"])
    await one.jetstream.add_stream(name=one.chunks, subjects=[f"{prefix}.chunks.>"], discard="new", **chunks)
    try:
        yield one
    finally:
        for name in (one.results, one.chunks):
            await one.jetstream.delete_stream(name)
        await connection.close()
