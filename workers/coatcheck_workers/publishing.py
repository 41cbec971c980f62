"""What a worker writes to JetStream: stub events, each once, and dead letters."""

import logging

from nats.js import JetStreamContext
from nats.js.errors import APIError, NotFoundError

from coatcheck_schemas.errors import CoatcheckError
from coatcheck_schemas.subjects import Subjects

log = logging.getLogger("coatcheck.publishing")

EXPECTED_LAST = "Nats-Expected-Last-Subject-Sequence"
_WRONG_LAST_SEQUENCE = 10071


class PublishError(CoatcheckError):
    """JetStream refused a message, or did not say that it took it; a later try may go through."""


class WrongLastSequence(PublishError):
    """Refused: something else came first under the subject that the message expected to be where it was."""


class Publisher:
    """Publishes with a bounded wait; every failure is a PublishError."""

    def __init__(self, jetstream: JetStreamContext, subjects: Subjects, timeout_seconds: float) -> None:
        self._jetstream = jetstream
        self._subjects = subjects
        self._timeout_seconds = timeout_seconds

    async def once(self, subject: str, body: bytes) -> bool:
        """Let `subject` be stored in COAT_STUBS and heard, where nothing is under it yet.

        False where something is, and then nothing changes and nobody hears anything.

        The rule is the stream's, so it holds for as long as the stream keeps the message, among any number of
        workers. A message id would hold for the stream's duplicate window only.
        """
        try:
            await self._publish(self._subjects.to_outbound(subject), body, {EXPECTED_LAST: "0"})
        except APIError as error:
            if error.err_code != _WRONG_LAST_SEQUENCE:
                raise PublishError(f"{subject}: {error.description}") from error
            await self._confirm(subject)
            return False
        return True

    async def message(self, subject: str, body: bytes, headers: dict[str, str]) -> None:
        """Publish; a `Nats-Msg-Id` among the headers makes a repetition harmless."""
        try:
            await self._publish(subject, body, headers)
        except APIError as error:
            raise PublishError(f"{subject}: {error.description}") from error

    async def append(self, subject: str, body: bytes, headers: dict[str, str]) -> int:
        """Publish with an expectation among the headers; returns the message's sequence in its stream.

        Raises WrongLastSequence where the expectation fails (in a cluster also while another publish is on its way,
        which may yet fail), and PublishError where it is unknown whether the message was stored.
        """
        try:
            return await self._publish(subject, body, headers)
        except APIError as error:
            refused = WrongLastSequence if error.err_code == _WRONG_LAST_SEQUENCE else PublishError
            raise refused(f"{subject}: {error.description}") from error

    async def _publish(self, subject: str, body: bytes, headers: dict[str, str]) -> int:
        try:
            stored = await self._jetstream.publish(subject, body, timeout=self._timeout_seconds, headers=headers)
            return stored.seq
        except APIError:
            raise
        except Exception as error:
            # Timed out, no stream, connection lost: unknown whether it was stored, and safe to repeat.
            raise PublishError(f"{subject}: {error or type(error).__name__}") from error

    async def _confirm(self, subject: str) -> None:
        """Ask the leader: in a cluster a publish is also refused while another one is on its way, and may yet fail."""
        try:
            await self._jetstream.get_last_msg(self._subjects.stream("stubs"), subject)
        except NotFoundError as error:
            raise PublishError(f"{subject}: refused, and yet there is nothing under it") from error
        except Exception as error:
            raise PublishError(f"{subject}: {error or type(error).__name__}") from error
