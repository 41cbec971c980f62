"""Where an original lies below its session's prefix: as `storage.layout` says. Pure but for the operator's function.

Whatever a layout gives must hold the result's own id as a piece, with or without an ending (`ID`, `ID.json`): then no
two results ever meet under one key, whatever else is in it.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from string import Formatter

import msgspec

from coatcheck_core.loading import load_function
from coatcheck_core.settings.errors import ConfigError
from coatcheck_schemas.errors import InvalidId, InvalidResult
from coatcheck_schemas.keys import SESSION_FOLDERS, Keys
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.synopsis import Kind

SETTING = "storage.layout"
DEFAULT = "default"
MAX_KEY_BYTES = 1024
"""What S3, Google and Azure take as a key; a folder's file system may take less of one piece."""
REASON = "invalid_layout"


class LayoutFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a layout is made of. `session`, `turn`, `call` and `result_id` are segments; the other texts are as given.

    `received_at` is UTC: when NATS received the result.
    """

    session: str
    turn: str
    call: str
    result_id: str
    tool_name: str
    agent_id: str | None
    kind: Kind
    format: str | None
    mime_type: str | None
    sha256: str
    bytes: int
    received_at: datetime


Layout = Callable[[LayoutFacts], str | None]
"""The key of an original below its session's prefix; None: the default. Raises InvalidResult."""

FIELDS: dict[str, Callable[[LayoutFacts], str]] = {
    "session": lambda facts: facts.session,
    "turn": lambda facts: facts.turn,
    "call": lambda facts: facts.call,
    "result_id": lambda facts: facts.result_id,
    "tool": lambda facts: _segment(facts.tool_name),
    "agent": lambda facts: _segment(facts.agent_id),
    "kind": lambda facts: _segment(facts.kind),
    "format": lambda facts: _segment(facts.format),
    "sha256": lambda facts: facts.sha256,
    "date": lambda facts: facts.received_at.strftime("%Y-%m-%d"),
    "year": lambda facts: facts.received_at.strftime("%Y"),
    "month": lambda facts: facts.received_at.strftime("%m"),
    "day": lambda facts: facts.received_at.strftime("%d"),
    "hour": lambda facts: facts.received_at.strftime("%H"),
}
"""The fields of a template; each value is one segment, so that none can hold a slash."""


def default_layout(_: LayoutFacts) -> str | None:
    return None


def layout_of(setting: str, keys: Keys) -> Layout:
    """The layout that `storage.layout` names, tried on sample facts. Raises ConfigError."""
    if setting == DEFAULT:
        return default_layout
    make = _template(setting) if "{" in setting else _function(setting)
    layout = _checked(make, keys)
    for facts in SAMPLES:
        try:
            layout(facts)
        except InvalidResult as error:
            raise ConfigError(f"{SETTING} {setting!r}: {error}") from error
    return layout


def output_key_of(keys: Keys, metadata: Metadata, session: str) -> str:
    """Where a stored original lies, by what its metadata says. Every reader goes by this."""
    return metadata.output_key or keys.output(session, metadata.result_id)


def _checked(make: Callable[[LayoutFacts], object], keys: Keys) -> Layout:
    def layout(facts: LayoutFacts) -> str:
        key = _made(make, facts)
        problem = _problem(key, facts, keys)
        if problem is None and _made(make, facts) != key:
            problem = "gives another key for the same facts"
        if problem is not None:
            raise InvalidResult(REASON, f"{SETTING} {problem}")
        return str(key)

    return layout


def _made(make: Callable[[LayoutFacts], object], facts: LayoutFacts) -> object:
    try:
        return make(facts)
    except Exception as error:  # the operator's own code
        raise InvalidResult(REASON, f"{SETTING} raises {type(error).__name__}: {str(error)[:200]}") from error


def _problem(key: object, facts: LayoutFacts, keys: Keys) -> str | None:
    """What is wrong with the key that a layout gives for these facts."""
    if not isinstance(key, str):
        return f"gives {type(key).__name__}, not a str"
    told, pieces = repr(key[:200]), key.split("/")
    if not key.isprintable():
        return f"gives {told}, which has characters that cannot be printed"
    if any(piece in ("", ".", "..") for piece in pieces):
        return f"gives {told}: no piece may be empty, . or .., and a slash stands only between two pieces"
    if pieces[0] in SESSION_FOLDERS:
        return f"gives {told}: {pieces[0]}/ is where Coatcheck's own files lie"
    if not any(piece.partition(".")[0] == facts.result_id for piece in pieces):
        return f"gives {told}, in which no piece is the result_id: another result could get the same key"
    if len(f"{keys.session(facts.session)}{key}".encode()) > MAX_KEY_BYTES:
        return f"gives {told}: with the session's prefix a key has at most {MAX_KEY_BYTES} UTF-8 bytes"
    return None


def _template(text: str) -> Callable[[LayoutFacts], str]:
    """Raises ConfigError for a field that is none, and for Python's conversions and formats."""
    pieces: list[tuple[str, str | None]] = []
    try:
        for literal, field, spec, conversion in Formatter().parse(text):
            if spec or conversion:
                raise ValueError(f"{{{field}}} takes no format and no conversion")
            if field is not None and field not in FIELDS:
                raise ValueError(f"{{{field}}} is no field; there are {', '.join(FIELDS)}")
            pieces.append((literal, field))
    except ValueError as error:
        raise ConfigError(f"{SETTING} {text!r}: {error}") from None

    def fill(facts: LayoutFacts) -> str:
        return "".join(literal + (FIELDS[field](facts) if field else "") for literal, field in pieces)

    return fill


def _function(name: str) -> Callable[[LayoutFacts], object]:
    try:
        return load_function(SETTING, name)
    except ValueError as error:
        raise ConfigError(
            f"{error}; else {SETTING} is {DEFAULT!r} or a template as {{tool}}/{{date}}/{{result_id}}"
        ) from error


def _segment(text: str | None) -> str:
    try:
        return encode_segment(text or "")
    except InvalidId:
        return encode_segment("")


def _sample(tool_name: str, result_id: str, **others: object) -> LayoutFacts:
    facts = LayoutFacts(
        session="a-session",
        turn="turn-1",
        call="call_1",
        result_id=result_id,
        tool_name=tool_name,
        agent_id=None,
        kind="json",
        format=None,
        mime_type=None,
        sha256="0" * 64,
        bytes=1,
        received_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    )
    return msgspec.structs.replace(facts, **others)


SAMPLES = (
    _sample("kubectl", f"call_1-{'0' * 32}"),
    _sample("../..", f"{'=2F' * 20}==0123456789abcdef-{'f' * 32}", session="=", turn="=", kind="unknown"),
    _sample("検索" * 400, f"=-{'a' * 32}", session="s" * 80, turn="t" * 80, agent_id="a" * 4000, format="ndjson"),
)
"""Facts as they may come: plain ones, the emptiest and the longest."""
