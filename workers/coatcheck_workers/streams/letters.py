"""Dead letters: read back from COAT_DLQ, with the body wherever it lies, and deleted with it.

A letter's headers say where the message came from and why it went no further (see coatcheck_core.failure, which
writes them). Whatever they hold is data: a letter that says nothing that can be read is still a letter.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import unquote

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as FetchTimeout
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import NotFoundError

from coatcheck_schemas.errors import InvalidSegment, ObjectNotFound
from coatcheck_schemas.letters import (
    ATTEMPTS_HEADER,
    BODY_HEADER,
    ERROR_HEADER,
    ORIGINAL_PREFIX,
    REASON_HEADER,
    RECEIVED_HEADER,
    SUBJECT_HEADER,
)
from coatcheck_schemas.segments import check_segment
from coatcheck_schemas.store import Store
from coatcheck_schemas.subjects import NOWHERE, CallAddress, Subjects
from coatcheck_workers.streams.publishing import PublishError
from coatcheck_workers.streams.words import in_words

STORE_FAILURE = "store_failure"
"""The reason of a letter whose result has its stub already: it only has to be stored."""
DELETED = "deleted"
"""The reason of the letter of what came too late: it has neither the message's body nor its headers."""

PAGE = 256
TIMEOUT_SECONDS = 5.0
_INACTIVE_SECONDS = 30.0
_NO_MESSAGE = 10037
_SIZE_HEADER = "Nats-Msg-Size"
_AWAY = (NatsError, OSError)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""No header of a letter that we wrote has one; one that has it could not be sent again."""
_BODY_KEY = re.compile(r"(?:[^/]+/)*v1/sessions/[^/]+/dead-letters/[^/]+")


class LettersAway(PublishError):
    """COAT_DLQ does not answer; a later try may go through."""


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """One dead letter.

    `time` is when it became one, `received_at` when NATS received the message itself, where the letter says so.
    `at` is the call that its own subject names (NOWHERE where the message named none), `subject` where the message came
    from. `headers` are the letter's, as they were. `body` is empty where the letter was read without it, or where it
    lies in object storage under `body_uri`; `body_bytes` is its length, None where only the store knows it.
    """

    sequence: int
    time: datetime
    received_at: datetime
    at: CallAddress
    subject: str
    reason: str
    error: str
    attempts: int
    headers: dict[str, str]
    body: bytes = b""
    body_bytes: int | None = None
    body_uri: str | None = None


class Letters:
    """The letters of one deployment. What JetStream does not answer raises LettersAway, object storage a StoreError.

    `store` is called only for a letter whose body lies in object storage: no other needs one.
    """

    def __init__(self, client: Client, subjects: Subjects, store: Callable[[], Store]) -> None:
        self._client = client
        self._subjects = subjects
        self._store = store
        self.stream = subjects.stream("dlq")
        self._jetstream = client.jetstream(timeout=TIMEOUT_SECONDS)

    async def get(self, sequence: int) -> Letter | None:
        """The letter with its body, or None where there is none (any more)."""
        return await self._get({"seq": sequence})

    async def find(self, at: CallAddress, message_id: str) -> Letter | None:
        """The letter of one message, by its `Nats-Msg-Id`, among those of its call."""
        after = 0
        while (letter := await self._get({"seq": after + 1, "next_by_subj": self._subjects.dlq(at)})) is not None:
            if letter.headers.get("Nats-Msg-Id") == message_id:
                return letter
            after = letter.sequence
        return None

    async def _get(self, request: dict[str, Any]) -> Letter | None:
        found = await self._ask("GET", request)
        if found.message is None:
            if found.error is not None and found.error.err_code == _NO_MESSAGE:
                return None
            raise self._away(found.error.description if found.error is not None else "an empty reply")
        kept = found.message
        headers = read_headers(kept.hdrs)
        return letter_of(self._subjects, kept.seq, kept.time, kept.subject, headers, kept.data)

    async def _ask(self, verb: str, request: dict[str, Any]) -> "_Found":
        """Of the stream's leader."""
        try:
            subject = f"$JS.API.STREAM.MSG.{verb}.{self.stream}"
            reply = await self._client.request(subject, msgspec.json.encode(request), timeout=TIMEOUT_SECONDS)
        except _AWAY as error:
            raise self._away(error) from error
        return msgspec.json.decode(reply.data, type=_Found)

    async def last_sequence(self) -> int:
        try:
            return int((await self._jetstream.stream_info(self.stream)).state.last_seq)
        except _AWAY as error:
            raise self._away(error) from error

    async def scan(self, *, session: str | None = None, after: int = 0) -> AsyncGenerator[Letter, None]:
        """The letters after a sequence as they lie in the stream, without their bodies; of one session's segment."""
        config = ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=after + 1,
            ack_policy=AckPolicy.NONE,
            inactive_threshold=_INACTIVE_SECONDS,
            mem_storage=True,
            num_replicas=1,
            headers_only=True,
        )
        filtered = f"{self._subjects.prefix}.dlq.{'>' if session is None else f'{session}.>'}"
        try:
            pull = await self._jetstream.pull_subscribe(filtered, stream=self.stream, config=config)
            try:
                async for message in _pulled(pull):
                    yield self._without_body(message)
            finally:
                with suppress(*_AWAY):  # else the server drops it soon
                    await pull.unsubscribe()
                    await self._jetstream.delete_consumer(self.stream, config.name or "")
        except _AWAY as error:
            raise self._away(error) from error

    async def body(self, letter: Letter) -> bytes:
        """The body of a letter that was read whole. Raises ObjectNotFound where the store does not have it."""
        if letter.body_uri is None:
            return letter.body
        key = self._body_key(letter)
        if key is None:
            raise ObjectNotFound(letter.body_uri)
        return await self._store().get(key)

    async def delete(self, letter: Letter) -> None:
        """The body's object, then the letter; no error where it is gone already."""
        key = self._body_key(letter)
        if key is not None:
            await self._store().delete(key)
        # Without erasing: nats-server 2.14 was seen to crash at a delete that overwrites what it deletes.
        found = await self._ask("DELETE", {"seq": letter.sequence, "no_erase": True})
        if found.error is not None and found.error.err_code != _NO_MESSAGE:
            raise self._away(found.error.description)

    def _without_body(self, message: Msg) -> Letter:
        at = message.metadata
        return letter_of(self._subjects, at.sequence.stream, at.timestamp, message.subject, message.headers or {}, None)

    def _body_key(self, letter: Letter) -> str | None:
        """The object's key; None where the letter names none, or one that no letter of ours can have."""
        if letter.body_uri is None:
            return None
        key = letter.body_uri.removeprefix(self._store().uri(""))
        return key if key != letter.body_uri and _BODY_KEY.fullmatch(key) else None

    def _away(self, why: Any) -> LettersAway:
        if isinstance(why, NotFoundError):
            return LettersAway(f"stream {self.stream} does not exist: run `coatcheck provision`")
        return LettersAway(f"the stream {self.stream} does not answer: {in_words(why, TIMEOUT_SECONDS)}")


def letter_of(
    subjects: Subjects,
    sequence: int,
    time: datetime,
    subject: str,
    headers: dict[str, str],
    body: bytes | None,
) -> Letter:
    """What a message of COAT_DLQ says; `body` is None where it was read without it."""
    attempts = headers.get(ATTEMPTS_HEADER, "")
    uri = headers.get(BODY_HEADER)
    size = headers.get(_SIZE_HEADER, "") if body is None else str(len(body))
    return Letter(
        sequence=sequence,
        time=time,
        received_at=_time(headers) or time,
        at=_address(subjects, subject),
        subject=_said(headers, SUBJECT_HEADER),
        reason=_said(headers, REASON_HEADER),
        error=_said(headers, ERROR_HEADER),
        attempts=int(attempts) if attempts.isascii() and attempts.isdigit() and len(attempts) < 10 else 0,
        headers={name: value for name, value in headers.items() if body is not None or name != _SIZE_HEADER},
        body=body or b"",
        body_bytes=int(size) if uri is None and size.isascii() and size.isdigit() else None,
        body_uri=uri,
    )


def restored_headers(letter: Letter) -> dict[str, str]:
    """The original's headers again, but for those by which a stream would act: none that begins with `Nats-`."""
    restored: dict[str, str] = {}
    for name, value in letter.headers.items():
        bare = name[len(ORIGINAL_PREFIX) :] if name.lower().startswith(ORIGINAL_PREFIX.lower()) else name
        acts = bare.lower().startswith("nats-")
        of_the_letter = bare == name and name.lower().startswith("coat-")
        if bare and not acts and not of_the_letter and not _CONTROL.search(f"{bare}{value}"):
            restored[bare] = value
    return restored


def read_headers(raw: bytes) -> dict[str, str]:
    """The headers of a message as its stream keeps them; of bytes that are no UTF-8, the escape."""
    headers: dict[str, str] = {}
    for line in raw.split(b"\r\n")[1:]:
        name, colon, value = line.partition(b":")
        if colon and name.strip():
            headers[_text(name.strip())] = _text(value.strip())
    return headers


async def _pulled(pull: JetStreamContext.PullSubscription) -> AsyncIterator[Msg]:
    """All that a consumer has. Nothing may come of a fetch once: what it was to bring has been deleted meanwhile."""
    empty = 0
    while pending := (await pull.consumer_info()).num_pending:
        try:
            messages = await pull.fetch(min(pending, PAGE), timeout=TIMEOUT_SECONDS)
        except FetchTimeout:
            empty += 1
            if empty > 1:
                raise
            continue
        empty = 0
        for message in messages:
            yield message


class _Kept(msgspec.Struct, frozen=True):
    subject: str
    seq: int
    time: datetime
    hdrs: bytes = b""
    data: bytes = b""


class _Failure(msgspec.Struct, frozen=True):
    err_code: int = 0
    description: str = ""


class _Found(msgspec.Struct, frozen=True):
    """The reply of `STREAM.MSG.GET` and `STREAM.MSG.DELETE`, which the stream's leader gives."""

    message: _Kept | None = None
    error: _Failure | None = None


def _said(headers: dict[str, str], name: str) -> str:
    return unquote(headers.get(name, ""), errors="backslashreplace")


def _time(headers: dict[str, str]) -> datetime | None:
    try:
        said = datetime.fromisoformat(headers.get(RECEIVED_HEADER, ""))
    except ValueError:
        return None
    return said if said.tzinfo else None


def _text(raw: bytes) -> str:
    return raw.decode(errors="backslashreplace")


def _address(subjects: Subjects, subject: str) -> CallAddress:
    segments = subject.removeprefix(f"{subjects.prefix}.dlq.").split(".")
    try:
        return CallAddress(*map(check_segment, segments))
    except (InvalidSegment, TypeError):  # TypeError: not three of them
        return NOWHERE
