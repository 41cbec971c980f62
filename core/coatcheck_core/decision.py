"""The decision over one result: what its session receives, and what is kept. Pure: the worker carries it out."""

from typing import Any

import msgspec

from coatcheck_core.apart import objects_digest, twin_id
from coatcheck_core.arrival import Result, read_back
from coatcheck_core.budget import Limits, limits_of, must_offload, stub_settings_of
from coatcheck_core.contents import Contents
from coatcheck_core.failure import MAX_ERROR_CHARS, failed_content
from coatcheck_core.layout import LayoutFacts
from coatcheck_core.media import with_media
from coatcheck_core.once import once
from coatcheck_core.parts import fitting_parts, name_parts, part_bodies, total_parts
from coatcheck_core.retrieval_tools import has_tools
from coatcheck_core.rules import Decision, Rules, Stored
from coatcheck_core.settings.model import StubSettings
from coatcheck_core.stub import StubSubject, shortest_stub
from coatcheck_core.stub.escaping import one_line
from coatcheck_core.turns.entries import MAX_CALL_ID_CHARS, ResultEntry
from coatcheck_schemas.blocks import TEXT_BLOCK
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.events import Disposition, Part, Reason, StubEvent
from coatcheck_schemas.keys import TimeEntry, turn_hash
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.segments import EMPTY, MAX_ID_BYTES
from coatcheck_schemas.synopsis import Synopsis
from coatcheck_schemas.times import format_time, to_milliseconds

PARTS_SHARE = 4
"""An event's list of parts takes at most this share of its message."""
_LONGEST_ESCAPE = 6
"""A byte of content takes at most so many in JSON, as `\\u0000`."""
_FIXED_BYTES = 8192
"""More than an inline event's field names, counts, hashes and time take."""
_MOST_NAMES_BYTES = _LONGEST_ESCAPE * 5 * MAX_ID_BYTES + _FIXED_BYTES
"""Session, turn and call, the tool's name and the MIME type, each as long as it may be, and the result id."""

_OWN_UNITS = ("chars", "tokens")
"""In these a text that holds all lines of another is at least as long, and none is longer than its bytes; nobody knows
of a counter from elsewhere."""
_LEAST = Synopsis(kind="xml")
"""No kind has a shorter name."""


def decide(result: Result, rules: Rules) -> Decision:
    """By the budget of one result alone: inline, or a stub in its place.

    Raises InvalidResult where not even the stub fits one message.
    """
    return Case(result, rules).decide()


class Case:
    """One result under the rules; what costs something is found once, when it is first asked for."""

    def __init__(self, result: Result, rules: Rules) -> None:
        self.result = result
        self.received = result.received
        self.contents = result.contents
        self.rules = rules
        self.source = read_back(result, rules.settings.retrieval, rules.settings.filesystem)
        self._stubs: dict[Reason, str] = {}

    @once
    def at_once(self) -> tuple[Disposition, Reason | None] | None:
        """What the budget of one result decides; None for what is at or under the threshold, and inline by it."""
        forced = must_offload(
            is_text=self.contents.encoding == "utf-8",
            fits_inline=self.fits_inline(),
            is_incomplete=self.received.incomplete,
            is_over=self.received.incomplete and self.length > self.limits.threshold,
        )
        if forced is not None:
            return "offloaded", forced
        if self.length <= self.limits.threshold:
            return None
        if self.source is None and self.limits.offload and self.stub_length("single_threshold") < self.length:
            return "offloaded", "single_threshold"
        return "inline", self._inline_reason

    def decide(self) -> Decision:
        """By the budget of one result alone."""
        return self.carry_out(*(self.at_once or ("inline", self._inline_reason)))

    def entry(self) -> ResultEntry:
        """What the ledger of its turn must know of the result."""
        disposition, reason = self.at_once or (None, self._inline_reason)
        session, turn, _ = self.result.address.ids
        stub_length = None
        if disposition == "offloaded":
            stub_length = self.stub_length(reason)
        elif disposition is None and self._may_give_way():
            stub_length = self.stub_length("turn_budget")
        return ResultEntry(
            result_id=self.result.result_id,
            call_id=self.result.call_id[:MAX_CALL_ID_CHARS],
            length=self.length,
            stub_length=stub_length,
            at_once=disposition,
            reason=reason,
            budget=self.rules.settings.turn.inline_budget,
            turn_size=self.received.turn_size,
            original_chars=self.facts["original_chars"],
            session_id=None if self.result.session_id == session else self.result.session_id,
            turn_id=None if self.result.turn_id == turn else self.result.turn_id,
            objects=objects_digest(self.parts),
            twin_id=twin_id(self.result, self.parts),
        )

    def carry_out(self, disposition: Disposition, reason: Reason | None) -> Decision:
        """What the session receives and what is kept, once it is decided whether the result is offloaded.

        Raises InvalidResult where not even the stub fits one message.
        """
        if disposition == "offloaded" and reason is not None:
            return self._decided(self._stub_event("offloaded", reason), self._stored())
        if reason == "store_failure":
            return self._decided(self._raw, self._stored())
        return self._pass_on()

    def keep_only(self) -> Decision:
        """What is kept of a result whose stub has gone out; the event is of no use."""
        return Decision(event=self.inline, encoded=b"", stored=self._stored())

    def without_store(self, decision: Decision, error: str, *, raw: bool) -> Decision:
        """What the session receives where the store could not take what `decision` is to keep.

        The setting `on_store_failure` says which; `raw` whether the turn's budget has room for the result itself.
        """
        if self.rules.settings.on_store_failure == "reject":
            return self._decided(self._rejected(error))
        if decision.event.disposition == "inline" or (raw and self.fits_raw()):
            return self._decided(self._raw)
        return self._decided(self._stub_event("preview_only", "store_failure"))

    def fits_raw(self) -> bool:
        """Whether the result itself can stand in for its stub: it is text, and one message carries it."""
        return self.received.text is not None and self._fits(self._raw)

    @once
    def length(self) -> int:
        """In `budget.unit`; of the text alone, so 0 of what is none, and in chars of what is not in memory."""
        if self.contents.placed is not None:
            return self.contents.chars or 0
        return self.rules.count(self.received.text or "")

    @once
    def limits(self) -> Limits:
        return limits_of(self.rules.settings, self.received.tool_name)

    @once
    def _stub_settings(self) -> StubSettings:
        return stub_settings_of(self.rules.settings, self.received.tool_name)

    def stub_length(self, reason: Reason | None) -> int:
        return self.rules.count(self.stub(reason)) if reason is not None else 0

    def _may_give_way(self) -> bool:
        """Whether a stub may take the result's place in its turn; most small results are told without making one."""
        if self.source is not None or not self.limits.offload:
            return False
        settings = self.rules.settings
        if settings.budget.unit not in _OWN_UNITS:
            return True
        shortest = shortest_stub(self._stub_subject("turn_budget", _LEAST), self._stub_settings, settings.retrieval)
        return self.length >= self.rules.count(shortest)

    @property
    def _inline_reason(self) -> Reason | None:
        return None if self.source is None else "source_read"

    def _pass_on(self) -> Decision:
        """The result itself; kept as well where structured content says more than its text.

        What is read back is kept where it was read.
        """
        stored = self._stored() if self._keeps_inline() else None
        return Decision(event=self.inline, encoded=msgspec.json.encode(self.inline), stored=stored)

    def _rejected(self, error: str) -> StubEvent:
        return StubEvent(
            disposition="failed",
            content=failed_content("store_failure", error),
            ref=self.result.ref,
            reason="store_failure",
            **(self.facts | {"is_error": True, "error": one_line(error, MAX_ERROR_CHARS)}),
        )

    @once
    def _raw(self) -> StubEvent:
        return msgspec.structs.replace(self.inline, ref=self.result.ref, reason="store_failure")

    def _stub_event(self, disposition: Disposition, reason: Reason) -> StubEvent:
        event = StubEvent(
            disposition=disposition,
            content=self.stub(reason),
            ref=self.result.ref,
            reason=reason,
            kind=self.synopsis.kind,
            format=self.synopsis.format,
            synopsis=self.synopsis,
            parts=fitting_parts(self.parts, self.rules.max_event_bytes // PARTS_SHARE),
            total_parts=total_parts(self.received, self.result.ref),
            **self.facts,
        )
        return with_media(event, self.received.blocks or [], self.result.ref, self.rules.max_event_bytes)

    def _decided(self, event: StubEvent, stored: Stored | None = None) -> Decision:
        encoded = msgspec.json.encode(event)
        if len(encoded) > self.rules.max_event_bytes:
            raise InvalidResult(
                "too_large", "not even the stub of this result fits one message: shorten its ids and names"
            )
        return Decision(event=event, encoded=encoded, stored=stored)

    def fits_inline(self) -> bool:
        """Whether one message carries the result itself; encoded only where its length alone does not say so."""
        limit = self.rules.max_event_bytes
        blocks = self.received.blocks or []
        media_bytes = sum(len(block.raw) for block in blocks if block.type != TEXT_BLOCK)
        if self.contents.placed is not None or self.contents.size + media_bytes > limit:
            return False
        if self.inline.parts is None:
            most = _LONGEST_ESCAPE * self.contents.size + _FIXED_BYTES
            if most + _MOST_NAMES_BYTES <= limit:
                return True
            texts = [value for value in self.facts.values() if isinstance(value, str)]
            if most + _LONGEST_ESCAPE * sum(map(_utf8_bytes, texts)) <= limit:
                return True
        return self._fits(self.inline)

    def _fits(self, event: StubEvent) -> bool:
        return len(msgspec.json.encode(event)) <= self.rules.max_event_bytes

    @once
    def inline(self) -> StubEvent:
        blocks = self.received.blocks
        content: str | list[msgspec.Raw] = self.received.text or ""
        if blocks is not None and any(block.type != TEXT_BLOCK for block in blocks):
            content = [msgspec.Raw(block.raw) for block in blocks]
        kept_as = self.result.ref if self._keeps_inline() else None
        return StubEvent(
            disposition="inline",
            content=content,
            ref=self.source,
            reason=self._inline_reason,
            parts=fitting_parts(name_parts(self.received, kept_as), self.rules.max_event_bytes // PARTS_SHARE),
            total_parts=total_parts(self.received, kept_as),
            **self.facts,
        )

    def stub(self, reason: Reason) -> str:
        if reason not in self._stubs:
            subject = self._stub_subject(reason, self.synopsis)
            self._stubs[reason] = self.rules.render(subject, self._stub_settings, self.rules.settings.retrieval)
        return self._stubs[reason]

    def _stub_subject(self, reason: Reason, synopsis: Synopsis) -> StubSubject:
        return StubSubject(
            tool_name=self.received.tool_name,
            ref=self.result.ref,
            sha256=self.result.sha256,
            reason=reason,
            original_chars=self.facts["original_chars"],
            original_bytes=self.contents.size,
            original_lines=self.facts["original_lines"],
            data=self.contents.data,
            encoding=self.contents.encoding,
            end=self.contents.tail,
            synopsis=synopsis,
            call_id=self.result.call_id,
            retrieval=self.received.retrieval and has_tools(self.rules.settings.retrieval, self.result.session_id),
            parts=self.parts,
            is_error=self.received.is_error,
            incomplete=self.received.incomplete,
            error=self.received.error if self.received.incomplete else None,
        )

    @once
    def synopsis(self) -> Synopsis:
        """Of one that is not in memory it was made where its bytes passed (`describe`)."""
        return self.rules.synopsize(self.contents.data, self.received.mime_type)

    @property
    def is_to_be_described(self) -> bool:
        """Whether a synopsis is still to be made, as far as that can be said without any work."""
        if "synopsis" in self.__dict__ or self.source is not None or not self.limits.offload:
            return False
        may_be_over = self.rules.settings.budget.unit not in _OWN_UNITS or (self.contents.size > self.limits.threshold)
        return may_be_over or self.result.address.turn != EMPTY

    def describe(self, synopsis: Synopsis) -> None:
        """Take a synopsis that was made elsewhere; it must be what the rules would make."""
        self.__dict__["synopsis"] = synopsis

    @once
    def parts(self) -> list[Part] | None:
        """The parts of a result that is stored."""
        return name_parts(self.received, self.result.ref)

    @once
    def facts(self) -> dict[str, Any]:
        """The fields that events of either disposition and the metadata share."""
        return {
            "session_id": self.result.session_id,
            "turn_id": self.result.turn_id,
            "call_id": self.result.call_id,
            "tool_name": self.received.tool_name,
            "result_id": self.result.result_id,
            "original_chars": self.contents.chars,
            "original_bytes": self.contents.size,
            "original_lines": self.contents.lines,
            "preview_chars": self.rules.settings.stub.preview_chars,
            "sha256": self.result.sha256,
            "mime_type": self.received.mime_type,
            "is_error": self.received.is_error,
            "incomplete": self.received.incomplete,
            "error": self.received.error,
            "created_at": format_time(self.result.received_at),
        }

    def _keeps_inline(self) -> bool:
        return self.received.structured_content is not None and self.source is None

    def _stored(self) -> Stored:
        result, received, keys = self.result, self.received, self.rules.keys
        session = result.address.session
        output_key = self._output_key()
        metadata = Metadata(
            tool_result_id=result.result_id,
            ref=result.ref,
            message_id=received.message_id,
            tool_id=result.call_id,
            agent_id=received.agent_id,
            synopsis_kind=self.synopsis.kind,
            synopsis_format=self.synopsis.format,
            synopsis=self.synopsis,
            storage_uri=self.rules.uri(keys.result(session, result.result_id)),
            output_uri=self.rules.uri(output_key or keys.output(session, result.result_id)),
            output_key=output_key,
            parts=self.parts,
            total_parts=total_parts(self.received, self.result.ref),
            replaced_surrogates=received.replaced_surrogates,
            warnings=received.warnings,
            encoding=self.contents.encoding,
            **_form(self.contents),
            **self.facts,
        )
        entry = TimeEntry(to_milliseconds(result.received_at), turn_hash(result.address.turn), result.result_id)
        return Stored(
            output=self.contents.placed or received.data, parts=part_bodies(received), metadata=metadata, entry=entry
        )

    def _output_key(self) -> str | None:
        """None for the default. Raises InvalidResult where the configured layout gives no key for this result."""
        result, received = self.result, self.received
        key = self.rules.layout(
            LayoutFacts(
                session=result.address.session,
                turn=result.address.turn,
                call=result.address.call,
                result_id=result.result_id,
                tool_name=received.tool_name,
                agent_id=received.agent_id,
                kind=self.synopsis.kind,
                format=self.synopsis.format,
                mime_type=received.mime_type,
                sha256=result.sha256,
                bytes=self.contents.size,
                received_at=result.received_at,
            )
        )
        return None if key is None else self.rules.keys.session(result.address.session) + key


def _form(contents: Contents) -> dict[str, Any]:
    """How the original lies in the store: as it is, unless it lies there already in another form."""
    placed = contents.placed
    if placed is None:
        return {"stored_bytes": contents.size}
    return {"form": placed.form, "stored_bytes": placed.stored_bytes, "index_bytes": placed.index_bytes}


def _utf8_bytes(text: str) -> int:
    return len(text.encode())
