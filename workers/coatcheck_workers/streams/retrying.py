"""Try a dead letter again: its message goes back to where it came from, or a worker is told to store what it holds."""

from nats.aio.client import Client

from coatcheck_schemas.errors import CoatcheckError, InvalidSubject, ObjectNotFound
from coatcheck_schemas.letters import BODY_HEADER, ORIGINAL_PREFIX
from coatcheck_schemas.pieces import MESSAGE_ID
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.streams.letters import DELETED, STORE_FAILURE, Letter, Letters, restored_headers
from coatcheck_workers.streams.publishing import Publisher

_HEADER_LINE_BYTES = 4
_STATUS_LINE_BYTES = 12


class NotRetryable(CoatcheckError):
    """This letter cannot be tried again; the message says why, and what to do with it."""


class Retrying:
    """Retries letters one by one; each is deleted only once its message is where it is to be handled."""

    def __init__(self, client: Client, subjects: Subjects, letters: Letters, publisher: Publisher) -> None:
        self._client = client
        self._subjects = subjects
        self._letters = letters
        self._publisher = publisher

    async def retry(self, letter: Letter) -> str:
        """The subject that a letter, read whole, was published to again. Raises NotRetryable, PublishError, StoreError.

        A letter of `store_failure` stays: the worker that stores its result deletes it.
        """
        if letter.reason == STORE_FAILURE:
            subject = self._subjects.due(letter.at.at_turn, "letter", str(letter.sequence))
            await self._publisher.append(subject, b"", {})
            return subject
        if letter.reason == DELETED:
            raise NotRetryable("what was deleted is not kept: have its tool publish it again, then drop the letter")
        subject = self._origin(letter)
        body = await self._body(letter)
        headers = restored_headers(letter)
        # Of this letter, so that a retry which is cut off before the letter is gone can be repeated; never the
        # original's, which the stream may still know, and then it would take nothing; and none that an agent foretells.
        headers[MESSAGE_ID] = _message_id(letter, body)
        self._check_size(body, headers)
        await self._publisher.append(subject, body, headers)
        await self._letters.delete(letter)
        return subject

    def _origin(self, letter: Letter) -> str:
        """Where the message came from, as far as a retry can mean something there."""
        problems = []
        for parse in (self._subjects.parse_result, self._subjects.parse_turn_end):
            try:
                parse(letter.subject)
            except InvalidSubject as error:
                problems.append(error)
            else:
                return letter.subject
        raise NotRetryable(
            f"it came from a subject that names no call ({problems[0]}): publish its body to a right one "
            f"(`coatcheck dlq show {letter.sequence} --raw`), then drop it"
        )

    async def _body(self, letter: Letter) -> bytes:
        try:
            return await self._letters.body(letter)
        except ObjectNotFound:
            raise NotRetryable(
                f"its body is not in object storage any more ({BODY_HEADER}: {letter.body_uri}): drop it"
            ) from None

    def _check_size(self, body: bytes, headers: dict[str, str]) -> None:
        """Over the limit the server would end the connection."""
        lines = sum(len(name.encode()) + len(value.encode()) + _HEADER_LINE_BYTES for name, value in headers.items())
        size = len(body) + lines + _STATUS_LINE_BYTES
        if size > self._client.max_payload:
            raise NotRetryable(f"{size} bytes are more than the {self._client.max_payload} that one message carries")


def _message_id(letter: Letter, body: bytes) -> str:
    """The same for each try of a letter; only who knows its content and its random id could tell it."""
    original = letter.headers.get(f"{ORIGINAL_PREFIX}{MESSAGE_ID}", "")
    told = f"{letter.sequence} {letter.time.timestamp():.6f} {original} {sha256_hex(body)}"
    return sha256_hex(told.encode())
