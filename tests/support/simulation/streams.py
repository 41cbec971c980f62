"""JetStream in memory, as far as results and turns depend on it. Time is given, nothing here waits."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta

from coatcheck_workers.streams.ledger import EXPECTED_LAST_SUBJECT
from coatcheck_workers.streams.ports import Kept
from coatcheck_workers.streams.publishing import EXPECTED_LAST, PublishError, WrongLastSequence

DUPLICATES_SECONDS = 120.0
SCHEDULE, SCHEDULE_TARGET = "Nats-Schedule", "Nats-Schedule-Target"
_OVERHEAD_BYTES = 64


def matches(pattern: str, subject: str) -> bool:
    """Whether a subject lies under a pattern with the wildcards `*` and `>`."""
    if pattern == subject:
        return True
    wanted, given = pattern.split("."), subject.split(".")
    for index, segment in enumerate(wanted):
        if segment == ">":
            return len(given) > index
        if index >= len(given) or segment not in ("*", given[index]):
            return False
    return len(wanted) == len(given)


class Stream:
    """One stream: discard new, message ids, expectations; `one_a_subject` as the ledger's, schedules as the held's."""

    def __init__(self, name: str, *, one_a_subject: bool = False, max_bytes: int | None = None) -> None:
        self.name = name
        self.messages: dict[int, Kept] = {}
        self.stored: list[str] = []
        """The subject of every message that was ever stored."""
        self.last_sequence = 0
        self.on_stored: Callable[[Kept], None] = lambda message: None
        self._one_a_subject = one_a_subject
        self._max_bytes = max_bytes
        self._ids: dict[str, tuple[datetime, int]] = {}

    def publish(self, subject: str, body: bytes, headers: Mapping[str, str], now: datetime) -> int:
        """As a server takes it: duplicates, then expectations, then room. Raises PublishError."""
        message_id = headers.get("Nats-Msg-Id")
        if message_id is not None and message_id in self._ids:
            at, sequence = self._ids[message_id]
            if now - at < timedelta(seconds=DUPLICATES_SECONDS):
                return sequence
        expected = headers.get(EXPECTED_LAST)
        if expected is not None:
            pattern = headers.get(EXPECTED_LAST_SUBJECT, subject)
            last = max((message.sequence for message in self.under(pattern)), default=0)
            if last != int(expected):
                raise WrongLastSequence(f"{subject}: wrong last sequence: {last}")
        replaced = [kept.sequence for kept in self.under(subject)] if self._replaces(headers) else []
        self._check_room(subject, body, replaced)
        for sequence in replaced:
            del self.messages[sequence]
        return self._store(subject, body, headers, now)

    def under(self, pattern: str) -> Iterator[Kept]:
        return (message for message in self.messages.values() if matches(pattern, message.subject))

    def purge(self, pattern: str, through: int | None = None) -> None:
        for message in list(self.under(pattern)):
            if through is None or message.sequence <= through:
                del self.messages[message.sequence]

    def fire(self, sequence: int, now: datetime) -> None:
        """What is scheduled goes to its target, if it is still there: a later one on its subject took its place."""
        scheduled = self.messages.pop(sequence, None)
        if scheduled is not None:
            headers = {name: value for name, value in scheduled.headers.items() if not name.startswith("Nats-")}
            headers |= {"Nats-Scheduler": scheduled.subject, "Nats-Schedule-Next": "purge"}
            self._store(scheduled.headers[SCHEDULE_TARGET], scheduled.body, headers, now)

    def _replaces(self, headers: Mapping[str, str]) -> bool:
        return self._one_a_subject or SCHEDULE in headers

    def _check_room(self, subject: str, body: bytes, replaced: list[int]) -> None:
        if self._max_bytes is None:
            return
        used = sum(_size(kept.subject, kept.body) for kept in self.messages.values() if kept.sequence not in replaced)
        if used + _size(subject, body) > self._max_bytes:
            raise PublishError(f"{self.name}: maximum bytes exceeded")

    def _store(self, subject: str, body: bytes, headers: Mapping[str, str], now: datetime) -> int:
        self.last_sequence += 1
        message = Kept(subject=subject, sequence=self.last_sequence, at=now, headers=dict(headers), body=body)
        self.messages[message.sequence] = message
        self.stored.append(subject)
        if "Nats-Msg-Id" in headers:
            self._ids[headers["Nats-Msg-Id"]] = now, message.sequence
        self.on_stored(message)
        return message.sequence


def fires_at(message: Kept) -> datetime | None:
    """When a scheduled message fires; None of any other."""
    said = message.headers.get(SCHEDULE)
    return None if said is None else datetime.fromisoformat(said.removeprefix("@at "))


def _size(subject: str, body: bytes) -> int:
    return len(subject) + len(body) + _OVERHEAD_BYTES
