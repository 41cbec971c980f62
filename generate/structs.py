"""A JSON Schema for each struct, from its types, its docstring and what the prose says of its fields."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from coatcheck_schemas.blocks import BLOCK_TYPES

from . import prose
from .bounds import BOUNDS, WHOLE

Schema = dict[str, Any]

CONTENT_BLOCK: Schema = {
    "title": "ContentBlock",
    "description": "A content block of MCP, passed on as it came: `text` has `text`; `image` and `audio` have `data`, "
    "standard base64; `resource` has `resource.text` or `resource.blob`; `resource_link` has `uri`.",
    "type": "object",
    "properties": {
        "type": {"enum": list(BLOCK_TYPES)},
        "text": {"type": "string"},
        "data": {"type": "string", "contentEncoding": "base64"},
        "mimeType": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "uri": {"type": "string"},
        "resource": {"type": "object"},
    },
    "required": ["type"],
}
_NONE: tuple[str, list[str]] = ("required", [])
_WITH_BLOCKS = {"ToolResult", "StubEvent"}
"""Whose `content` may be a list of them; the structs leave them as they came."""


def components(structs: Iterable[type[msgspec.Struct]], ref: str) -> dict[str, Schema]:
    """By name, the schemas of these and of all that is in them; `ref` makes a reference of a `{name}`."""
    given = [_readable(struct) for struct in structs]
    _, found = msgspec.json.schema_components(given, ref_template=ref)
    if not _WITH_BLOCKS.isdisjoint(found):
        found["ContentBlock"] = CONTENT_BLOCK
    return {name: _finished(name, schema, ref) for name, schema in found.items()}


def _readable(struct: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """The same, where absent JSON is told as absent: msgspec has no schema for what is raw by default."""
    fields = msgspec.structs.fields(struct)
    if not any(isinstance(field.default, msgspec.Raw) for field in fields):
        return struct
    config = struct.__struct_config__
    return msgspec.defstruct(
        struct.__name__,
        [_field(field) for field in fields],
        namespace={"__doc__": struct.__doc__},
        kw_only=True,
        forbid_unknown_fields=config.forbid_unknown_fields,
    )


def _field(field: msgspec.structs.FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    if isinstance(field.default, msgspec.Raw):
        return field.name, Any | msgspec.UnsetType, msgspec.UNSET
    return (field.name, field.type) if field.required else (field.name, field.type, field.default)


def _finished(name: str, schema: Schema, ref: str) -> Schema:
    finished: Schema = _tidy(schema)
    if name in _WITH_BLOCKS:
        finished["properties"]["content"] = _of_blocks(finished["properties"]["content"], ref)
    properties = finished.get("properties", {})
    for field, bounds in BOUNDS.get(name, {}).items():
        properties[field] = {**properties[field], **bounds}  # each counts for its own type, and for null none
    for field, told in prose.told(name).items():
        if field in properties:
            properties[field] = {**properties[field], "description": told}
    return {**finished, **WHOLE.get(name, {})}


def _tidy(schema: Any) -> Any:
    """Without what no JSON Schema knows, and lines of prose joined."""
    if isinstance(schema, list):
        return [_tidy(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _tidy(value) for key, value in schema.items() if key != "discriminator" and (key, value) != _NONE}
    choices = found.get("anyOf", [])
    if choices and all(list(one) == ["type"] for one in choices):
        found = {"type": [one["type"] for one in found.pop("anyOf")], **found}
    if isinstance(found.get("description"), str):
        found["description"] = re.sub(r"(?<!\n)\n(?!\n)", " ", found["description"])
    if "$ref" in found and len(found) > 1:  # beside a reference nothing counted before draft 2019-09
        found = {"allOf": [{"$ref": found.pop("$ref")}], **found}
    return found


def _of_blocks(schema: Schema, ref: str) -> Schema:
    blocks = {"type": "array", "items": {"$ref": ref.format(name="ContentBlock")}}
    choices = [blocks if one.get("type") == "array" else one for one in schema["anyOf"]]
    return {**schema, "anyOf": choices}
