"""Fields of a message, whether it is a dict or an object, as frameworks and SDKs have them."""

import copy
from typing import Any

import msgspec


def field(value: Any, name: str) -> Any:
    """None where there is no such field."""
    if isinstance(value, dict):
        return value.get(name)
    return getattr(value, name, None)


def has_fields(value: Any) -> bool:
    """Whether it is a thing with fields at all, not a text, a number or a list."""
    return value is not None and not isinstance(value, str | bytes | bytearray | int | float | list | tuple)


def replaced(value: Any, **changes: Any) -> Any:
    """A copy with other values in some fields, of the same type; the rest is shared with the value."""
    if isinstance(value, dict):
        return {**value, **changes}
    if hasattr(value, "model_copy"):  # pydantic's models, which the SDKs and frameworks are made of
        return value.model_copy(update=changes)
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(value, **changes)
    other = copy.copy(value)
    for name, change in changes.items():
        object.__setattr__(other, name, change)  # a frozen dataclass refuses the plain way, and nobody has it yet
    return other


def word(value: Any, name: str) -> str | None:
    """A field that is a text, as a type or a role; None where it is anything else, which need not even be hashable."""
    found = field(value, name)
    return found if isinstance(found, str) else None


def id_of(value: Any) -> str:
    """Of a call; `""` where there is none."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def name_of(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def items_of(value: Any) -> list[Any]:
    """A list's own items; nothing where it is none."""
    return list(value) if isinstance(value, list | tuple) else []
