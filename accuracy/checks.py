"""Extensions lie. What a file is where its name says something else: by its own parser, or as somebody read it."""

import configparser
import csv
import io
import json
import re
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable

import yaml

from .corrections import CORRECTIONS
from .texts import ANY, Label

_UNKNOWN = Label.parse("unknown/*")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#)\b)\w+;")
_LARGEST_YAML = 60_000
_MARKDOWN_MARK = re.compile(r"(?m)^(?:#{1,6} \S|[=-]{3,}$|```|~~~|> \S|\|.*\|$)|\]\(|\]\[\w|\*\*\w")
_MARKDOWN_HINT = re.compile(r"(?m)^ {0,3}(?:[-*+]|\d+\.) \S|`\w")
"""What plain texts have as well: lists, and names in backquotes."""
_TYPED = re.compile(
    r"\b(?:interface|declare|readonly|enum|implements|namespace)\s|\btype\s+\w+.*="
    r"|\w\??\)?:\s*[\w{\[(]|import type|\bas\s+\w"
)
"""Of TypeScript that has none of it nobody could say that it is no JavaScript."""
_HTML = re.compile(r"<(?:html|head|body|!doctype html)\b", re.IGNORECASE)
_SHEBANG = re.compile(r"#!\s*/\S*?(?:/env\s+)?(\w+?)[\d.]*\s")
_SCRIPTS = {
    "sh": "code/shell",
    "bash": "code/shell",
    "dash": "code/shell",
    "python": "code/python",
    "perl": "code/perl",
}
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_OBJECTIVE_C = re.compile(r"(?m)^\s*(?:#import\b|@(?:interface|protocol|class|import|end)\b)")


def checked(label: Label, name: str, data: bytes) -> Label | None:
    """The label of the file's content; None where a person could not give one."""
    for pattern, correction in CORRECTIONS.items():
        if re.fullmatch(pattern, name):
            return None if correction is None else Label.parse(correction)
    if label.kind == "unknown":
        return label
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _UNKNOWN
    if "\0" in text:
        return _UNKNOWN
    return _by_parser(label, _COLOUR.sub("", text))


def _by_parser(label: Label, text: str) -> Label | None:
    if label.kind == "text" and (interpreter := _SHEBANG.match(text)) is not None:
        return Label.parse(_SCRIPTS.get(interpreter[1], "code/*"))
    check = _BY_KIND.get(label.kind) or _BY_FORMAT.get(label.graded or "")
    if check is not None:
        return check(label, text)
    return Label.parse("xml/*") if label.kind == "text" and is_xml(text) else label


def _json(label: Label, text: str) -> Label | None:
    """Records and several documents are not parsed: who prints them is known."""
    return label if {"ndjson", ANY} & set(label.formats) or _is_json(text) else None


def _xml(label: Label, text: str) -> Label | None:
    return label if is_xml(text) else None


def _yaml(label: Label, text: str) -> Label | None:
    return label if len(text) < _LARGEST_YAML and _is_yaml(text) else None


def _table(label: Label, text: str) -> Label | None:
    """The contract takes a table only where rows agree on the number of columns; one in a hundred may be cut."""
    delimiter = max(",;|" if label.kind == "csv" else "\t", key=text[:4000].count)
    try:
        widths = Counter(len(row) for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row)
    except csv.Error:
        return None
    agree = widths.most_common(1)[0][1] if widths else 0
    return label if agree >= 0.99 * widths.total() - 1 else Label.parse("text/*")


def _html(label: Label, text: str) -> Label | None:
    if is_xml(text):
        return Label.parse("xml/html|-")
    return label if _HTML.search(text[:3000]) else None


def _ini(_label: Label, text: str) -> Label | None:
    if is_xml(text):
        return Label.parse("xml/*")
    return Label.parse("text/ini") if _is_ini(text) else _loose_settings(text)


def _toml(label: Label, text: str) -> Label | None:
    return label if _is_toml(text) else None


def _markdown(label: Label, text: str) -> Label | None:
    if _MARKDOWN_MARK.search(text):
        return label
    return Label.parse("text/markdown|-" if _MARKDOWN_HINT.search(text) else "text/-|markdown")


def _typescript(label: Label, text: str) -> Label | None:
    return label if _TYPED.search(text) else Label.parse("code/typescript|javascript")


def _c(label: Label, text: str) -> Label | None:
    return Label.parse("code/*") if _OBJECTIVE_C.search(text) else label


_Check = Callable[[Label, str], Label | None]
_BY_KIND: dict[str, _Check] = {"json": _json, "xml": _xml, "yaml": _yaml, "csv": _table, "tsv": _table}
_BY_FORMAT: dict[str, _Check] = {
    "html": _html,
    "ini": _ini,
    "toml": _toml,
    "markdown": _markdown,
    "typescript": _typescript,
    "c": _c,
}


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def is_xml(text: str) -> bool:
    """Well-formed, the DOCTYPE and the entities that it would have declared aside."""
    if not text.lstrip().startswith("<"):
        return False
    try:
        ElementTree.fromstring(_ENTITY.sub("-", _DOCTYPE.sub("", text, count=1)).lstrip())
    except (ElementTree.ParseError, ValueError):
        return False
    return True


def _is_yaml(text: str) -> bool:
    """Of mappings and sequences; what has no own tag is built, others are only parsed."""
    try:
        documents = [node for node in yaml.compose_all(text, Loader=yaml.CSafeLoader) if node is not None]
    except (yaml.YAMLError, RecursionError):
        return False
    return bool(documents) and not any(isinstance(node, yaml.ScalarNode) for node in documents)


def _is_ini(text: str) -> bool:
    parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return False
    return any(parser.items(section) for section in parser.sections())


def _loose_settings(text: str) -> Label:
    """Settings in a program's own grammar; where they have sections, calling them INI is no mistake."""
    return Label.parse("text/-|ini" if re.search(r"(?m)^\s*\[[\w .:/-]+\]\s*$", text) else "text/-")


def _is_toml(text: str) -> bool:
    try:
        return bool(tomllib.loads(text))
    except ValueError:
        return False
