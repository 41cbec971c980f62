"""What must be true where a session was deleted: nothing old can be read, and what came later lives."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import msgspec
from tests.support.simulation.audit import MOST_PROBLEMS, Audit
from tests.support.simulation.published import Published
from tests.support.simulation.scenarios import Scenario
from tests.support.simulation.time import BEGINNING
from tests.support.simulation.world import World

from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.refs import failed_id
from coatcheck_schemas.subjects import CallAddress
from coatcheck_schemas.times import format_time
from coatcheck_workers.streams.tombstone import is_old


def audit_deleted(world: World, scenario: Scenario, session: str, deleted_at: datetime) -> list[str]:
    """Everything that is wrong, in words."""
    found = [*world.problems, *_Deleted(world, scenario, session, deleted_at).problems()]
    return found[:MOST_PROBLEMS]


class _Deleted:
    def __init__(self, world: World, scenario: Scenario, session: str, deleted_at: datetime) -> None:
        self.world = world
        self.session = session
        self.deleted_at = deleted_at
        self.old = [one for one in scenario.published if self._is_of(one) and is_old(_at(one), deleted_at)]
        self.new = [one for one in scenario.published if one not in self.old]
        self.living = Audit(world, msgspec.structs.replace(scenario, published=self.new))

    def problems(self) -> Iterator[str]:
        # Pieces that a producer sends on after its event was refused stay until they are too old: nobody knows them.
        yield from (problem for problem in self.living.left_over() if "pieces are left" not in problem)
        yield from self._nothing_old_is_there()
        yield from self._what_is_refused_is_told()
        yield from self._what_is_new_lives()

    def _is_of(self, one: Published) -> bool:
        return one.subject.split(".")[2] == self.session

    def _nothing_old_is_there(self) -> Iterator[str]:
        until = format_time(self.deleted_at)
        for key, body in self.world.store._objects.items():
            if key.startswith(self.world.keys.session(self.session)) and key.endswith("/metadata.json"):
                one = msgspec.json.decode(body, type=Metadata)
                # A put that a server does long after nobody waits for it any more is known as void by its time.
                if one.created_at <= until and not self.world.had_late:
                    yield f"{one.ref} of {one.created_at} is there, deleted at {until}"
        for kept in self.world.streams["stubs"].messages.values():
            if kept.subject.startswith(f"coat.stubs.{self.session}.") and not kept.subject.endswith("-failed"):
                event = msgspec.json.decode(kept.body, type=StubEvent)
                if event.created_at <= until:
                    yield f"{kept.subject} of {event.created_at} is there, deleted at {until}"
        for kept in self.world.streams["dlq"].messages.values():
            if kept.headers["Coat-Reason"] == "deleted" and (kept.body or "ce-id" in kept.headers):
                yield f"the letter {kept.subject} has kept what was deleted"

    def _what_is_refused_is_told(self) -> Iterator[str]:
        told = set(self.world.streams["stubs"].stored)
        for letter in self.world.streams["dlq"].messages.values():
            call = letter.subject.split(".")[2:]
            is_held = "HELD" in letter.headers["Nats-Msg-Id"]  # what was held is purged, refused or not
            if letter.headers["Coat-Reason"] != "deleted" or call[-1] == "end" or is_held:
                continue
            address = CallAddress(*call)
            if self._failed(address) not in told:
                yield f"{letter.subject} was refused, and nobody was told"

    def _what_is_new_lives(self) -> Iterator[str]:
        stubs = self.world.streams["stubs"].messages.values()
        there = {kept.subject: kept.body for kept in stubs}
        for subject, result in self.living.results.items():
            if subject in there:
                yield from self.living.content(subject, result)
            elif not self._came_to_nothing(result.address, there):
                yield f"{subject}, of the new life, is missing"

    def _came_to_nothing(self, address: CallAddress, there: dict[str, bytes]) -> bool:
        """Whether pieces of an upload went with the old life, before their event came: something else came of it."""
        pieces = f".chunks.{address.session}.{address.turn}.{address.call}."
        told = self.world.subjects.stubs(address.session, address.turn, f"{address.call}-")
        return any(pieces in one.subject for one in self.old) and any(subject.startswith(told) for subject in there)

    def _failed(self, at: CallAddress) -> str:
        return self.world.subjects.stubs(at.session, at.turn, failed_id(at.call))


def _at(one: Published) -> datetime:
    return BEGINNING + timedelta(seconds=one.at)
