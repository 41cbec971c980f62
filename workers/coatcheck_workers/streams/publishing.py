"""What a worker writes to JetStream: stub events, each once, and dead letters."""

from collections.abc import Callable, Mapping
from time import perf_counter

from nats.aio.client import Client
from nats.js.errors import NotFoundError

from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.streams.sending import PublishError, Sender, WrongLastSequence
from coatcheck_workers.streams.words import in_words

__all__ = ["EXPECTED_LAST", "PublishError", "Publisher", "WrongLastSequence"]

EXPECTED_LAST = "Nats-Expected-Last-Subject-Sequence"
_NOTHING_THERE = {EXPECTED_LAST: "0"}

Told = Callable[[str, float, BaseException | None], None]
"""`stub` or `append`, the seconds to the acknowledgement, and what it raised; it raises nothing, and takes no time."""


class Publisher:
    """Publishes with a bounded wait; every failure is a PublishError."""

    def __init__(
        self,
        client: Client,
        subjects: Subjects,
        timeout_seconds: float,
        *,
        carried: Callable[[], Mapping[str, str]] = dict,
        told: Told = lambda operation, seconds, error: None,
    ) -> None:
        """`carried` are headers of a trace that go with each stub event."""
        self._carried = carried
        self._told = told
        self._jetstream = client.jetstream()
        self._subjects = subjects
        self._sender = Sender(client, timeout_seconds)

    async def once(self, subject: str, body: bytes) -> bool:
        """Let `subject` be stored in COAT_STUBS and heard, where nothing is under it yet.

        False where something is, and then nothing changes and nobody hears anything.

        The rule is the stream's, so it holds for as long as the stream keeps the message, among any number of
        workers. A message id would hold for the stream's duplicate window only.
        """
        carried = self._carried()
        headers = {**carried, **_NOTHING_THERE} if carried else _NOTHING_THERE
        try:
            await self._send("stub", self._subjects.to_outbound(subject), body, headers)
        except WrongLastSequence:
            await self._confirm(subject)
            return False
        return True

    async def append(self, subject: str, body: bytes, headers: dict[str, str]) -> int:
        """Publish; the message's sequence in its stream.

        A `Nats-Msg-Id` among the headers makes a repetition harmless for minutes, an expectation for good. Raises
        WrongLastSequence where the expectation fails (in a cluster also while another publish is on its way, which may
        yet fail), and PublishError where it is unknown whether the message was stored.
        """
        return await self._send("append", subject, body, headers)

    async def _send(self, operation: str, subject: str, body: bytes, headers: Mapping[str, str]) -> int:
        began = perf_counter()
        try:
            sequence = await self._sender.send(subject, body, headers)
        except BaseException as error:
            self._told(operation, perf_counter() - began, error)
            raise
        self._told(operation, perf_counter() - began, None)
        return sequence

    async def _confirm(self, subject: str) -> None:
        """Ask the leader: in a cluster a publish is also refused while another one is on its way, and may yet fail."""
        try:
            await self._jetstream.get_last_msg(self._subjects.stream("stubs"), subject)
        except NotFoundError as error:
            raise PublishError(f"{subject}: refused, and yet there is nothing under it") from error
        except Exception as error:
            raise PublishError(f"{subject}: {in_words(error)}") from error
