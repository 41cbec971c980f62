"""What a request's or event's field may be beyond its type: what is outside is refused, or counts as absent."""

from typing import Any

from coatcheck_core.filesystem.grepping import MAX_LINES_AROUND
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

Bound = dict[str, Any]
"""Keywords of JSON Schema."""

_NULL: Bound = {"type": "null"}
_NOT_TRUE: Bound = {"enum": [None, False]}
_LIMIT: Bound = {"minimum": 1, "maximum": MAX_LIMIT}
_PAGE: dict[str, Bound] = {
    "offset": {"minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
    "limit": {"minimum": TO_THE_END, "maximum": MAX_NUMBER, "not": {"const": 0}},
}
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
    "ListRequest": {"limit": _LIMIT},
    "ReplayRequest": {"limit": {"minimum": 0, "maximum": MAX_LIMIT}},
    "UploadRequest": {"bytes": {"minimum": 0, "maximum": MAX_PUT_BYTES}},
    "LinkRequest": {"expires_seconds": {"minimum": MIN_LINK_SECONDS, "maximum": MAX_LINK_SECONDS}},
    "LsRequest": {"path": _PATH, "limit": _LIMIT},
    "FileReadRequest": {"path": _PATH, **_PAGE},
    "WriteRequest": _CHANGE,
    "EditRequest": {**_CHANGE, "old_string": {"minLength": 1}},
    "GlobRequest": {"path": _PATH, "pattern": {"minLength": 1, "maxLength": MAX_PATTERN_CHARS}, "limit": _LIMIT},
    "GrepRequest": {
        "path": _PATH,
        "pattern": {"minLength": 1, "maxLength": MAX_QUERY_CHARS},
        "glob": {"maxLength": MAX_PATTERN_CHARS},
        "before": {"minimum": 0, "maximum": MAX_LINES_AROUND},
        "after": {"minimum": 0, "maximum": MAX_LINES_AROUND},
        "limit": _LIMIT,
    },
}
"""By struct and field."""

WHOLE: dict[str, Bound] = {
    "ToolResult": {
        "oneOf": [
            {"required": ["content"], "properties": {"content": {"not": _NULL}, "upload": _NULL, "blocks": _NOT_TRUE}},
            {"required": ["upload"], "properties": {"upload": {"not": _NULL}, "content": _NULL}},
        ]
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
