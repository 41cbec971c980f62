"""Object keys: the layout below `{prefix}/v1/sessions/{session segment}/`."""

import hashlib
import re

import msgspec

SESSION_FOLDERS = ("by-time", "dead-letters", "files", "listing", "results")
"""All that lies below a session's prefix by the keys here: an operator's own layout keeps out of it."""

METADATA = "metadata.json"
"""Within a result's folder: what makes it exist."""

_ENTRY = re.compile(r"(?P<ms>[0-9]{13})-(?P<turn>[0-9a-f]{16})-(?P<result_id>.+)")


class TimeEntry(msgspec.Struct, frozen=True, order=True):
    """One line of a session's list, as the name of an empty object: `{13-digit ms}-{turn hash}-{result_id}`."""

    milliseconds: int
    turn_hash: str
    result_id: str

    def __str__(self) -> str:
        return f"{self.milliseconds:013d}-{self.turn_hash}-{self.result_id}"


def turn_hash(turn_segment: str) -> str:
    """16 hex of the turn segment's sha256."""
    return hashlib.sha256(turn_segment.encode()).hexdigest()[:16]


def parse_time_entry(name: str) -> TimeEntry | None:
    """The entry that a name says, or None where the name is not one."""
    match = _ENTRY.fullmatch(name)
    return TimeEntry(int(match["ms"]), match["turn"], match["result_id"]) if match else None


class Keys(msgspec.Struct, frozen=True):
    """Keys under one storage prefix. Every argument is a segment or a result id, already checked."""

    prefix: str = ""

    def sessions(self) -> str:
        """What every session's keys begin with."""
        return f"{self.prefix}/v1/sessions/".lstrip("/")

    def session(self, session: str) -> str:
        return f"{self.sessions()}{session}/"

    def result(self, session: str, result_id: str) -> str:
        return f"{self.session(session)}results/{result_id}/"

    def output(self, session: str, result_id: str) -> str:
        return f"{self.result(session, result_id)}output"

    def metadata(self, session: str, result_id: str) -> str:
        return f"{self.result(session, result_id)}{METADATA}"

    def part(self, session: str, result_id: str, index: int) -> str:
        return f"{self.result(session, result_id)}parts/{index}"

    def index(self, session: str, result_id: str) -> str:
        """Of a plain original that is large; a compressed one has its index inside."""
        return f"{self.result(session, result_id)}index"

    def passing(self) -> str:
        """What lies here goes by itself after some days (a rule of the bucket): nothing else refers to it."""
        return f"{self.prefix}/v1/passing/".lstrip("/")

    def incoming_of(self, session: str) -> str:
        return f"{self.passing()}incoming/{session}/"

    def incoming(self, session: str, turn: str, call: str, upload: str) -> str:
        """Where a result in pieces lies until its content, and so its id, is known."""
        return f"{self.incoming_of(session)}{turn_hash(turn)}/{call}/{upload}"

    def upload(self, session: str, upload: str) -> str:
        """Where a producer puts a result by a presigned URL."""
        return f"{self.passing()}uploads/{session}/{upload}"

    def taken(self, session: str, upload: str) -> str:
        """What a worker notes of an upload of that kind, so that another PUT changes nothing any more."""
        return f"{self.passing()}taken/{session}/{upload}"

    def link(self, session: str, result_id: str) -> str:
        """Where the bytes of a compressed original lie for those who have a link to them."""
        return f"{self.passing()}links/{session}/{result_id}"

    def probes(self) -> str:
        """Below it `coatcheck doctor` puts what shows that the store does as it should, and deletes it."""
        return f"{self.passing()}doctor/"

    def renewed_of(self, session: str) -> str:
        return f"{self.passing()}renewed/{session}/"

    def renewed(self, session: str, result_id: str, name: str) -> str:
        """Where an object lies for the moment that is put anew."""
        return f"{self.renewed_of(session)}{result_id}/{name}"

    def deleted(self, session: str, result_id: str | None = None) -> str:
        """What stays of a session, or of one result, that was deleted: when. It lies beside the sessions, not below."""
        head = f"{self.prefix}/v1/deleted/{session}/".lstrip("/")
        return f"{head}session.json" if result_id is None else f"{head}results/{result_id}.json"

    def by_time(self, session: str) -> str:
        return f"{self.session(session)}by-time/"

    def time_entry(self, session: str, entry: TimeEntry) -> str:
        return f"{self.by_time(session)}{entry}"

    def facts(self, session: str, page: str) -> str:
        """What lists are filtered by, of many entries; a cache that may go at any time."""
        return f"{self.session(session)}listing/{page}"

    def file_names(self, session: str) -> str:
        """An object for each of the session's own files, by the name that its path is stored under."""
        return f"{self.session(session)}files/names/"

    def file_versions(self, session: str, name: str) -> str:
        """The versions of one file, by the name that its path is stored under."""
        return f"{self.session(session)}files/versions/{name}/"

    def dead_letter(self, session: str, message_id: str) -> str:
        return f"{self.session(session)}dead-letters/{message_id}"
