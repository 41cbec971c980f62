"""The results of one turn: published, and their stubs gathered in the order of the calls."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType
from typing import NamedTuple, Self, Unpack

import msgspec
from nats.aio.subscription import Subscription

from coatcheck_schemas.errors import Code, InvalidInput, RequestError
from coatcheck_schemas.events import MAX_TURN_SIZE, StubEvent, TurnSettled
from coatcheck_schemas.requests import Replayed
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import CallAddress, Subjects, TurnAddress

from .asking import START_A_WORKER
from .carrying import InPieces, carry
from .connection import Connection
from .encoding import CallFields, Content, Envelope, Outgoing, ResultFields, describe
from .ending import END_SECONDS, send_end
from .feed import Feed
from .manifests import ManifestReplay, decode_settled
from .persisting import STALL_SECONDS
from .sending import PUBLISH_SECONDS, Published
from .streaming import ResultStream
from .stubs import decode_stub
from .twins import Twin
from .watching import Heard, Watch

logger = logging.getLogger("coatcheck")

SETTLED_SECONDS = 5.0
"""How long the end of a block waits for the manifest: it is made when the last result arrives, or the end does."""


class _Place(msgspec.Struct, frozen=True):
    """One stub that is waited for: under its subject, or the first of a call whose content others publish."""

    call: str
    subject: str | None
    twin_subject: str | None = None
    twin: Twin | None = None


class Outlets(NamedTuple):
    """How a client publishes: one message, or a stream of what may be more."""

    send: Callable[[Outgoing, float], Awaitable[Published]]
    stream: Callable[[Envelope, float, Outgoing | None], ResultStream]


class Turn:
    """One turn, within `async with`. Made by `Client.turn`.

    What it publishes bears the turn and its size. Leaving the block ends the turn, also by an exception, unless as many
    results as its size were published. `settled` is the turn's manifest once it has come: None before.
    """

    def __init__(
        self,
        connection: Connection,
        subjects: Subjects,
        session: str,
        at: TurnAddress,
        turn_id: str,
        size: int | None,
        *,
        replay: ManifestReplay,
        outlets: "Outlets",
        timeout: float,
    ) -> None:
        self._connection = connection
        self._subjects = subjects
        self._session = session
        self._at = at
        self._turn_id = turn_id
        self._size = size
        self._outlets = outlets
        self._timeout = timeout
        self._replay = replay
        self._watch = Watch(connection, Feed(), replay.page, self._receive)
        self._subscriptions: list[Subscription] = []
        self._places: dict[_Place, None] = {}
        self._calls: set[str] = set()
        self._wanted: set[str] = set()
        self._stubs: dict[str, StubEvent] = {}
        self._of_call: dict[str, StubEvent] = {}
        self._failed: dict[str, StubEvent] = {}
        self._older_failed: dict[str, StubEvent] = {}
        self._settled: TurnSettled | None = None
        self._sending = 0
        self._is_uncertain = False
        self._is_ended = False
        self._heard_live = False

    @property
    def settled(self) -> TurnSettled | None:
        """The manifest: what was decided of the turn's results, and why."""
        self._watch.drain()
        return self._settled

    async def publish(
        self,
        content: Content,
        *,
        tool_name: str,
        timeout: float = PUBLISH_SECONDS,  # noqa: ASYNC109 - it spans several tries
        **fields: Unpack[CallFields],
    ) -> Published:
        """Publish a result of this turn, as `Client.publish` does; its place among the stubs is that of this call."""
        envelope = self._describe(tool_name, fields)
        message = carry(self._connection, envelope, content)
        if isinstance(message, InPieces):
            async with self._streaming(message.envelope, timeout, message.known) as out:
                return await out.publish_all(message.data)
        place = _Place(message.at.call, None)
        if place not in self._places:
            place = self._place_of(message.at, message.result_id, message.twin)
        with self._placed(place):
            return await self._outlets.send(message, timeout)

    @asynccontextmanager
    async def stream(
        self, *, tool_name: str, stall_seconds: float = STALL_SECONDS, **fields: Unpack[CallFields]
    ) -> AsyncIterator[ResultStream]:
        """A result of this turn that is written as its tool produces it, as `Client.stream` gives one.

        Its place among the stubs is that of its begin. Its stub comes when the turn is decided: `stubs` gathers it.
        """
        async with self._streaming(self._describe(tool_name, fields), stall_seconds) as out, out:
            yield out

    @asynccontextmanager
    async def _streaming(
        self, envelope: Envelope, stall_seconds: float, known: Outgoing | None = None
    ) -> AsyncIterator[ResultStream]:
        """A new stream, with a place that is its call's until the content, and so the result's id, is known."""
        out = self._outlets.stream(envelope, stall_seconds, known)
        place = _Place(envelope.at.call, None)
        was_expected = place in self._places
        with self._placed(place, is_kept=lambda: out.is_open):
            yield out
        if out.published is not None and not was_expected:
            own = self._place_of(envelope.at, out.published.result_id, known.twin if known else None)
            self._want(own)
            self._places = {own if one == place else one: None for one in self._places}

    def _describe(self, tool_name: str, fields: CallFields) -> Envelope:
        if "turn" in fields or "turn_size" in fields:
            raise InvalidInput("turn and turn_size are the turn's own: give them to `client.turn`")
        bearing: ResultFields = {**fields, "turn": self._turn_id, "turn_size": self._size}
        return describe(self._session, tool_name, bearing)

    def _place_of(self, at: CallAddress, result_id: str, twin: Twin | None) -> _Place:
        other = None if twin is None else self._subjects.stubs(at.session, at.turn, twin.other_id)
        return _Place(at.call, self._subjects.stubs(at.session, at.turn, result_id), other, twin)

    @contextmanager
    def _placed(self, place: _Place, is_kept: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """While it is entered, the turn is not over; the place stays where that succeeds, or `is_kept` says so."""
        is_new = place not in self._places
        self._await(place)
        self._sending += 1
        try:
            yield
        except BaseException as error:
            self._is_uncertain |= not (isinstance(error, RequestError) and error.code is Code.TOO_LARGE)
            if is_new and not is_kept():
                self._places.pop(place, None)
            raise
        finally:
            self._sending -= 1

    def expect(self, *calls: str) -> None:
        """Gather the stub of each of these calls too, in this place: its tool publishes the result by itself."""
        for call in calls:
            self._await(_Place(encode_segment(call), None))
        self._watch.rewind(at_once=True)

    async def stubs(self) -> list[StubEvent]:
        """The stub event of each result that was published or expected, in that order; each once.

        This says that nothing more will be published: where that is less than the turn's size, the turn is ended, so
        that nobody waits for the rest. Raises RequestError `unavailable` where one does not come within the turn's
        `timeout`; it will come all the same.
        """
        return [event async for event in self]

    async def __aiter__(self) -> AsyncIterator[StubEvent]:
        """The same, each as soon as it and those before it are there."""
        if self._is_short():
            await self.end(self._known_size())
        deadline = asyncio.get_running_loop().time() + self._timeout
        for place in list(self._places):
            if (event := await self._wait_for(place, deadline)) is not None:
                yield event

    async def end(self, size: int | None = None) -> None:
        """Say that no more results come; with `size` how many there are, else what has been published is settled.

        Raises RequestError as `Client.publish` does.
        """
        await send_end(self._connection, self._subjects, self._session, self._at, self._turn_id, size)
        self._is_ended = True

    async def wait_settled(self, seconds: float = SETTLED_SECONDS) -> TurnSettled | None:
        """The manifest, or None where it does not come within so many seconds."""
        self._replay.wanted = self._settled is None
        await self._watch.until(lambda: self._settled is not None, seconds)
        return self._settled

    async def __aenter__(self) -> Self:
        wanted = (self._subjects.stubs(self._at.session, self._at.turn, "*"), self._subjects.settled(self._at))
        self._subscriptions = await self._connection.subscribe(wanted, self._watch.feed)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            async with asyncio.timeout(END_SECONDS + SETTLED_SECONDS):
                if self._has_begun and not self._is_ended and (self._size is None or self._is_short()):
                    await self.end(None if error is not None else self._known_size())
                if error is None and self._is_settled_later():
                    await self.wait_settled()
                elif error is None and self._places and self._settled is None:
                    self._receive_again(await self._replay.manifest())
        except (RequestError, TimeoutError) as problem:
            # Its results have their stubs, or will have them at the turn's deadline.
            logger.warning("the end of turn %r could not be told: %s", self._turn_id[:100], problem)
        finally:
            await self._connection.unsubscribe(self._subscriptions)
            self._watch.close()

    @property
    def _has_begun(self) -> bool:
        return bool(self._places) or self._is_uncertain

    def _await(self, place: _Place) -> None:
        self._places[place] = None
        self._calls.add(place.call)
        self._want(place)
        self._watch.rewind()

    def _want(self, place: _Place) -> None:
        self._wanted |= {one for one in (place.subject, place.twin_subject) if one is not None}

    def _is_short(self) -> bool:
        """Whether somebody would wait for results that do not come."""
        if self._size is None or self._is_ended or self._sending:
            return False
        return self._has_begun and len(self._places) < self._size

    def _known_size(self) -> int | None:
        """How many results there are, where that is known of all; else their end tells, which comes after them."""
        if self._is_uncertain or len(self._places) > MAX_TURN_SIZE:
            return None
        is_known = self._size is not None or any(place.subject is None for place in self._places)
        return len(self._places) or None if is_known else None

    def _is_settled_later(self) -> bool:
        """Whether the manifest may be yet to come: not where all stubs were there before, for then so was it."""
        is_new_to_us = self._heard_live or self._watch.feed.interruptions > 0
        is_missing = any(self._found(place) is None for place in self._places)
        return bool(self._places) and (is_new_to_us or is_missing)

    async def _wait_for(self, place: _Place, deadline: float) -> StubEvent | None:
        """None where its publishing failed meanwhile."""
        left = deadline - asyncio.get_running_loop().time()
        await self._watch.until(lambda: self._found(place) is not None or place not in self._places, left)
        event = self._found(place) or self._older_failed.get(place.call)
        if event is None and place in self._places:
            raise self._late(place)
        return event

    def _found(self, place: _Place) -> StubEvent | None:
        failed = self._failed.get(place.call)
        if place.subject is not None:
            return self._stub_of(place) or failed
        return self._of_call.get(place.call) or failed or self._older_failed.get(place.call)

    def _stub_of(self, place: _Place) -> StubEvent | None:
        event = self._stubs.get(str(place.subject))
        if place.twin is not None and (event is None or not place.twin.is_told_by(event)):
            return self._stubs.get(str(place.twin_subject))
        return event

    def _receive_again(self, events: Iterable[Replayed]) -> None:
        for replayed in events:
            self._receive(Heard(replayed.subject, replayed.event, live=False))

    def _receive(self, heard: Heard) -> None:
        if heard.subject == self._subjects.settled(self._at):
            self._settled = self._settled or decode_settled(heard.subject, heard.data)
            self._replay.wanted = False
            return
        call, _, content = heard.subject.rpartition(".")[2].rpartition("-")
        is_failed = content == "failed"
        is_wanted = is_failed or _Place(call, None) in self._places or heard.subject in self._wanted
        if call not in self._calls or not is_wanted or (event := decode_stub(heard.subject, heard.data)) is None:
            return
        self._heard_live |= heard.live
        if not is_failed:
            self._stubs[heard.subject] = event
            self._of_call.setdefault(call, event)
        elif heard.live:
            self._failed[call] = event
        else:
            # An older message's, perhaps: of a result that we published only taken where nothing better comes in time.
            self._older_failed[call] = event

    def _late(self, place: _Place) -> RequestError:
        missing = [one.call for one in self._places if self._found(one) is None]
        trouble = self._watch.trouble
        why = f" ({trouble})" if trouble else f"; if no worker runs, {START_A_WORKER}"
        return RequestError(
            Code.UNAVAILABLE,
            f"no stub of call {place.call} came within {self._timeout:g} s{why}; "
            "what was published is kept, its stub will come: wait longer, or watch for it",
            missing=missing,
        )
