"""Publishing to JetStream at a fraction of nats-py's cost a message.

nats-py's `publish` is a request: a random inbox token, a task's wait with a timer of its own, and the acknowledgement
read into a dict. Here all acknowledgements come to one inbox under a number, and one timer serves all that wait.
"""

import asyncio
from collections.abc import Mapping

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg

from coatcheck_schemas.errors import CoatcheckError
from coatcheck_workers.streams.words import in_words

MAX_OUTSTANDING = 1000
"""JetStream answers 429 where thousands are outstanding."""
_WRONG_LAST_SEQUENCE = (10071, 10164)
"""The second is a cluster's word, where another publish to that subject is on its way."""


class PublishError(CoatcheckError):
    """JetStream refused a message, or did not say that it took it; a later try may go through."""


class WrongLastSequence(PublishError):
    """Refused: something else came first under the subject that the message expected to be where it was."""


class _Refusal(msgspec.Struct, frozen=True):
    code: int
    err_code: int = 0
    description: str = ""


class _Acknowledgement(msgspec.Struct, frozen=True):
    seq: int | None = None
    error: _Refusal | None = None


_decoder = msgspec.json.Decoder(_Acknowledgement)


class Sender:
    """Publishes and waits for the acknowledgement; a bounded wait, and a bounded number of them."""

    def __init__(self, client: Client, timeout_seconds: float) -> None:
        self._client = client
        self._timeout_seconds = timeout_seconds
        self._inbox = client.new_inbox()
        self._subscribing = asyncio.Lock()
        self._subscribed = False
        self._slots = asyncio.Semaphore(MAX_OUTSTANDING)
        self._number = 0
        self._waiting: dict[str, tuple[float, asyncio.Future[Msg]]] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def send(self, subject: str, body: bytes, headers: Mapping[str, str]) -> int:
        """The message's sequence in its stream.

        Raises WrongLastSequence where an expectation among the headers fails (in a cluster also while another publish
        is on its way, which may yet fail), and PublishError where it is refused otherwise, or unknown whether it was
        stored.
        """
        try:
            async with self._slots:
                answer = await self._ask(subject, body, headers)
        except Exception as error:
            raise PublishError(f"{subject}: {in_words(error, self._timeout_seconds)}") from error
        return _read(subject, answer)

    async def _ask(self, subject: str, body: bytes, headers: Mapping[str, str]) -> Msg:
        if not self._subscribed:
            await self._subscribe()
        loop = asyncio.get_running_loop()
        self._number += 1
        reply = f"{self._inbox}.{self._number}"
        future: asyncio.Future[Msg] = loop.create_future()
        self._waiting[reply] = (loop.time() + self._timeout_seconds, future)
        if self._timer is None:
            self._timer = loop.call_later(self._timeout_seconds, self._give_up)
        try:
            await self._client.publish(subject, body, reply=reply, headers=dict(headers))
            return await future
        finally:
            del self._waiting[reply]

    async def _subscribe(self) -> None:
        async with self._subscribing:
            if not self._subscribed:
                await self._client.subscribe(f"{self._inbox}.*", cb=self._hear)
                self._subscribed = True

    async def _hear(self, message: Msg) -> None:
        waiting = self._waiting.get(message.subject)
        if waiting is not None and not waiting[1].done():
            waiting[1].set_result(message)

    def _give_up(self) -> None:
        """All wait equally long, so that the first of them is the next to run out of time."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._timer = None
        for deadline, future in self._waiting.values():
            if deadline > now:
                self._timer = loop.call_at(deadline, self._give_up)
                break
            if not future.done():
                future.set_exception(TimeoutError())


def _read(subject: str, answer: Msg) -> int:
    if not answer.data:
        raise PublishError(f"{subject}: no stream takes it")
    try:
        acknowledged = _decoder.decode(answer.data)
    except msgspec.MsgspecError as error:
        raise PublishError(f"{subject}: an acknowledgement that is none: {error}") from error
    refusal = acknowledged.error
    if refusal is not None:
        refused = WrongLastSequence if refusal.err_code in _WRONG_LAST_SEQUENCE else PublishError
        raise refused(f"{subject}: {refusal.description}")
    if acknowledged.seq is None:
        raise PublishError(f"{subject}: an acknowledgement without a sequence")
    return acknowledged.seq
