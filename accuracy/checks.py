"""Extensions lie. What a file is where its name says something else: by its own parser, or as somebody read it."""

import configparser
import json
import re
import tomllib
import xml.etree.ElementTree as ElementTree

import yaml

from .corrections import CORRECTIONS
from .texts import Label

_UNKNOWN = Label.parse("unknown/*")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#)\b)\w+;")
_LARGEST_YAML = 60_000
_MARKDOWN_MARK = re.compile(
    r"(?m)^(?:#{1,6} \S|[=-]{3,}$|```|~~~| {0,3}[-*+] \S| {0,3}\d+\. \S|> \S|\|.*\|$)|\]\(|\*\*\w|`\w"
)
"""Some file's names end in `.md`, and it is plain prose."""


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
    return _by_parser(label, text)


def _by_parser(label: Label, text: str) -> Label | None:
    if label.kind == "json":
        return label if {"ndjson", "*"} & set(label.formats) or _is_json(text) else None
    if label.kind == "xml":
        return label if is_xml(text) else None
    if label.kind == "yaml":
        return label if len(text) < _LARGEST_YAML and _is_yaml(text) else None
    if label.graded == "html":
        if is_xml(text):
            return Label.parse("xml/html|-")
        return label if re.search(r"<(?:html|head|body|!doctype html)\b", text[:3000], re.IGNORECASE) else None
    if label.graded == "ini" and not is_xml(text):
        return Label.parse("text/ini") if _is_ini(text) else _loose_settings(text)
    if label.graded == "toml":
        return label if _is_toml(text) else None
    if label.graded == "markdown":
        return label if _MARKDOWN_MARK.search(text) else Label.parse("text/-|markdown")
    if label.kind == "text" and is_xml(text):
        return Label.parse("xml/*")
    return label


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
