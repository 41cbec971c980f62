"""The subjects of design's table: who publishes what where. One place builds them, one place takes them apart."""

import msgspec

from .errors import InvalidSegment, InvalidSubject
from .segments import EMPTY, check_segment, decode_segment

DEFAULT_PREFIX = "coat"
CLEAR = "clear"
VERBS = ("read", "search", "list", "replay", "delete", "link", "upload", CLEAR)
"""The requests under `coat.VERB.SESSION`."""
FILESYSTEM = "fs"
"""The requests under `coat.fs.SESSION.OP`."""


class CallAddress(msgspec.Struct, frozen=True):
    """The three canonical segments of a result's subject, and the ids that they say."""

    session: str
    turn: str
    call: str

    @property
    def at_turn(self) -> "TurnAddress":
        return TurnAddress(self.session, self.turn)

    @property
    def ids(self) -> tuple[str, str, str]:
        """Session, turn and call id; a shortened segment stands as its id, a missing id is `""`."""
        return decode_segment(self.session), decode_segment(self.turn), decode_segment(self.call)


class TurnAddress(msgspec.Struct, frozen=True):
    """The two canonical segments of a turn's subject."""

    session: str
    turn: str

    @property
    def ids(self) -> tuple[str, str]:
        """Session and turn id; a shortened segment stands as its id."""
        return decode_segment(self.session), decode_segment(self.turn)


NOWHERE = CallAddress(EMPTY, EMPTY, EMPTY)
"""Where the dead letter of a message goes whose subject names no call."""


class Subjects(msgspec.Struct, frozen=True):
    """Subjects and streams under one prefix. Every argument is a segment, already checked."""

    prefix: str = DEFAULT_PREFIX

    def stream(self, name: str) -> str:
        """The name of a stream: the prefix and the name in upper case, `COAT_RESULTS`."""
        return f"{self.prefix}_{name}".upper().replace(".", "_")

    def results(self, at: CallAddress) -> str:
        return f"{self.prefix}.results.{at.session}.{at.turn}.{at.call}"

    def chunks(self, at: CallAddress, upload: str) -> str:
        """The pieces of one upload."""
        return f"{self.prefix}.chunks.{at.session}.{at.turn}.{at.call}.{upload}"

    @property
    def every_chunk(self) -> str:
        return f"{self.prefix}.chunks.>"

    def stubs(self, session: str, turn: str, result_id: str) -> str:
        return f"{self.prefix}.stubs.{session}.{turn}.{result_id}"

    def session_stubs(self, session: str) -> str:
        return f"{self.prefix}.stubs.{session}.>"

    def dlq(self, at: CallAddress) -> str:
        return f"{self.prefix}.dlq.{at.session}.{at.turn}.{at.call}"

    def results_of(self, at: TurnAddress) -> str:
        """The pattern of all results of a turn."""
        return f"{self.prefix}.results.{at.session}.{at.turn}.*"

    @property
    def turn_ends(self) -> str:
        """What the subject of every turn's end begins with."""
        return f"{self.prefix}.turns."

    def turn_end(self, at: TurnAddress) -> str:
        return f"{self.prefix}.turns.{at.session}.{at.turn}.end"

    def settled(self, at: TurnAddress) -> str:
        return f"{self.prefix}.settled.{at.session}.{at.turn}"

    def ledger(self, at: TurnAddress, kind: str, name: str) -> str:
        """One entry of a turn's ledger."""
        return f"{self.prefix}-internal.ledger.{at.session}.{at.turn}.{kind}.{name}"

    def ledger_of(self, at: TurnAddress) -> str:
        """The pattern of all entries of a turn's ledger."""
        return f"{self.prefix}-internal.ledger.{at.session}.{at.turn}.>"

    def session_ledger(self, session: str) -> str:
        """The pattern of all entries of all ledgers of a session."""
        return f"{self.prefix}-internal.ledger.{session}.>"

    def consumed(self, at: CallAddress, upload: str) -> str:
        """Where it is noted that an upload has become a result: among the ledgers, and in that of no turn."""
        return f"{self.prefix}-internal.ledger.{at.session}.{EMPTY}.upload.{at.turn}.{at.call}.{upload}"

    def failures(self, stream: str, sequence: int) -> str:
        """Where the failures of one message are counted."""
        return f"{self.prefix}-internal.failures.{stream}.{sequence}"

    def held(self, at: TurnAddress, kind: str = "*", name: str = "*") -> str:
        """What waits: the results of a turn and its timer (`turn`), the retries of dead letters (`letter`)."""
        return f"{self.prefix}-internal.held.{at.session}.{at.turn}.{kind}.{name}"

    def due(self, at: TurnAddress, kind: str = "*", name: str = "*") -> str:
        """Where what was held goes at its time, for the workers to take."""
        return f"{self.prefix}-internal.due.{at.session}.{at.turn}.{kind}.{name}"

    def due_of(self, held: str) -> str:
        """Where what is held under the subject goes at its time."""
        return f"{self.prefix}-internal.due.{held.removeprefix(f'{self.prefix}-internal.held.')}"

    def deleted(self, session: str, result_id: str | None = None) -> str:
        """Where workers tell each other that a session, or one result of it, was deleted."""
        head = f"{self.prefix}-internal.deleted.{session}"
        return f"{head}.session" if result_id is None else f"{head}.result.{result_id}"

    @property
    def every_deletion(self) -> str:
        return f"{self.prefix}-internal.deleted.>"

    @property
    def every_result(self) -> str:
        return f"{self.prefix}.results.>"

    @property
    def every_turn(self) -> str:
        """What is said of turns: their ends, and whatever else a publisher puts there, which becomes a dead letter."""
        return f"{self.prefix}.turns.>"

    @property
    def every_ledger(self) -> str:
        return f"{self.prefix}-internal.ledger.>"

    @property
    def every_failure(self) -> str:
        return f"{self.prefix}-internal.failures.>"

    @property
    def everything_held(self) -> str:
        return f"{self.prefix}-internal.held.>"

    @property
    def everything_due(self) -> str:
        return f"{self.prefix}-internal.due.>"

    @property
    def outbound(self) -> str:
        """Where workers publish what COAT_STUBS keeps, as a wildcard; only workers may.

        The stream stores `{outbound}.stubs...` as `coat.stubs...` and repeats there what it has stored. A publish to
        `coat.stubs...` itself would reach every live subscriber even where the stream refuses it as a repetition.
        """
        return f"{self.prefix}-internal.out.>"

    def to_outbound(self, subject: str) -> str:
        """The subject to publish to, so that `subject` is stored and, once stored, heard."""
        return f"{self.outbound[:-2]}.{subject.removeprefix(f'{self.prefix}.')}"

    def request(self, verb: str, session: str) -> str:
        return f"{self.prefix}.{verb}.{session}"

    def file_request(self, session: str, operation: str) -> str:
        return f"{self.prefix}.{FILESYSTEM}.{session}.{operation}"

    def parse_result(self, subject: str) -> CallAddress:
        """The call that a result's subject names.

        Raises InvalidSubject where it has another shape or a segment that is not canonical.
        """
        head = f"{self.prefix}.results."
        segments = subject.removeprefix(head).split(".")
        if not subject.startswith(head) or len(segments) != 3:
            raise InvalidSubject(f"{subject[:300]!r} is not {head}SESSION.TURN.CALL")
        try:
            return CallAddress(*map(check_segment, segments))
        except InvalidSegment as error:
            raise InvalidSubject(f"{subject[:300]!r}: {error}") from None

    def parse_turn_end(self, subject: str) -> TurnAddress:
        """The turn that the subject of its end names.

        Raises InvalidSubject where it has another shape or a segment that is not canonical.
        """
        head = f"{self.prefix}.turns."
        segments = subject.removeprefix(head).split(".")
        if not subject.startswith(head) or len(segments) != 3 or segments[2] != "end":
            raise InvalidSubject(f"{subject[:300]!r} is not {head}SESSION.TURN.end")
        try:
            return TurnAddress(*map(check_segment, segments[:2]))
        except InvalidSegment as error:
            raise InvalidSubject(f"{subject[:300]!r}: {error}") from None

    def parse_due(self, subject: str) -> tuple[TurnAddress, str, str]:
        """Turn, kind and name of what has fallen due. Raises InvalidSubject."""
        head = f"{self.prefix}-internal.due."
        segments = subject.removeprefix(head).split(".")
        if not subject.startswith(head) or len(segments) != 4:
            raise InvalidSubject(f"{subject[:300]!r} is not {head}SESSION.TURN.KIND.NAME")
        try:
            # A wildcard would let go of what other turns hold.
            at = TurnAddress(*map(check_segment, segments[:2]))
        except InvalidSegment as error:
            raise InvalidSubject(f"{subject[:300]!r}: {error}") from None
        return at, segments[2], segments[3]

    def parse_session(self, subject: str) -> str:
        """The session segment of a request's subject: the one right after the verb.

        Raises InvalidSubject where the subject is no request's, or the segment is not canonical.
        """
        head = f"{self.prefix}."
        verb, *segments = subject.removeprefix(head).split(".")
        wanted = 2 if verb == FILESYSTEM else 1
        if not subject.startswith(head) or verb not in (*VERBS, FILESYSTEM) or len(segments) != wanted:
            raise InvalidSubject(f"{subject[:300]!r} is not {head}VERB.SESSION, nor {head}{FILESYSTEM}.SESSION.OP")
        try:
            return check_segment(segments[0])
        except InvalidSegment as error:
            raise InvalidSubject(f"{subject[:300]!r} names no session: {error}") from None
