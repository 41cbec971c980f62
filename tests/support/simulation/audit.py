"""What must be true at the end of every simulation, whatever befell it."""

from collections import Counter
from collections.abc import Iterator

import msgspec
import zstandard
from tests.support import turn_model
from tests.support.simulation.published import Published
from tests.support.simulation.scenarios import Scenario
from tests.support.simulation.streams import Stream
from tests.support.simulation.world import ANSWER_SECONDS, World

from coatcheck_core.arrival import Result, identify
from coatcheck_core.turns import Entry, ResultEntry, read_entry
from coatcheck_core.uploaded import received_whole
from coatcheck_schemas import pieces
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.events import StubEvent, TurnSettled
from coatcheck_schemas.refs import failed_id
from coatcheck_schemas.results import decode_result, decode_turn_end
from coatcheck_schemas.said import what_is_said
from coatcheck_schemas.segments import EMPTY
from coatcheck_schemas.subjects import CallAddress, TurnAddress
from coatcheck_workers.streams.ports import Kept

MOST_PROBLEMS = 5
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def audit(world: World, scenario: Scenario) -> list[str]:
    """Everything that is wrong, in words."""
    return [*world.problems[:MOST_PROBLEMS], *Audit(world, scenario).problems()][:MOST_PROBLEMS]


class Audit:
    """What was published, sorted, and what is wrong with what came of it."""

    def __init__(self, world: World, scenario: Scenario) -> None:
        self.world = world
        self.scenario = scenario
        self.results: dict[str, Result] = {}
        """What was published, by the subject of its stub event."""
        self.failed: dict[str, Published] = {}
        self.broken: Counter[str] = Counter()
        """Why messages come to nothing."""
        self.turns: dict[TurnAddress, list[Published]] = {}
        self.ended: set[TurnAddress] = set()
        self.sized: dict[TurnAddress, dict[str, list[bool]]] = {}
        """By turn and result, of each time that it was published whether it said how many there are."""
        for one in scenario.published:
            self._sort_in(one)
        self.stubs = {kept.subject: kept.body for kept in world.streams["stubs"].messages.values()}

    def problems(self) -> Iterator[str]:
        yield from self.left_over()
        yield from self._one_each()
        for subject, result in self.results.items():
            if subject in self.stubs:
                yield from self.content(subject, result)
        for at in self.turns:
            yield from self._turn(at)
        yield from self._letters()

    def _sort_in(self, one: Published) -> None:
        subjects = self.world.subjects
        if one.subject.startswith(subjects.turn_ends):
            self.ended.add(subjects.parse_turn_end(one.subject))
            self.turns.setdefault(subjects.parse_turn_end(one.subject), [])
            decode_turn_end(one.body)
            return
        if not self.world.is_result(one.subject):
            return
        address = subjects.parse_result(one.subject)
        if address.turn != EMPTY:
            self.turns.setdefault(address.at_turn, []).append(one)
        reason = one.fails
        try:
            received = decode_result(one.headers, one.body)
        except InvalidInput as error:
            reason = getattr(error, "reason", "")
        if reason:
            stub = subjects.stubs(address.session, address.turn, failed_id(address.call))
            self.failed[stub] = one
            self.broken[reason] += 1
            self._note_size(address, stub, what_is_said(one.headers, one.body).turn_size)
            return
        if one.uploaded is not None:
            received = received_whole(received, one.uploaded)
        result = identify(address, received, self.world.loop.now())
        if address.call in self.scenario.spoiled:
            self.failed[subjects.stubs(address.session, address.turn, failed_id(address.call))] = one
        else:
            self.results[subjects.stubs(address.session, address.turn, result.result_id)] = result
        self._note_size(address, result.result_id, received.turn_size)

    def _note_size(self, address: CallAddress, name: str, turn_size: int | None) -> None:
        if address.turn != EMPTY:
            said = self.sized.setdefault(address.at_turn, {}).setdefault(name, [])
            said.append(turn_size is not None)

    def left_over(self) -> Iterator[str]:
        for name in ("results", "held"):
            stream: Stream = self.world.streams[name]
            yield from (f"{kept.subject} is left in {stream.name}" for kept in stream.messages.values())
        if self.world.faults == 0 and self.world.streams["chunks"].messages:
            yield "pieces are left"
        elif not self.world.had_late:
            yield from self._pieces_left()
        if not self.world.had_late:
            yield from (f"{key} is left in the store" for key in self.world.store._objects if self._is_passing(key))
            yield from (f"{key} is half put" for key in self.world.multiparts)

    def _pieces_left(self) -> Iterator[str]:
        """A last message alone may stay; or, until they are too old, pieces that came after it or were given up."""
        left: dict[str, list[Kept]] = {}
        for kept in self.world.streams["chunks"].messages.values():
            left.setdefault(kept.subject, []).append(kept)
        for subject, some in left.items():
            has_failed = any(pieces.FAILED in one.headers for one in some)
            ends_last = pieces.FINAL in some[-1].headers
            if ends_last and len(some) > 1 and not has_failed:
                yield f"{len(some)} pieces are left of {subject}"

    def _is_passing(self, key: str) -> bool:
        return key.startswith(self.world.keys.passing())

    def _one_each(self) -> Iterator[str]:
        stored = Counter(self.world.streams["stubs"].stored)
        manifest = self.world.subjects.settled
        # A result again counts for nothing, so that it depends on which of them came first.
        due = [at for at, said in self.sized.items() if any(all(one) for one in said.values())]
        may_be = [at for at, said in self.sized.items() if any(any(one) for one in said.values())]
        expected = {*self.results, *self.failed, *map(manifest, self.ended), *map(manifest, due)}
        yield from (f"{subject} was published {count} times" for subject, count in stored.items() if count > 1)
        yield from (f"{subject} is missing" for subject in expected if subject not in stored)
        expected.update(map(manifest, may_be))
        yield from (f"{subject} is not due" for subject in stored if subject not in expected)

    def content(self, subject: str, result: Result) -> Iterator[str]:
        event = msgspec.json.decode(self.stubs[subject], type=StubEvent)
        if event.disposition == "inline" and event.content != result.received.text:
            yield f"{subject} is inline, but not the result"
        is_stub = event.disposition in ("offloaded", "preview_only")
        if is_stub and len(str(event.content)) > self.world.settings.stub.max_chars:
            yield f"{subject} is no stub"
        if event.ref is not None:
            key = self.world.keys.output(result.address.session, result.result_id)
            objects = self.world.store._objects
            if _restored(objects.get(key)) != result.contents.data:
                yield f"{subject}: {event.ref} does not read back"
            if self.world.keys.metadata(result.address.session, result.result_id) not in objects:
                yield f"{subject}: {event.ref} has no metadata"
        elif event.disposition != "inline":
            yield f"{subject} is {event.disposition} without a ref"

    def _turn(self, at: TurnAddress) -> Iterator[str]:
        subjects = self.world.subjects
        ledger = sorted(self.world.streams["ledger"].under(subjects.ledger_of(at)), key=lambda kept: kept.sequence)
        entries = turn_model.one_by_one([read_entry(kept.body) for kept in ledger])
        story = turn_model.tell(entries)
        for entry, said in story.arrivals:
            if isinstance(entry, ResultEntry):
                yield from self._outcome(subjects.stubs(at.session, at.turn, entry.result_id), said)
        body = self.stubs.get(subjects.settled(at))
        if body is None:
            return
        if story.settled is None:
            yield f"{at} has a manifest, but is not settled"
            return
        yield from self._manifest(at, msgspec.json.decode(body, type=TurnSettled), story)
        yield from self._decision(at, entries)

    def _outcome(self, subject: str, said: turn_model.Said) -> Iterator[str]:
        if subject not in self.stubs:
            return
        event = msgspec.json.decode(self.stubs[subject], type=StubEvent)
        failed = self.world.store_failed
        least = self.world.settings.storage.retry_seconds - 2 * ANSWER_SECONDS  # its answer may come late
        if event.reason == "store_failure" and failed and failed[-1] - failed[0] > least:
            return
        heard = (event.disposition, event.reason, len(str(event.content)))
        if heard != said:
            yield f"{subject} is {heard}, its ledger says {said}"

    def _manifest(self, at: TurnAddress, manifest: TurnSettled, story: turn_model.Story) -> Iterator[str]:
        arrivals = story.arrivals[: story.settled_arrivals]
        if (manifest.received, manifest.turn_size) != (len(arrivals), story.settled_size):
            yield f"the manifest of {at} says {manifest.received} of {manifest.turn_size} results"
        if manifest.inline_total != sum(one.inline_size for one in manifest.results):
            yield f"the manifest of {at} does not add up"
        listed = [(one.result_id, one.disposition, one.reason, one.inline_size) for one in manifest.results]
        told = [(entry.result_id if isinstance(entry, ResultEntry) else None, *said) for entry, said in arrivals]
        if listed != told:
            yield f"the manifest of {at} says {listed}, its ledger {told}"
        if manifest.settled_by == "size" and manifest.received < (manifest.turn_size or 0):
            yield f"{at} is settled by its size with {manifest.received} of {manifest.turn_size} results"

    def _decision(self, at: TurnAddress, entries: list[Entry]) -> Iterator[str]:
        """That what the settling offloaded is what was to be offloaded."""
        found = turn_model.before_settling(entries)
        assert found is not None
        before, settled = turn_model.tell(found[0]), found[1]
        wanted = turn_model.to_offload(turn_model.waiting(before), before.total, settled.budget)
        chosen = {
            entry.result_id
            for number, (entry, _) in enumerate(before.arrivals)
            if number in settled.offloaded and isinstance(entry, ResultEntry)
        }
        if wanted != chosen:
            yield f"{at} offloaded {sorted(chosen)}, was to offload {sorted(wanted)}"

    def _letters(self) -> Iterator[str]:
        reasons = Counter(kept.headers["Coat-Reason"] for kept in self.world.streams["dlq"].messages.values())
        waiting = reasons.pop("store_failure", 0)
        if waiting:
            yield f"{waiting} letters wait for a store that is there"
        for reason, expected in self.broken.items():
            if (found := reasons.pop(reason, 0)) != expected:
                yield f"{found} letters say {reason}, for {expected} messages"
        conflicts = reasons.pop("conflict", 0)
        if conflicts != len(self.scenario.spoiled):
            yield f"{conflicts} letters for {len(self.scenario.spoiled)} results that another was in the place of"
        yield from (f"{count} letters say {reason}" for reason, count in reasons.items())


def _restored(lies: bytes | None) -> bytes | None:
    """An original, in whichever form it lies in the store."""
    if lies is None or not lies.startswith(_ZSTD_MAGIC):
        return lies
    return bytes(zstandard.ZstdDecompressor().stream_reader(lies, read_across_frames=True).read())
