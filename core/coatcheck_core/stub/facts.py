"""The lines that say a synopsis' facts: what goes under Synopsis, Structure and Notable items."""

from collections.abc import Callable
from typing import Literal, TypeVar

import msgspec

from coatcheck_schemas.synopsis import (
    Attribute,
    Broken,
    CodeFacts,
    Detail,
    Extent,
    Field,
    JsonFacts,
    Member,
    Synopsis,
    TableFacts,
    TagCount,
    TextFacts,
    UnknownFacts,
    XmlFacts,
    YamlFacts,
)

from .encoded_runs import without_encoded_runs
from .escaping import one_line
from .words import Words, of_a_part
from .words import words as words_of

_T = TypeVar("_T")
_LINE_CHARS = 600
_CHILD_CHARS = 300
_DELIMITERS = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar"}


class FactLines(msgspec.Struct):
    """Lines by section, each already kept to its line."""

    synopsis: list[str] = []
    structure: list[str] = []
    notable: list[str] = []


def fact_lines(synopsis: Synopsis, language: Literal["en", "zh"]) -> FactLines:
    """Counts of a part are marked as such."""
    words = words_of(language) if synopsis.read is None else of_a_part(language)
    lines = FactLines()
    facts = synopsis.facts
    if isinstance(facts, JsonFacts):
        _json(facts, synopsis.format, words, lines)
    elif isinstance(facts, TableFacts):
        _table(facts, words, lines)
    elif isinstance(facts, YamlFacts):
        _yaml(facts, words, lines)
    elif isinstance(facts, XmlFacts):
        _xml(facts, words, lines)
    elif isinstance(facts, CodeFacts):
        _code(facts, synopsis.format, words, lines, is_part=synopsis.read is not None)
    elif isinstance(facts, TextFacts):
        _text(facts, words, lines, is_part=synopsis.read is not None)
    elif isinstance(facts, UnknownFacts):
        _unknown(facts, words, lines)
    if synopsis.read is not None:
        _read(synopsis.read, words, lines, tells_lines=not isinstance(facts, TextFacts | CodeFacts))
    if synopsis.broken is not None:
        _broken(synopsis.broken, words, lines)
    if synopsis.format is not None and not isinstance(facts, CodeFacts):
        lines.synopsis.append(words.format.format(format=one_line(synopsis.format)))
    lines.notable += [words.outcome.format(line=one_line(line)) for line in _outcome_beside_details(synopsis)]
    return lines


def _outcome_beside_details(synopsis: Synopsis) -> list[str]:
    """What the end says that no detail has said already; each once. A detail that was cut ends in `…`."""
    facts = synopsis.facts
    details = facts.details if isinstance(facts, TextFacts) else []
    told = [_bare(value) for detail in details for value in detail.values]
    whole, cut = set(told), tuple(value[:-1] for value in told if value.endswith("…"))
    once = {_bare(line): line for line in synopsis.outcome}
    return [line for bare, line in once.items() if bare not in whole and not bare.startswith(cut)]


def _bare(line: str) -> str:
    """Without the rule around it, as in `=== 2 failed ===`, and what white space it has."""
    return " ".join(line.strip("= \t").split())


def _json(facts: JsonFacts, finer: str | None, words: Words, lines: FactLines) -> None:
    types = f" ({', '.join(facts.item_types)})" if facts.item_types else ""
    if facts.type == "object":
        lines.synopsis.append(words.json_object.format(n=facts.length))
    elif facts.type == "array":
        phrases = {"ndjson": words.json_records, "json-concatenated": words.json_documents}
        phrase = phrases.get(finer or "", words.json_array)
        lines.synopsis.append(phrase.format(n=facts.length, types=types))
    else:
        lines.synopsis.append(words.json_scalar.format(type=facts.type))
    lines.synopsis += _json_oddities(facts, words)
    if facts.trailing_chars_after_first_json_value:
        lines.synopsis.append(words.trailing.format(n=facts.trailing_chars_after_first_json_value))
    prefix = "[]." if facts.type == "array" else ""
    described = [one_line(f"{prefix}{_member(member, words)}", _LINE_CHARS) for member in facts.members]
    lines.structure += _with_more(described, facts.member_count, words)
    for example in facts.examples:
        value = one_line(without_encoded_runs(example.value))
        lines.notable.append(words.example.format(path=one_line(example.path), value=value))


def _json_oddities(facts: JsonFacts, words: Words) -> list[str]:
    """What makes some parser stumble."""
    odd = []
    if facts.bad_records:
        numbers = _joined(facts.bad_lines, facts.bad_records, str, words)
        odd.append(words.json_bad.format(n=facts.bad_records, lines=numbers))
    if facts.repeated_keys:
        odd.append(words.json_repeated.format(n=facts.repeated_keys))
    if facts.not_strict:
        odd.append(words.json_not_strict)
    return odd


def _member(member: Member, words: Words) -> str:
    name = one_line(member.name)
    if member.type == "array":
        items = f" of {' or '.join(member.item_types)}" if member.item_types else ""
        shape = f"array{_length(member)}{items}"
    else:
        shape = member.type
    if not member.fields:
        return f"{name}: {shape}"
    return f"{name}: {shape} {{{_joined(member.fields, member.field_count, _field, words)}}}"


def _field(field: Field) -> str:
    length = _length(field) if field.type in ("array", "sequence") else ""
    return f"{one_line(field.name)}: {field.type}{length}"


def _length(child: Member | Field) -> str:
    """`[12]`, or `[12+]` of one that goes on behind what was read."""
    return "" if child.length is None else f"[{child.length}{'+' * child.partial}]"


def _yaml_field(field: Field, words: Words) -> str:
    """`services: mapping (web, db)`, or `version: string = 3.8`."""
    line = _field(field)
    if field.names:
        line += f" ({_joined(field.names, field.length or len(field.names), one_line, words)})"
    if field.value is not None:
        line += f" = {one_line(field.value)}"
    return one_line(line, _LINE_CHARS)


def _table(facts: TableFacts, words: Words, lines: FactLines) -> None:
    delimiter = _DELIMITERS.get(facts.delimiter, one_line(facts.delimiter))
    lines.synopsis.append(words.table.format(rows=facts.rows, columns=facts.columns, delimiter=delimiter))
    if facts.headless:
        lines.synopsis.append(words.no_header)
    if facts.starts_cut:
        lines.synopsis.append(words.starts_cut)
    if facts.ends_cut:
        lines.synopsis.append(words.ends_cut)
    described = _described_columns(facts)
    phrase = words.columns_typed.format(n=facts.typed_rows, names="{names}") if facts.typed_rows else words.columns
    if described:
        lines.structure.append(phrase.format(names=_joined(described, facts.columns, str, words)))


def _described_columns(facts: TableFacts) -> list[str]:
    """Their names with what is not text; without a header the types alone."""
    names = [one_line(name) for name in facts.names]
    if facts.headless:
        return facts.types
    types = facts.types or ["text"] * len(names)
    return [name if each == "text" else f"{name} ({each})" for name, each in zip(names, types, strict=False)]


def _yaml(facts: YamlFacts, words: Words, lines: FactLines) -> None:
    lines.synopsis.append(words.yaml.format(type=facts.type, n=facts.length, documents=facts.documents))
    if facts.parsed_chars is not None:
        lines.synopsis.append(words.yaml_part.format(n=facts.parsed_chars))
    if facts.skipped_lines:
        lines.synopsis.append(words.yaml_start.format(n=facts.skipped_lines))
    if facts.document_names:
        names = _joined(facts.document_names, facts.documents, one_line, words)
        lines.structure.append(one_line(words.yaml_names.format(names=names), _LINE_CHARS))
    prefix = "[]." if facts.type == "sequence" else ""
    keys = [f"{prefix}{_yaml_field(key, words)}" for key in facts.keys]
    lines.structure += _with_more(keys, facts.key_count, words)


def _xml(facts: XmlFacts, words: Words, lines: FactLines) -> None:
    root = one_line(facts.root)
    lines.synopsis.append(words.xml.format(root=root, attributes=facts.attributes, elements=facts.elements))
    if facts.further_documents:
        lines.synopsis.append(words.xml_documents.format(n=facts.further_documents + 1))
    if facts.trailing_chars:
        lines.synopsis.append(words.xml_trailing.format(n=facts.trailing_chars))
    if facts.root_attributes:
        shown = _joined(facts.root_attributes, facts.attributes, _attribute, words)
        lines.synopsis.append(one_line(words.xml_attributes.format(attributes=shown), _LINE_CHARS))
    if facts.namespaces:
        shown = _joined(facts.namespaces, facts.namespace_count, _attribute, words)
        lines.synopsis.append(one_line(words.xml_namespaces.format(namespaces=shown), _LINE_CHARS))
    lines.notable += [_detail(detail, words) for detail in facts.details]
    children = [one_line(_child(child, words), _CHILD_CHARS) for child in facts.children]
    lines.structure += _with_more(children, facts.child_tags, words)


def _attribute(attribute: Attribute) -> str:
    return f'{one_line(attribute.name)}="{one_line(attribute.value)}"'


def _child(child: TagCount, words: Words) -> str:
    """`item: 20, the first with id="7" {name: 1, price: 1}`, or `artifactId: 1 = core`."""
    line = _tag(child, words)
    if child.attributes:
        attributes = _joined(child.attributes, child.attribute_count, _attribute, words)
        line += (words.xml_alone if child.count == 1 else words.xml_first).format(attributes=attributes)
    if child.children:
        line += f" {{{_joined(child.children, child.child_tags, lambda below: _tag(below, words), words)}}}"
    return line


def _tag(child: TagCount, words: Words) -> str:
    text = f" = {one_line(child.text)}" if child.text is not None and child.count == 1 else ""
    return f"{one_line(child.tag)}: {words.count.format(n=child.count)}{text}"


def _code(facts: CodeFacts, language: str | None, words: Words, lines: FactLines, *, is_part: bool) -> None:
    phrase = words.code_in_all if is_part else words.code
    lines.synopsis.append(phrase.format(language=one_line(language or "source"), lines=facts.lines))
    symbols = _numbered(facts.symbols, facts.symbol_lines)
    lines.structure += _block(words.symbols, symbols, facts.symbol_count, words)
    members = _numbered(facts.members, facts.member_lines)
    lines.structure += _block(words.members, members, facts.member_count, words)
    lines.structure += _block(words.imports, facts.imports, facts.import_count, words)


def _numbered(items: list[str], numbers: list[int]) -> list[str]:
    """Each after the line on which it stands, where that is known."""
    if len(numbers) != len(items):
        return items
    return [f"{number}: {item}" for number, item in zip(numbers, items, strict=True)]


def _text(facts: TextFacts, words: Words, lines: FactLines, *, is_part: bool) -> None:
    phrase = words.text_in_all if is_part else words.text
    lines.synopsis.append(phrase.format(chars=facts.chars, words=facts.words, lines=facts.lines))
    lines.structure += [_detail(detail, words) for detail in facts.details]
    lines.structure += _block(words.headers, facts.headers, facts.header_count, words)


def _detail(detail: Detail, words: Words) -> str:
    """`files (12): a.py +3 -2, b.py +1 -0, and 10 more`."""
    count = len(detail.values) if detail.count is None else detail.count
    title = one_line(detail.name)
    if detail.count is not None:
        title = f"{title} ({words.count.format(n=count)})"
    if not detail.values:
        return title
    return one_line(f"{title}: {_joined(detail.values, count, one_line, words)}", _LINE_CHARS)


def _read(read: Extent, words: Words, lines: FactLines, *, tells_lines: bool) -> None:
    if tells_lines and read.lines is not None:
        lines.synopsis.append(words.lines_in_all.format(n=read.lines))
    lines.synopsis.append(words.read.format(bytes=read.bytes, end=read.end_bytes, of=read.of))


def _broken(broken: Broken, words: Words, lines: FactLines) -> None:
    reason = one_line(broken.reason)
    lines.synopsis.append(words.broken.format(of=broken.of, offset=broken.offset, line=broken.line, reason=reason))
    if broken.read:
        details = "; ".join(_detail(detail, words) for detail in broken.read)
        lines.structure.append(words.read_until.format(details=one_line(details, _LINE_CHARS)))


def _unknown(facts: UnknownFacts, words: Words, lines: FactLines) -> None:
    lines.synopsis.append(getattr(words, facts.why))
    if facts.chars is None:
        lines.synopsis.append(words.size_bytes.format(n=facts.bytes))
    else:
        lines.synopsis.append(words.size_chars.format(n=facts.chars, bytes=facts.bytes))


def _block(title: str, items: list[str], count: int, words: Words) -> list[str]:
    if not items:
        return []
    return [title.format(n=count), *_with_more([one_line(item) for item in items], count, words)]


def _with_more(shown: list[str], count: int, words: Words) -> list[str]:
    """The list, and how many it leaves out."""
    return [*shown, words.more.format(n=count - len(shown))] if count > len(shown) else shown


def _joined(items: list[_T], count: int, show: Callable[[_T], str], words: Words) -> str:
    return ", ".join(_with_more([show(item) for item in items], count, words))
