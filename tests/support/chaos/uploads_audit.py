"""The audit of results in pieces: each has one stub, reads back as it was sent, and leaves nothing on its way.

Pure, as the audit of the load.
"""

from collections import Counter
from collections.abc import Iterator

import msgspec
from tests.support.chaos.evidence import Evidence, Letter
from tests.support.chaos.uploads import FAILURE, UPLOAD_SESSIONS, Expected

from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.subjects import Subjects


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What is still there once all is done: pieces by subject, objects on their way, multipart uploads; and the most
    memory that any worker took.
    """

    pieces: list[str]
    passing: list[str]
    multiparts: list[str]
    worker_bytes: int


def apart(evidence: Evidence) -> tuple[Evidence, Evidence]:
    """The evidence of the ordinary load, and that of the results in pieces.

    What is held and what is in the ledger is counted for both together; the load's audit alone bounds it.
    """

    def is_of_pieces(subject: str) -> bool:
        return subject.split(".")[2] in UPLOAD_SESSIONS

    def part(of_pieces: bool) -> Evidence:
        def take(one: tuple[str, bytes]) -> bool:
            return is_of_pieces(one[0]) is of_pieces

        letters = [one for one in evidence.letters if is_of_pieces(one.subject) is of_pieces]
        messages = {name: count for name, count in evidence.messages.items() if name != "ledger"}
        return msgspec.structs.replace(
            evidence,
            heard=list(filter(take, evidence.heard)),
            stored=list(filter(take, evidence.stored)),
            letters=letters,
            messages=messages,
            held_ever=0,
        )

    return part(False), part(True)


def find_upload_faults(
    uploads: list[Expected], evidence: Evidence, left: Left, subjects: Subjects, most_worker_bytes: int
) -> list[str]:
    """All that is wrong; an empty list where nothing is."""
    faults = [*_stubs(uploads, evidence, subjects), *_letters(uploads, evidence.letters, subjects)]
    faults += [f"{subject}: its pieces are still there" for subject in left.pieces]
    faults += [f"{key}: is still on its way in the store" for key in left.passing]
    faults += [f"{key}: a multipart upload was left" for key in left.multiparts]
    if left.worker_bytes > most_worker_bytes:
        faults.append(f"a worker took {left.worker_bytes} bytes of memory, over {most_worker_bytes}")
    return faults


def _stubs(uploads: list[Expected], evidence: Evidence, subjects: Subjects) -> Iterator[str]:
    stored = Counter(subject for subject, _ in evidence.stored)
    heard = Counter(subject for subject, _ in evidence.heard)
    bodies = dict(evidence.stored)
    due = {subjects.stubs(one.planned.at.session, one.planned.at.turn, one.name): one for one in uploads}
    for subject, one in due.items():
        what = f"{subject} ({one.planned.behaviour}, {one.size} bytes)"
        if (stored[subject], heard[subject]) != (1, 1):
            yield f"{what}: stored {stored[subject]} times, heard {heard[subject]} times, not once"
        if subject in bodies:
            event = msgspec.json.decode(bodies[subject], type=StubEvent)
            yield from (f"{what}: {fault}" for fault in _check(one, event, evidence))
    for subject in sorted({*stored, *heard} - due.keys()):
        yield f"{subject}: nothing was published that explains it"


def _check(one: Expected, event: StubEvent, evidence: Evidence) -> Iterator[str]:
    if (event.session_id, event.turn_id, event.call_id) != one.planned.ids:
        yield f"its ids are {(event.session_id, event.turn_id, event.call_id)}"
    if one.planned.is_lost:
        if event.disposition != "failed" or not event.is_error or not event.error:
            yield f"is {event.disposition}, error {event.error!r}, and its pieces never were a whole"
        return
    if event.disposition != "offloaded" or event.ref != one.ref:
        yield f"is {event.disposition}, ref {event.ref}, not offloaded to {one.ref}"
    if (event.sha256, event.original_bytes) != (one.sha256, one.size):
        yield f"says sha256 {event.sha256} of {event.original_bytes} bytes"
    failed = one.planned.behaviour == "fails"
    if event.incomplete is not failed or event.error != (FAILURE if failed else None):
        yield f"incomplete is {event.incomplete}, its error {event.error!r}"
    if one.ref in evidence.read_errors:
        yield f"{one.ref} can't be read: {evidence.read_errors[one.ref]}"
    elif evidence.read.get(one.ref) != one.sha256:
        yield f"{one.ref} reads back to sha256 {evidence.read.get(one.ref)}"


def _letters(uploads: list[Expected], letters: list[Letter], subjects: Subjects) -> Iterator[str]:
    due = Counter(subjects.dlq(one.planned.at) for one in uploads if one.planned.is_lost)
    found = Counter(letter.subject for letter in letters)
    for subject in sorted({*due, *found}):
        if due[subject] != found[subject]:
            yield f"{subject}: {found[subject]} dead letters, not {due[subject]}"
