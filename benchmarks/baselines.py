"""The obvious implementation of each kind, which a synopsis is measured beside: one line of a library, or two."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import yaml

CODE = re.compile(
    r"^[ \t]*(?:import\b.*|from\s+\S+\s+import\b.*|#include\b.*|use\s+\S+;|using\s+\S+;|require\b.*)$"
    r"|^(?:export\s+|public\s+|pub\s+|async\s+|static\s+|abstract\s+)*"
    r"(?:def|class|function|func|fn|struct|enum|interface|trait|impl|type|module|namespace)\s+(\w+)",
    re.MULTILINE,
)
"""Imports and symbols of several languages."""


def _rows(data: bytes, delimiter: str) -> int:
    return sum(1 for _ in csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter))


BASELINES: dict[str, tuple[str, Callable[[bytes], object]]] = {
    "json": ("json.loads", json.loads),
    "ndjson": ("json.loads of each line", lambda data: [json.loads(line) for line in data.splitlines()]),
    "csv": ("csv.reader to the end", lambda data: _rows(data, ",")),
    "tsv": ("csv.reader to the end", lambda data: _rows(data, "\t")),
    "quoted csv": ("csv.reader to the end", lambda data: _rows(data, ",")),
    "xml": ("xml.etree", ElementTree.fromstring),
    "yaml": ("yaml.safe_load", yaml.safe_load),
    "code": ("a multiline regular expression", lambda data: len(CODE.findall(data.decode()))),
    "text": ("len(text.split())", lambda data: len(data.decode().split())),
}
