"""JSON and NDJSON. Only what is shown is decoded; the rest is checked and skipped, by msgspec."""

import re
from collections.abc import Iterator

import msgspec
from msgspec import Raw

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.text.outcome import outcome_of
from coatcheck_schemas.synopsis import Broken, Example, Field, JsonFacts, JsonType, Member, Synopsis

MAX_MEMBERS = 10
MAX_EXAMPLES = 5
MAX_EXAMPLE_CHARS = 120

_SAMPLED_ITEMS = 100
_NAME_CHARS = 100
"""Less than elsewhere: two levels of ten names have to fit."""

Value = dict[str, Raw] | list[Raw]

_CONTAINER: msgspec.json.Decoder[Value] = msgspec.json.Decoder(Value)
_ANY = msgspec.json.Decoder(Raw)
_TRAILING = re.compile(r"trailing characters \(byte ([0-9]+)\)")
_LONE_SURROGATE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])"
)
_TYPES: dict[int, JsonType] = {
    ord("{"): "object",
    ord("["): "array",
    ord('"'): "string",
    ord("t"): "boolean",
    ord("f"): "boolean",
    ord("n"): "null",
}


class _Opened:
    """Containers decoded one level, each once: decoding a level reads all that is below it."""

    def __init__(self) -> None:
        self._values: dict[int, tuple[Raw, Value]] = {}

    def __call__(self, raw: Raw) -> Value:
        known = self._values.get(id(raw))  # the raw is kept beside its value, so that no other takes its id
        if known is None:
            known = self._values[id(raw)] = (raw, _CONTAINER.decode(raw))
        return known[1]


class _Json(msgspec.Struct, frozen=True):
    """What a text is: JSON (with its facts), or `truncated`, or neither."""

    facts: JsonFacts | None = None
    format: str | None = None
    truncated: bool = False
    trailing: str = ""


class Json(msgspec.Struct, frozen=True):
    """What a text is: JSON, or JSON up to a place, or neither."""

    synopsis: Synopsis | None = None
    broken: Broken | None = None


def read_json(seen: Seen, *, scalars: bool = False) -> Json:
    """JSON, NDJSON, or one JSON value with something after it."""
    json = _read(seen.text, scalars=scalars)
    if json.facts is None:
        return Json(
            broken=Broken(of="json", offset=len(seen.text), line=0, reason="cut off") if json.truncated else None
        )
    outcome = outcome_of(json.trailing) if json.trailing else []
    return Json(Synopsis(kind="json", format=json.format, facts=json.facts, outcome=outcome))


def _read(text: str, *, scalars: bool = False) -> _Json:
    """Facts where the text is JSON, NDJSON, or one JSON value with something after it.

    Only a text that begins with `{` or `[` is taken, unless `scalars` allows any value.
    """
    start = text.lstrip()
    if not start.startswith(("{", "[")):
        return _read_scalar(start) if scalars else _Json()
    data = start.encode()
    try:
        try:
            return _Json(_describe(_CONTAINER.decode(data)))
        except msgspec.DecodeError as error:
            mended = _without_lone_surrogates(data)
            if mended == data:
                return _read_broken(data, str(error))
            return _read_mended(mended)
    except (msgspec.DecodeError, RecursionError):
        return _Json()


def _read_mended(data: bytes) -> _Json:
    try:
        return _Json(_describe(_CONTAINER.decode(data)))
    except msgspec.DecodeError as error:
        return _read_broken(data, str(error))


def _read_scalar(text: str) -> _Json:
    try:
        raw = _ANY.decode(text.encode())
    except (msgspec.DecodeError, RecursionError):
        return _Json()
    examples = [Example(path="$", value=_show(raw))]
    return _Json(JsonFacts(type=_type(raw), examples=examples))


def _read_broken(data: bytes, error: str) -> _Json:
    match = _TRAILING.search(error)
    if match is None:
        return _Json(truncated="truncated" in error)
    if (records := _read_records(data)) is not None:
        return records
    end = int(match[1]) - 1  # msgspec counts from one here
    try:
        value = _CONTAINER.decode(data[:end])
    except msgspec.DecodeError:
        return _Json()
    same_line = b"\n" not in data[len(data[:end].rstrip()) : end]
    if same_line and not _stands_alone(value):
        return _Json()
    trailing = data[end:].decode(errors="replace").strip()
    facts = msgspec.structs.replace(_describe(value), trailing_chars_after_first_json_value=len(trailing))
    return _Json(facts, trailing=trailing)


def _stands_alone(value: Value) -> bool:
    """Whether this is data even with words right behind it: `[1] Smith, 1999` and `{} apples` are not."""
    if isinstance(value, dict):
        return bool(value)
    return any(_type(item) not in ("number", "boolean", "null") for item in value[:_SAMPLED_ITEMS])


def _read_records(data: bytes) -> _Json | None:
    """NDJSON: two records or more, each on its line; the last line may be something else, and is counted so."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    records = _decode_lines(lines[:-1])
    if not records:
        return None
    last = _decode_lines(lines[-1:])
    trailing = "" if last else lines[-1].decode(errors="replace").strip()
    records += last or []
    if len(records) < 2:
        return None
    merged: dict[str, Raw] = {}
    for record in records:
        if isinstance(record, dict) and not record.keys() <= merged.keys():
            for name, value in record.items():
                merged.setdefault(name, value)
    opened = _Opened()
    facts = JsonFacts(
        type="array",
        length=len(records),
        item_types=_unique("object" if isinstance(record, dict) else "array" for record in records[:_SAMPLED_ITEMS]),
        members=_members(merged, opened),
        member_count=len(merged),
        examples=_examples(records[0], "[0]", opened),
        trailing_chars_after_first_json_value=len(trailing),
    )
    return _Json(facts, "ndjson", trailing=trailing)


def _decode_lines(lines: list[bytes]) -> list[Value] | None:
    if not all(line.lstrip()[:1] in (b"{", b"[") for line in lines):
        return None
    try:
        return [_CONTAINER.decode(line) for line in lines]
    except msgspec.DecodeError:
        return None


def _describe(value: Value) -> JsonFacts:
    opened = _Opened()
    if isinstance(value, dict):
        return JsonFacts(
            type="object",
            length=len(value),
            members=_members(value, opened),
            member_count=len(value),
            examples=_examples(value, "", opened),
        )
    first = _first_object(value, opened)
    return JsonFacts(
        type="array",
        length=len(value),
        item_types=_item_types(value),
        members=_members(first, opened),
        member_count=len(first),
        examples=_examples(value, "", opened),
    )


def _members(value: dict[str, Raw], opened: _Opened) -> list[Member]:
    return [_member(name, raw, opened) for name, raw in _head(value)]


def _member(name: str, raw: Raw, opened: _Opened) -> Member:
    name, kind = clip(name, _NAME_CHARS), _type(raw)
    if kind not in ("object", "array"):
        return Member(name=name, type=kind)
    child = opened(raw)
    shown = child if isinstance(child, dict) else _first_object(child, opened)
    return Member(
        name=name,
        type=kind,
        length=len(child),
        item_types=[] if isinstance(child, dict) else _item_types(child),
        fields=[_field(key, below, opened) for key, below in _head(shown)],
        field_count=len(shown),
    )


def _field(name: str, raw: Raw, opened: _Opened) -> Field:
    kind = _type(raw)
    length = len(opened(raw)) if kind in ("object", "array") else None
    return Field(name=clip(name, _NAME_CHARS), type=kind, length=length)


def _head(value: dict[str, Raw]) -> Iterator[tuple[str, Raw]]:
    return (item for item, _ in zip(value.items(), range(MAX_MEMBERS), strict=False))


def _first_object(items: list[Raw], opened: _Opened) -> dict[str, Raw]:
    for item in items[:_SAMPLED_ITEMS]:
        if _type(item) == "object":
            child = opened(item)
            return child if isinstance(child, dict) else {}
    return {}


def _item_types(items: list[Raw]) -> list[str]:
    return _unique(_type(item) for item in items[:_SAMPLED_ITEMS])


def _unique(types: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(types))


def _type(raw: Raw) -> JsonType:
    return _TYPES.get(memoryview(raw)[0], "number")


def _examples(value: Value, path: str, opened: _Opened) -> list[Example]:
    """The first scalars, those of the top level before those of the level below."""
    scalars: list[Example] = []
    for depth in (1, 2, 3):
        for at, raw in _scalars(value, path, depth, opened):
            scalars.append(Example(path=clip(at.lstrip(".")), value=_show(raw)))
            if len(scalars) == MAX_EXAMPLES:
                return scalars
    return scalars


def _scalars(value: Value, path: str, depth: int, opened: _Opened) -> Iterator[tuple[str, Raw]]:
    """The scalars exactly `depth` levels down, among the first members; of an array, those of its first item."""
    pairs = _head(value) if isinstance(value, dict) else enumerate(value[:1] if depth > 1 else value[:MAX_EXAMPLES])
    for key, raw in pairs:
        at = f"{path}{_step(key)}"
        is_scalar = _type(raw) not in ("object", "array")
        if depth == 1 and is_scalar:
            yield at, raw
        elif depth > 1 and not is_scalar:
            yield from _scalars(opened(raw), at, depth - 1, opened)


def _step(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    key = clip(key, _NAME_CHARS)
    return f".{key}" if re.fullmatch(r"[\w-]+", key) else f"[{msgspec.json.encode(key).decode()}]"


def _show(raw: Raw) -> str:
    """The scalar as JSON text; a string is decoded first, so that nothing is cut inside an escape."""
    if _type(raw) != "string":
        return clip(bytes(memoryview(raw)[: MAX_EXAMPLE_CHARS * 2]).decode(errors="replace"), MAX_EXAMPLE_CHARS)
    text: str = msgspec.json.decode(raw, type=str)
    return msgspec.json.encode(clip(text, MAX_EXAMPLE_CHARS)).decode()


def _without_lone_surrogates(data: bytes) -> bytes:
    """JSON may escape half of a surrogate pair; msgspec refuses what is not Unicode."""
    if b"\\ud" not in data and b"\\uD" not in data:
        return data
    return _LONE_SURROGATE.sub(lambda match: b"\\ufffd" if match[1] else match[0], data)
