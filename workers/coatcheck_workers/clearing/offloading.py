"""Store what is about to be cleared, so that its placeholder's ref leads back to it.

What a result's place gets is computed first, without a look at the store: its ref is its call and its text. Only then,
once it is decided what goes, that is stored; where the store fails nobody has lost anything.
"""

from collections.abc import Callable
from functools import partial
from time import monotonic

from coatcheck_core.arrival import Result, identify
from coatcheck_core.clearing import STAYS, ClearedResult, Rules, Slot, with_ref
from coatcheck_core.decision import Case
from coatcheck_core.expiry import FOR_EVER, is_expired
from coatcheck_core.layout import layout_of
from coatcheck_core.rules import Rules as KeepingRules
from coatcheck_core.rules import Stored
from coatcheck_core.tokens import counter
from coatcheck_schemas.errors import Code, InvalidInput, ObjectNotFound, RequestError
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import parse_ref
from coatcheck_schemas.results import Received
from coatcheck_schemas.segments import EMPTY, encode_segment
from coatcheck_schemas.subjects import CallAddress
from coatcheck_workers.isolation.synopses import synopsize_within
from coatcheck_workers.keeping.forming import formed
from coatcheck_workers.keeping.keeping import keep, kept_metadata
from coatcheck_workers.process.side_by_side import few_at_a_time
from coatcheck_workers.retrieval.missing import check_readable
from coatcheck_workers.retrieval.model import CLEARED_AT_A_TIME, Retrieval
from coatcheck_workers.retrieval.originals.loading import load_metadata
from coatcheck_workers.retrieval.threads import in_request_thread
from coatcheck_workers.streams.tombstone import is_of_before

_SHARE_OF_TIME = 0.7
"""Of what a request may take: after it nothing more is begun, so that whoever asks is told how far it came."""


class Offloading:
    """For one request: `placeholder_for` is asked in a thread, and then `keep` stores what was cleared."""

    def __init__(
        self, retrieval: Retrieval, session: str, rules: Rules, clock: Callable[[], float] = monotonic
    ) -> None:
        self._retrieval = retrieval
        self._session = session
        self._rules = rules
        self._clock = clock
        self._received_at = retrieval.now()
        self._results: dict[tuple[int, int], Result] = {}
        self._absent: set[str] = set()

    def placeholder_for(self, slot: Slot) -> str | None:
        """None where there is nothing to store: only a size, or a stub whose original is stored already.

        So is every stub taken that names this session, but for those that `are_stored` found to lead to nothing. A
        result whose call's id or tool's name is longer than may be stored stays: nobody asked to lose it, and the
        others need not wait for it.
        """
        if slot.is_light or not slot.text or (slot.ref is not None and not self._is_refused(slot.ref)):
            return None
        try:
            result = identify(self._address(slot), _received(slot), self._received_at)
        except InvalidInput:
            return STAYS
        self._results[slot.index, slot.number] = result
        return with_ref(self._rules.placeholder_of(slot.tool_name), result.ref, self._rules)

    async def are_stored(self, cleared: list[ClearedResult]) -> bool:
        """Whether every stub among them leads to what is stored; what does not is from now on a text like any other.

        Raises StoreError.
        """
        refs = {one.ref for one in cleared if one.ref is not None and not one.slot.is_light and one.slot.ref == one.ref}
        work = [partial(self._is_absent, ref) for ref in sorted(refs)]
        absent = {ref for ref in await few_at_a_time(work, CLEARED_AT_A_TIME) if ref is not None}
        if absent:
            self._absent |= absent
            self._results.clear()
        return not absent

    async def keep(self, cleared: list[ClearedResult]) -> None:
        """Raises StoreError, and RequestError `unavailable` while what is stored could go with what is deleted.

        So it does where the time is over before all are stored, and says in `stored` how many of the `results` are:
        those are found at the next try, which goes on from there.
        """
        places = [(one.slot.index, one.slot.number) for one in cleared]
        results = {self._results[place].result_id: self._results[place] for place in places if place in self._results}
        rules = _keeping_rules(self._retrieval)
        end = self._clock() + self._retrieval.settings.requests.timeout_seconds * _SHARE_OF_TIME

        async def kept_in_time(result: Result) -> bool:
            async with self._retrieval.clears:
                is_in_time = self._clock() < end
                if is_in_time:
                    await self._keep_one(result, rules)
                return is_in_time

        work = [partial(kept_in_time, result) for result in results.values()]
        stored = sum(await few_at_a_time(work, CLEARED_AT_A_TIME))
        if stored < len(results):
            raise _not_all(stored, len(results))

    def _is_refused(self, ref: str) -> bool:
        return ref in self._absent or parse_ref(ref).session != self._session

    async def _is_absent(self, ref: str) -> str | None:
        """The ref, where there is nothing to be read by it."""
        async with self._retrieval.clears:
            try:
                metadata = await load_metadata(self._retrieval, self._session, parse_ref(ref).result_id)
                check_readable(self._retrieval, self._session, metadata)
            except (ObjectNotFound, RequestError):
                return ref
            return None

    def _address(self, slot: Slot) -> CallAddress:
        return CallAddress(self._session, EMPTY, encode_segment(slot.call_id))

    async def _keep_one(self, result: Result, rules: KeepingRules) -> None:
        retrieval, rid = self._retrieval, result.result_id
        there = await kept_metadata(retrieval.store, retrieval.keys, self._session, rid)
        renews = retrieval.settings.storage.retention_days != FOR_EVER
        if there is not None and there.sha256 == result.sha256 and not renews and not self._is_void(there):
            return
        known = retrieval.tombstones.deleted_at(self._session, rid)
        if retrieval.tombstones.is_being_erased(self._session, rid):
            raise _being_deleted()
        stored = await in_request_thread(lambda: _stored(Case(result, rules)))
        if stored is None:
            raise RequestError(Code.INTERNAL, f"nothing was made of {result.ref} to be stored")
        stored = await formed(stored, retrieval.settings.storage)
        await keep(retrieval.store, retrieval.keys, self._session, stored, self._is_void, renews=renews)
        if retrieval.tombstones.deleted_at(self._session, rid) != known:
            raise _being_deleted()

    def _is_void(self, there: Metadata) -> bool:
        """Whether what is stored remains of a result that was deleted, or has expired: as good as nothing."""
        if is_expired(there, self._retrieval.settings.storage.retention_days, self._received_at):
            return True
        deleted_at = self._retrieval.tombstones.deleted_at(self._session, there.result_id)
        return deleted_at is not None and is_of_before(there.created_at, deleted_at)


def _received(slot: Slot) -> Received:
    """Its text alone: media stay where they are, in the conversation."""
    text = slot.text
    return Received(tool_name=slot.tool_name or "", data=text.encode(), text=text, call_id=slot.call_id)


def _stored(case: Case) -> Stored | None:
    return case.keep_only().stored


def _keeping_rules(retrieval: Retrieval) -> KeepingRules:
    settings = retrieval.settings
    return KeepingRules(
        settings=settings,
        keys=retrieval.keys,
        count=counter(settings.budget.unit),
        uri=retrieval.store.uri,
        max_event_bytes=retrieval.max_reply_bytes,
        layout=layout_of(settings.storage.layout, retrieval.keys),
        synopsize=partial(synopsize_within, settings.worker.synopsis_seconds),
    )


def _not_all(stored: int, results: int) -> RequestError:
    return RequestError(
        Code.UNAVAILABLE,
        f"{stored} of {results} results are stored so far, and nothing is cleared yet: ask the same again, and it goes"
        " on from there",
        stored=stored,
        results=results,
    )


def _being_deleted() -> RequestError:
    return RequestError(
        Code.UNAVAILABLE,
        "a result to be stored, or all of this session, is being deleted: nothing is cleared; try again",
    )
