"""The client: publish results, receive stubs, read originals back."""

import asyncio
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, BinaryIO, Unpack

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.requests import ReplayReply, ReplayRequest
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import Subjects, TurnAddress

from .carrying import InPieces, carry
from .connection import Connection
from .encoding import Content, Envelope, Outgoing, ResultFields, Segment, describe, session_segment
from .ending import check_size, send_end
from .manifests import ManifestReplay
from .paging import Replay
from .persisting import STALL_SECONDS
from .putting import publish_file, upload_file
from .requesting import Requests
from .sending import PUBLISH_SECONDS, Published, send
from .streaming import SUBMIT_SECONDS, ResultStream
from .stubs import StubStream
from .submitting import Awaited
from .turns import Outlets, Turn
from .uploading import Edges

if TYPE_CHECKING:
    import ssl

    from coatcheck.tools import Language, ToolAnswer
    from coatcheck_core.settings import Settings

    from .offloading import OldResult

TURN_SECONDS = 90.0
"""Above the deadline at which workers settle a turn that stays unfinished, 60 s by default."""
PUBLISHES_IN_FLIGHT = 256
"""JetStream refuses thousands at a time; more than these wait here."""


class Client(Requests):
    """What an agent or a tool does with Coatcheck, over one connection. Made by `connect`; many tasks may share it.

    `session` is everywhere an id of any shape (or a `Segment`, as a reference has it). Errors: InvalidInput where an
    argument is wrong, RequestError otherwise, `code` and message saying what to do.
    """

    def __init__(self, connection: Connection, subjects: Subjects, storage_tls: "ssl.SSLContext | None" = None) -> None:
        super().__init__(connection, subjects)
        self._storage_tls = storage_tls
        self._publishes = asyncio.Semaphore(PUBLISHES_IN_FLIGHT)

    @property
    def max_payload(self) -> int:
        """The bytes that one message carries, its headers included."""
        return self._connection.max_payload

    async def publish(
        self,
        session: str,
        content: Content,
        *,
        tool_name: str,
        timeout: float = PUBLISH_SECONDS,  # noqa: ASYNC109 - it spans several tries
        **fields: Unpack[ResultFields],
    ) -> Published:
        """Publish a tool's result; returned once its stream has it on disk.

        Within `timeout` seconds a try without acknowledgement is repeated under the same message id, so that the
        result is there once. Each call is a new message: a result that was published before is recognised by its call
        and content. More than one message carries goes in pieces, and `timeout` is then how long a stream may take
        nothing of it. Raises RequestError `too_large` for fields that no message carries, before
        anything is sent, and `unavailable` where there is no stream, it is full, or NATS does not answer.
        """
        envelope = describe(session, tool_name, fields)
        message = carry(self._connection, envelope, content)
        if isinstance(message, InPieces):
            return await self._stream(message.envelope, timeout, message.known).publish_all(message.data)
        return await self._send(message, timeout)

    async def submit(
        self,
        session: str,
        content: Content,
        *,
        tool_name: str,
        timeout: float = SUBMIT_SECONDS,  # noqa: ASYNC109
        **fields: Unpack[ResultFields],
    ) -> StubEvent:
        """Publish a result and wait for its stub event; `content` of that goes into the agent's tool message.

        A result that has its stub already gets that one. Raises as `publish` does, and RequestError `unavailable`
        where no stub comes within `timeout` seconds, of pieces after the last: the result is kept all the same, and its
        stub will come.
        """
        envelope = describe(session, tool_name, fields)
        message = carry(self._connection, envelope, content)
        if isinstance(message, InPieces):
            stream = self._stream(message.envelope, STALL_SECONDS, message.known)
            return await stream.submit_all(message.data, timeout)
        clock = asyncio.get_running_loop().time
        deadline = clock() + timeout
        awaited = self._awaited(envelope)
        async with awaited.listening(message, timeout):
            published = await self._send(message, min(timeout, PUBLISH_SECONDS))
            return await awaited.stub(published, deadline - clock(), timeout)

    def stream(
        self,
        session: str,
        *,
        tool_name: str,
        stall_seconds: float = STALL_SECONDS,
        **fields: Unpack[ResultFields],
    ) -> ResultStream:
        """A result that is written as its tool produces it, of any size, within `async with`: see ResultStream.

        What fits one message goes as one event at the end; as soon as it is more, what is there is sent in pieces, in
        memory of some MiB. A full stream, or a NATS that is away, slows the writer; where nothing is taken for
        `stall_seconds`, that is a RequestError (`unavailable`). Raises InvalidInput where a field is wrong.
        """
        return self._stream(describe(session, tool_name, fields), stall_seconds)

    async def upload(
        self,
        session: str,
        file: str | os.PathLike[str] | BinaryIO,
        *,
        tool_name: str,
        timeout: float = SUBMIT_SECONDS,  # noqa: ASYNC109
        progress: Callable[[int], None] | None = None,
        **fields: Unpack[ResultFields],
    ) -> StubEvent:
        """Put a file straight into object storage, publish the event that names it, and wait for its stub event.

        For a producer that reaches the store: nothing of the content goes through NATS. `file` is a path, or a file
        that is open for binary reading and can be sought in; it is read from its start. `progress` is called in another
        thread with how many bytes are put. Raises InvalidInput for what has no size, OSError where it cannot be read,
        RequestError where the store does not take it, or as `submit` does; `timeout` counts from when it is published.
        """
        envelope = describe(session, tool_name, fields)
        return await upload_file(
            self._edges(), self._ask, session, envelope, file, timeout, progress, self._storage_tls
        )

    async def publish_file(
        self,
        session: str,
        file: str | os.PathLike[str] | BinaryIO,
        *,
        tool_name: str,
        timeout: float = PUBLISH_SECONDS,  # noqa: ASYNC109
        progress: Callable[[int], None] | None = None,
        **fields: Unpack[ResultFields],
    ) -> Published:
        """As `upload`, without waiting for a stub: for a tool, whose stubs go to its agent. Raises as `publish` too."""
        envelope = describe(session, tool_name, fields)
        return await publish_file(
            self._edges(), self._ask, session, envelope, file, timeout, progress, self._storage_tls
        )

    def stubs(
        self, session: str, *, turn: str | None = None, after: str | None = None, from_start: bool = False
    ) -> StubStream:
        """The session's stub events as they come, or those of one turn.

        `after` goes on from a cursor of `replay` (or of an earlier iterator), `from_start` from the oldest event kept.
        What was missed is replayed, after a break of the connection and every ten seconds; each event comes once.
        """
        segment = session_segment(session)
        subject = self._subjects.session_stubs(segment)
        if turn is not None:
            subject = self._subjects.stubs(segment, encode_segment(turn), "*")
        replay = self._replay_of(segment, turn)
        return StubStream(self._connection, subject, replay, after=after, from_start=from_start)

    def turn(
        self,
        session: str,
        turn: str,
        *,
        size: int | None = None,
        timeout: float = TURN_SECONDS,
    ) -> Turn:
        """A turn's results and stubs together, within `async with`; `size` is how many results it has, if known.

        `size` is what this block publishes or expects: two agents that share a turn name each other's calls with
        `Turn.expect`, else the first to leave its block ends the turn for both.

        With a size the workers decide once all have arrived, so that small results stay whole and the largest give way
        where all together are too much; without, each as it arrives. `timeout` is how many seconds a stub is waited
        for. Raises InvalidInput for an empty turn id, or a size that no turn has.
        """
        if not turn:
            raise InvalidInput("a turn needs an id: what has none belongs to no turn")
        check_size(size)
        at = TurnAddress(session_segment(session), encode_segment(turn))
        return Turn(
            self._connection,
            self._subjects,
            session,
            at,
            turn,
            size,
            replay=ManifestReplay(self._replay_of(at.session, turn), self._replay_of(at.session, turn, settled=True)),
            outlets=Outlets(send=self._send, stream=self._stream),
            timeout=timeout,
        )

    async def end_turn(self, session: str, turn: str, *, size: int | None = None) -> None:
        """Say that no more results come in a turn: what there is is settled; with `size`, once so many are there.

        Returned once the stream has it. Raises as `publish` does.
        """
        at = TurnAddress(session_segment(session), encode_segment(turn))
        await send_end(self._connection, self._subjects, session, at, turn, size, PUBLISH_SECONDS)

    async def call_tool(
        self,
        session: str,
        name: str,
        arguments: object = None,
        *,
        settings: "Settings | None" = None,
        language: "Language | None" = None,
        names: Iterable[str] | None = None,
    ) -> "ToolAnswer":
        """Run the tool that a model called, one of `coatcheck.tools.definitions`; the answer's text is for the model.

        `arguments` are an object or its JSON, as the model gave them. What it did wrong, and what the service answers
        with an error, is told in the text (`is_error`), with what to do. The text is at most
        `retrieval.tool_max_chars` long and says how to go on. `names` are those of the tools that the model was told
        of, as `definitions` takes them; another is none then. `settings` are by default those of the environment, and
        must name the tools as the workers' do, for that is how stubs call them; `language` is by default theirs.
        Raises InvalidInput for a session that is no id and a name among `names` that is no tool's, ConfigError for the
        environment.
        """
        from coatcheck.tools.calling import call_tool

        settings = self._settings(settings)
        return await call_tool(self, session, name, arguments, settings=settings, language=language, names=names)

    async def close(self) -> None:
        """Close the connection; iterators end. `connect` does it."""
        await self._connection.close()

    async def _keep_apart(self, session: str, result: "OldResult") -> str | None:
        """Published without a turn, under its call's id: it is not shown to anybody again."""
        try:
            event = await self.submit(session, result.text, tool_name=result.tool_name, call=result.call_id)
        except InvalidInput:
            return None
        return event.ref

    async def _send(self, message: Outgoing, seconds: float) -> Published:
        async with self._publishes:
            return await send(self._connection, self._subjects, message, seconds)

    def _stream(self, envelope: Envelope, stall_seconds: float, known: Outgoing | None = None) -> ResultStream:
        return ResultStream(self._edges(), envelope, stall_seconds, known)

    def _edges(self) -> Edges:
        return Edges(self._connection, self._subjects, self._awaited)

    def _awaited(self, envelope: Envelope) -> Awaited:
        replay = self._replay_of(envelope.at.session, envelope.event.get("turn_id", ""))
        return Awaited(self._connection, self._subjects, envelope.at, replay)

    def _replay_of(self, session: str, turn: str | None, *, settled: bool = False) -> Replay:
        async def replay(after: str | None, limit: int) -> ReplayReply:
            request = ReplayRequest(turn_id=turn, after=after, limit=limit, settled=settled)
            return await self._ask("replay", Segment(session), request, ReplayReply)

        return replay
