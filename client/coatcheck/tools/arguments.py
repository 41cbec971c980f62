"""What a model gives as arguments, understood as far as that is safe."""

import re
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

import msgspec

from coatcheck_core.stub.escaping import one_line
from coatcheck_schemas.requests import MAX_NUMBER

from .catalogue import Tool, is_optional, plain_type
from .words import Phrases

_FENCE = re.compile(r"\A```\w*\s*\n(.*?)\n?```\s*\Z", re.DOTALL)
_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
_FLAGS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_NOTHING = frozenset({"", "null", "none", "undefined"})
"""What models write, in place of leaving an optional argument out."""
_SHOWN_CHARS = 80
_SHOWN_NAME_CHARS = 40
_SHOWN_NAMES = 5
_ABSENT = object()


class BadArguments(Exception):
    """What is wrong with the arguments, in the words of a model's language."""


class Understood(msgspec.Struct, frozen=True, kw_only=True):
    """The request's fields, and the names of arguments that it does not have."""

    fields: dict[str, Any]
    ignored: list[str]


def understand(tool: Tool, arguments: object, words: Phrases) -> Understood:
    """Arguments as an object or as its JSON; numbers, flags and names may be written otherwise, null is left out.

    Raises BadArguments, which tells all that is wrong. What a tool that changes something does not know is wrong, too.
    """
    fields: dict[str, Any] = {}
    ignored: list[str] = []
    wrong: list[str] = []
    told: set[str] = set()
    for given, value in _as_object(tool, arguments, words).items():
        name = _field_name(tool, str(given))
        if name is None:
            ignored.append(str(given))
            continue
        try:
            understood = _value(tool, name, value, words)
        except BadArguments as error:
            wrong.append(str(error))
            told.add(name)
            continue
        if understood is not _ABSENT:
            fields[name] = understood
    missing = [name for name, field in tool.fields.items() if not is_optional(field) and name not in fields]
    wrong += [words.missing.format(name=name) for name in missing if name not in told]
    if ignored and (wrong or not tool.is_read_only):
        wrong.append(words.unknown_arguments.format(names=shown_names(ignored)))
    if wrong:
        raise BadArguments(f"{'; '.join(wrong)}. {words.known_arguments.format(names=', '.join(tool.fields))}")
    return Understood(fields=fields, ignored=ignored)


def shown(value: object) -> str:
    """A value in an error, short and on one line."""
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        text = repr(value) if isinstance(value, str) else type(value).__name__
    return one_line(text, _SHOWN_CHARS)


def shown_names(names: list[str]) -> str:
    """The first of them."""
    more = ["…"] if len(names) > _SHOWN_NAMES else []
    return ", ".join([*(one_line(name, _SHOWN_NAME_CHARS) or "''" for name in names[:_SHOWN_NAMES]), *more])


def _as_object(tool: Tool, arguments: object, words: Phrases) -> Mapping[Any, Any]:
    for _ in range(2):  # a text that holds JSON may itself be JSON's text
        if not isinstance(arguments, str | bytes | bytearray):
            break
        arguments = _decoded(arguments, words)
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        example = ", ".join(f'"{name}": ...' for name in list(tool.fields)[:2])
        raise BadArguments(words.not_an_object.format(example=example, given=shown(arguments)))
    return arguments


def _decoded(arguments: str | bytes | bytearray, words: Phrases) -> Any:
    text = arguments if isinstance(arguments, str) else bytes(arguments).decode("utf-8", "replace")
    fenced = _FENCE.match(text.strip())
    text = (fenced[1] if fenced else text).strip()
    if not text:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise BadArguments(words.not_json.format(why=one_line(str(error)))) from None


def _field_name(tool: Tool, given: str) -> str | None:
    """`ignoreCase` and `ignore-case` are `ignore_case`; the names of other tools are known where the tool says so."""
    if given in tool.fields:
        return given
    name = _HUMP.sub(r"_\1", given.strip()).replace("-", "_").lower()
    name = tool.aliases.get(name, name)
    return name if name in tool.fields else None


def _value(tool: Tool, name: str, value: object, words: Phrases) -> Any:
    field = tool.fields[name]
    plain = plain_type(field)
    if value is None:
        return _ABSENT
    choices = tool.choices.get(name) or (get_args(plain) if get_origin(plain) is Literal else ())
    is_word = bool(choices) or plain is not str or (is_optional(field) and name not in tool.verbatim)
    if is_optional(field) and is_word and isinstance(value, str) and value.strip().lower() in _NOTHING:
        return _ABSENT
    if choices:
        return _choice(name, value, choices, words)
    if plain is str:
        return _text(name, value, words)
    return _flag(name, value, words) if plain is bool else _number(name, value, words)


def _choice(name: str, value: object, choices: tuple[str, ...], words: Phrases) -> str:
    text = value.strip().lower() if isinstance(value, str) else ""
    for candidate in (text, f"{text}s"):
        if candidate in choices:
            return candidate
    raise BadArguments(words.bad_choice.format(name=name, choices=", ".join(choices), given=shown(value)))


def _text(name: str, value: object, words: Phrases) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return msgspec.json.encode(value).decode() if abs(value) <= MAX_NUMBER else str(value)
    raise BadArguments(words.bad_text.format(name=name, given=shown(value)))


def _flag(name: str, value: object, words: Phrases) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str | int | float):
        known = _FLAGS.get(str(value).strip().lower())
        if known is not None:
            return known
    raise BadArguments(words.bad_flag.format(name=name, given=shown(value)))


def _number(name: str, value: object, words: Phrases) -> int:
    number: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    elif isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9][0-9_,]{0,30}(\.0+)?\s*", value):
        number = int(re.sub(r"[_,\s]|\.0+\s*\Z", "", value))
    if number is None or abs(number) > MAX_NUMBER:
        raise BadArguments(words.bad_number.format(name=name, given=shown(value)))
    return number
