"""What arrived, under whose ids: a received result joined with the subject that it came on."""

from datetime import datetime

import msgspec

from coatcheck_core.contents import Contents, contents_of
from coatcheck_core.media_types import with_identified_media
from coatcheck_core.repetition import without_repetition
from coatcheck_core.settings.model import FilesystemSettings, RetrievalSettings
from coatcheck_schemas.errors import InvalidId, InvalidRef, InvalidResult
from coatcheck_schemas.refs import Ref, parse_ref, result_id
from coatcheck_schemas.results import Received
from coatcheck_schemas.segments import MAX_ID_BYTES, encode_segment
from coatcheck_schemas.subjects import CallAddress


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call's output with its identity. `received_at` is the time at which NATS received it."""

    address: CallAddress
    session_id: str
    turn_id: str
    call_id: str
    received: Received
    contents: Contents
    result_id: str
    received_at: datetime

    @property
    def sha256(self) -> str:
        return self.contents.sha256

    @property
    def ref(self) -> str:
        return str(Ref(self.address.session, self.result_id))


def identify(
    address: CallAddress, received: Received, received_at: datetime, contents: Contents | None = None
) -> Result:
    """`contents` are those of a result that came by an upload; else it has its own.

    Raises InvalidResult where an id of the body is not the one of the subject, or a name is too long to carry.
    """
    contents = contents or contents_of(received)
    check_names(received)
    session, turn, call = address.ids
    return Result(
        address=address,
        session_id=_same(received.session_id, address.session, session, "session_id"),
        turn_id=_same(received.turn_id, address.turn, turn, "turn_id"),
        call_id=_same(received.call_id, address.call, call, "call_id"),
        received=with_identified_media(without_repetition(received)),
        contents=contents,
        result_id=result_id(address.call, contents.sha256),
        received_at=received_at,
    )


def check_names(received: Received) -> None:
    for name in ("tool_name", "mime_type", "message_id", "agent_id"):
        text = getattr(received, name)
        if text and len(text.encode()) > MAX_ID_BYTES:
            raise InvalidResult("invalid_field", f"{name} has over {MAX_ID_BYTES} UTF-8 bytes")


def read_back(result: Result, retrieval: RetrievalSettings, filesystem: FilesystemSettings | None = None) -> str | None:
    """The reference of the original that this result is a read of; None where it is an ordinary result.

    Believed only of the configured retrieval tools, and of those that read files, and for an original of the same
    session.
    """
    source = result.received.source_ref
    tools = [retrieval.read_tool, retrieval.search_tool, retrieval.list_tool]
    if filesystem is not None:
        tools += [filesystem.read_tool, filesystem.grep_tool]
    if source is None or result.received.tool_name not in tools:
        return None
    try:
        ref = parse_ref(source)
    except InvalidRef:
        return None
    if ref.session not in (None, result.address.session):
        return None
    return str(Ref(result.address.session, ref.result_id, ref.part))


def _same(given: str | None, segment: str, decoded: str, name: str) -> str:
    if given is None:
        return decoded
    try:
        encoded = encode_segment(given)
    except InvalidId as error:
        raise InvalidResult("invalid_id", f"{name}: {error}") from None
    if encoded != segment:
        raise InvalidResult(
            "id_mismatch", f"{name} {given[:200]!r} belongs under the segment {encoded}, the subject has {segment}"
        )
    return given
