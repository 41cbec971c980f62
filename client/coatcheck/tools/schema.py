"""A tool's arguments as JSON Schema, from the types of its request."""

from typing import Any, Literal, get_args, get_origin

import msgspec

from .catalogue import Tool, is_optional, plain_type
from .words import ToolWords

_TYPES = {str: "string", int: "integer", bool: "boolean"}


def parameters(tool: Tool, words: ToolWords, default: str, *, strict: bool) -> dict[str, Any]:
    """The object of its arguments; what may be left out says what it is then.

    `default` is how a default is told. Strict as OpenAI has it: all are required, what may be left out may be null, and
    no schema has a default.
    """
    properties = {name: _property(tool, field, words, default, strict=strict) for name, field in tool.fields.items()}
    required = [name for name, field in tool.fields.items() if strict or not is_optional(field)]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _property(
    tool: Tool, field: msgspec.structs.FieldInfo, words: ToolWords, default: str, *, strict: bool
) -> dict[str, Any]:
    schema = _typed(tool, field)
    value = None if field.default is msgspec.NODEFAULT else field.default
    description = words.fields[field.name]
    if value is not None and strict:
        description = f"{description} {default.format(value=msgspec.json.encode(value).decode())}"
    if is_optional(field) and strict:
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
    elif value is not None:
        schema["default"] = value
    return {**schema, "description": description}


def _typed(tool: Tool, field: msgspec.structs.FieldInfo) -> dict[str, Any]:
    plain = plain_type(field)
    choices = tool.choices.get(field.name) or (get_args(plain) if get_origin(plain) is Literal else ())
    if choices:
        return {"type": "string", "enum": list(choices)}
    return {"type": _TYPES[plain]}
