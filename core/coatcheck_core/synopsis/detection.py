"""Which of the eight kinds a result is, in the order that the contract gives."""

from coatcheck_schemas.synopsis import Facts, Kind, Synopsis, UnknownFacts, Why

from .binary import is_binary_like, magic_format
from .bounds import bounded
from .code import read_code
from .formats import text_format
from .json_facts import Json, read_json
from .mime import Declared, declared
from .outcome import read_outcome
from .seen import visible
from .table import read_table
from .text import describe_text
from .xml_facts import read_xml
from .yaml_facts import read_yaml

_FORMATS_LIKE_CODE = frozenset({"diff", "log", "traceback", "html"})
"""What quotes code or looks a little like it, and is none."""


def synopsize(data: bytes, mime_type: str | None = None, *, text: str | None = None) -> Synopsis:
    """The synopsis of a result; pure, deterministic, and never raises.

    `text` is `data` decoded, where the caller has it already. Time is linear in the length.
    """
    if text is None:
        text = _decode(data)
    if not data:
        return _unknown(data, text, "empty", None)
    if text is None or is_binary_like(data, text):
        return _unknown(data, text, "binary", magic_format(data))
    return bounded(_detect(data, text, declared(mime_type)))


def _decode(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _unknown(data: bytes, text: str | None, why: Why, finer: str | None, outcome: list[str] | None = None) -> Synopsis:
    facts = UnknownFacts(why=why, bytes=len(data), chars=None if text is None else len(text))
    return Synopsis(kind="unknown", format=finer, facts=facts, outcome=outcome or [])


def _detect(data: bytes, text: str, hint: Declared | None) -> Synopsis:
    seen = visible(text)
    json = read_json(seen, scalars=hint in ("json", "ndjson"))
    if json.facts is not None:
        return _json(json)
    xml = read_xml(seen)
    if xml.facts is not None:
        return Synopsis(kind="xml", format=xml.format, facts=xml.facts)
    cut = "json-truncated" if json.truncated else "xml-truncated" if xml.truncated else None
    if hint in ("json", "ndjson", "xml"):
        return _unknown(data, text, "declared_type", cut, read_outcome(seen))
    if cut is not None:
        return _text(seen, text, cut)
    return _loose(seen, text, hint)


def _json(json: Json) -> Synopsis:
    outcome = read_outcome(json.trailing) if json.trailing else []
    return Synopsis(kind="json", format=json.format, facts=json.facts, outcome=outcome)


def _loose(seen: str, text: str, hint: Declared | None) -> Synopsis:
    """What has no strict grammar: tables, YAML, code, and text, which everything else is."""
    if (table := read_table(seen, "\t", declared=hint == "tsv")) is not None:
        return _of("tsv", None, table)
    for delimiter in ",;":
        if (table := read_table(seen, delimiter, declared=hint == "csv")) is not None:
            return _of("csv", None, table)
    finer = text_format(seen)
    if finer in _FORMATS_LIKE_CODE:
        return _text(seen, text, finer)
    if finer != "markdown" and (yaml := read_yaml(seen)) is not None:
        return _of("yaml", None, yaml)
    if (code := read_code(seen)) is not None:
        return _of("code", code.language, code.facts)
    return _text(seen, text, finer)


def _of(kind: Kind, finer: str | None, facts: Facts) -> Synopsis:
    return Synopsis(kind=kind, format=finer, facts=facts)


def _text(seen: str, text: str, finer: str | None) -> Synopsis:
    facts = describe_text(seen, text, with_headers=finer not in ("log", "diff", "json-truncated", "xml-truncated"))
    outcome = [] if finer in ("markdown", "html") else read_outcome(seen)
    return Synopsis(kind="text", format=finer, facts=facts, outcome=outcome)
