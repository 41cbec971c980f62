"""What a request's or event's field may be beyond its type: what is outside is refused, or counts as absent."""

from typing import Any, get_args

from coatcheck_core.filesystem.grepping import MAX_LINES_AROUND
from coatcheck_core.settings.model import MOST_PLACEHOLDER_CHARS
from coatcheck_schemas.direct import MAX_PUT_BYTES
from coatcheck_schemas.events import MAX_TURN_SIZE, MIN_TURN_SIZE
from coatcheck_schemas.filesystem import MAX_PATH_CHARS, MAX_PATTERN_CHARS, MAX_REQUEST_ID_CHARS
from coatcheck_schemas.requests import (
    MAX_CONTEXT_CHARS,
    MAX_LIMIT,
    MAX_LINK_SECONDS,
    MAX_NUMBER,
    MAX_QUERY_CHARS,
    MIN_LINK_SECONDS,
    TO_THE_END,
)
from coatcheck_schemas.segments import MAX_ID_BYTES
from coatcheck_schemas.synopsis import Kind

Bound = dict[str, Any]
"""Keywords of JSON Schema."""

_NULL: Bound = {"type": "null"}
_NOT_TRUE: Bound = {"enum": [None, False]}
_LIMIT: Bound = {"minimum": 1, "maximum": MAX_LIMIT}
_PAGE: dict[str, Bound] = {
    "offset": {"minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
    "limit": {"minimum": TO_THE_END, "maximum": MAX_NUMBER, "not": {"const": 0}},
}
_COUNT: Bound = {"minimum": 0}
_PLACEHOLDER: Bound = {"pattern": r"\S", "maxLength": MOST_PLACEHOLDER_CHARS}
_ID: Bound = {"maxLength": MAX_ID_BYTES}
"""Bytes of UTF-8, which are no fewer than its chars."""
_TIME: Bound = {"format": "date-time"}
_TURN_SIZE: Bound = {"minimum": MIN_TURN_SIZE, "maximum": MAX_TURN_SIZE}
_PATH: Bound = {"pattern": rf"^/?[\s\S]{{0,{MAX_PATH_CHARS}}}$"}
_CHANGE: dict[str, Bound] = {"path": _PATH, "request_id": {"maxLength": MAX_REQUEST_ID_CHARS}}

BOUNDS: dict[str, dict[str, Bound]] = {
    "ToolResult": {"turn_size": _TURN_SIZE},
    "TurnEnd": {"turn_size": _TURN_SIZE},
    "ReadRequest": _PAGE,
    "SearchRequest": {
        "query": {"minLength": 1, "maxLength": MAX_QUERY_CHARS},
        "context_chars": {"minimum": 0, "maximum": MAX_CONTEXT_CHARS},
        "limit": _LIMIT,
    },
    "ListRequest": {
        "kind": {"enum": [None, *get_args(Kind)]},
        "turn_id": _ID,
        "since": _TIME,
        "until": _TIME,
        "limit": _LIMIT,
    },
    "ReplayRequest": {"turn_id": _ID, "limit": {"minimum": 0, "maximum": MAX_LIMIT}},
    "UploadRequest": {"call_id": _ID, "turn_id": _ID, "bytes": {"minimum": 0, "maximum": MAX_PUT_BYTES}},
    "ClearRequest": {
        "clearing_token_threshold": _COUNT,
        "keep_recent_tokens": _COUNT,
        "clear_at_least_tokens": _COUNT,
        "keep_rounds": _COUNT,
        "placeholder": _PLACEHOLDER,
    },
    "ClearRule": {"keep": _COUNT, "placeholder": _PLACEHOLDER},
    "LinkRequest": {"expires_seconds": {"minimum": MIN_LINK_SECONDS, "maximum": MAX_LINK_SECONDS}},
    "LsRequest": {"path": _PATH, "limit": _LIMIT},
    "FileReadRequest": {"path": _PATH, **_PAGE},
    "WriteRequest": _CHANGE,
    "EditRequest": {**_CHANGE, "old_string": {"minLength": 1}},
    "GlobRequest": {"path": _PATH, "pattern": {"minLength": 1, "maxLength": MAX_PATTERN_CHARS}, "limit": _LIMIT},
    "GrepRequest": {
        "path": _PATH,
        "pattern": {"minLength": 1, "maxLength": MAX_QUERY_CHARS},
        "glob": {"minLength": 1, "maxLength": MAX_PATTERN_CHARS},
        "before": {"minimum": 0, "maximum": MAX_LINES_AROUND},
        "after": {"minimum": 0, "maximum": MAX_LINES_AROUND},
        "limit": _LIMIT,
    },
}
"""By struct and field."""

_NUMBERED: Bound = {"required": ["numbered"], "properties": {"numbered": {"const": True}}}
_LINES: Bound = {"properties": {"unit": {"const": "lines"}}}

WHOLE: dict[str, Bound] = {
    "ToolResult": {
        "oneOf": [
            {"required": ["content"], "properties": {"content": {"not": _NULL}, "upload": _NULL, "blocks": _NOT_TRUE}},
            {"required": ["upload"], "properties": {"upload": {"not": _NULL}, "content": _NULL}},
        ]
    },
    "ReadRequest": {"if": _NUMBERED, "then": {"required": ["unit"], **_LINES}},
    "FileReadRequest": {"if": _NUMBERED, "then": _LINES},
    "ReplayRequest": {
        "if": {"required": ["settled"], "properties": {"settled": {"const": True}}},
        "then": {"required": ["turn_id"], "properties": {"turn_id": {"not": _NULL}}},
    },
    "Reply": {"oneOf": [{"required": ["ok"]}, {"required": ["error"]}]},
    "DeleteRequest": {
        "oneOf": [
            {"required": ["ref"], "properties": {"ref": {"not": _NULL}, "all": {"const": False}}},
            {"required": ["all"], "properties": {"ref": _NULL, "all": {"const": True}}},
        ]
    },
}
"""What holds between the fields of a struct."""
