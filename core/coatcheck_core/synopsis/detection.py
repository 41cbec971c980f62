"""Which of the eight kinds a result is, in the order that the contract gives."""

import msgspec

from coatcheck_core.encodings import UTF_8, as_utf8, text_encoding
from coatcheck_core.magic import magic_format
from coatcheck_schemas.synopsis import Broken, Synopsis, UnknownFacts, Why

from .binary import is_controls, is_undecodable, is_utf8
from .bounds import bounded
from .code.reading import read_code
from .cut_mark import cut_mark
from .effort import OutOfTime, Step, unhurried
from .json.reading import Json, read_json
from .measures import measure
from .mime import Declared, declared
from .seen import Seen
from .tables.delimited import read_delimited
from .text.describing import describe_text
from .text.formats import decides, text_format
from .text.outcome import read_outcome
from .xml.reading import Xml, read_xml
from .yaml.reading import read_yaml


def synopsize(data: bytes, mime_type: str | None = None, *, step: Step = unhurried) -> Synopsis:
    """The synopsis of a result; pure, deterministic, and never raises.

    Time is linear in the length, memory beside `data` at most its size once more. `step` is called every few
    milliseconds; where it raises OutOfTime, the plain synopsis is the answer.
    """
    try:
        return bounded(_synopsize(data, mime_type, step))
    except OutOfTime:
        return plain_synopsis(data, "time_limit")


def plain_synopsis(data: bytes, why: Why, finer: str | None = None) -> Synopsis:
    """What needs no look at the text but its size: a stub of it has a sample of both ends."""
    chars = None if why == "time_limit" or not is_utf8(data) else measure(data).chars
    return Synopsis(kind="unknown", format=finer, facts=UnknownFacts(why=why, bytes=len(data), chars=chars))


def _synopsize(data: bytes, mime_type: str | None, step: Step) -> Synopsis:
    if not data:
        return plain_synopsis(data, "empty")
    hint = declared(mime_type)
    strict = _strict_json(data, step)
    if strict is not None and strict.is_whole and strict.synopsis is not None:
        return strict.synopsis
    if is_undecodable(data, step):
        return _recoded(data, mime_type, step) or plain_synopsis(data, "binary", magic_format(data))
    return _text(data, hint, step, strict)


def _recoded(data: bytes, mime_type: str | None, step: Step) -> Synopsis | None:
    """Of a text in another encoding than UTF-8, as if it were in that; None of what is no text."""
    encoding = text_encoding(data, mime_type)
    if encoding is None or encoding == UTF_8:
        return None
    try:
        text = as_utf8(data, encoding, step)
    except UnicodeDecodeError:
        return None
    if is_undecodable(text, step):
        return None
    synopsis = _text(text, declared(mime_type), step)
    if isinstance(synopsis.facts, UnknownFacts):
        facts = msgspec.structs.replace(synopsis.facts, bytes=len(data))
        return msgspec.structs.replace(synopsis, facts=facts)
    return synopsis


def _text(data: bytes, hint: Declared | None, step: Step, strict: Json | None = None) -> Synopsis:
    """Of UTF-8; `strict` is what was read of it already, as JSON."""
    seen = Seen(data, step)
    is_read = strict is not None and seen.data is data
    json = strict if is_read and strict is not None else read_json(seen, scalars=hint in ("json", "ndjson"))
    if not json.is_whole and is_controls(data, step):
        return plain_synopsis(data, "binary", magic_format(data))
    return json.synopsis or _detect(seen, hint, json)


def _strict_json(data: bytes, step: Step) -> Json | None:
    """Read as it is, where it may be JSON: strict JSON has no control characters that would have to be looked for."""
    if not data.startswith((b"{", b"[")) or not data.isascii():
        return None
    json = read_json(Seen(data, step, is_plain=True))
    is_lenient = json.synopsis is not None and json.synopsis.format == "jsonc"
    return None if is_lenient else json


def _detect(seen: Seen, hint: Declared | None, json: Json) -> Synopsis:
    """Of a text that is no JSON."""
    xml = read_xml(seen)
    if xml.synopsis is not None:
        return xml.synopsis
    cut, wrong = _broken(seen, json, xml)
    if hint in ("json", "ndjson", "xml"):
        return _unparsable(seen, cut, wrong)
    if cut is not None:
        return describe_text(seen, f"{cut.of}-truncated", cut)
    found = _loose(seen, hint)
    return found if found.kind != "text" else msgspec.structs.replace(found, broken=wrong)


def _broken(seen: Seen, json: Json, xml: Xml) -> tuple[Broken | None, Broken | None]:
    """The document that is cut off, or the one that is wrong in its middle.

    What is wrong first where a tool says that it has cut the text is cut off there.
    """
    cut = json.broken or (xml.broken if xml.cut else None)
    wrong = json.wrong or (None if xml.cut else xml.broken)
    if cut is None and wrong is not None:
        mark = cut_mark(seen)
        if mark is not None and wrong.offset >= seen.place(mark)[0]:
            return msgspec.structs.replace(wrong, reason="ends in a truncation mark"), None
    return cut, wrong


def _unparsable(seen: Seen, cut: Broken | None, wrong: Broken | None) -> Synopsis:
    """What its declared type does not hold for."""
    facts = UnknownFacts(why="declared_type", bytes=len(seen.original), chars=seen.measures.chars)
    finer = None if cut is None else f"{cut.of}-truncated"
    return Synopsis(kind="unknown", format=finer, facts=facts, outcome=read_outcome(seen), broken=cut or wrong)


def _loose(seen: Seen, hint: Declared | None) -> Synopsis:
    """What has no strict grammar: tables, YAML, code, and text, which everything else is."""
    if (table := read_delimited(seen, hint)) is not None:
        return table
    finer = text_format(seen)
    if decides(finer):
        return describe_text(seen, finer)
    if (yaml := read_yaml(seen)) is not None:
        return yaml
    if (code := read_code(seen)) is not None:
        return msgspec.structs.replace(code, outcome=read_outcome(seen, "code"))
    return describe_text(seen, finer)
