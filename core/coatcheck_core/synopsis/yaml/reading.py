"""YAML, from the parser's events: nothing is composed, so no alias is expanded and no object is built.

A guess is cautious: prose, logs and mail headers have colons too.
"""

import re

import msgspec
import yaml

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Field, Synopsis, YamlFacts

from .outline import Outline

MAX_PARSED_CHARS = 32_000

_PROBED_LINES = 200
_KEY = re.compile(
    r"""(?:-\s+)*(?:[A-Za-z0-9_./$@<*][\w./$@()\[\]{}*-]{0,100}|"[^"\n]{1,100}"|'[^'\n]{1,100}')\s?:(?:\s+(?P<value>\S.*)|\s*$)"""
)
_ITEM = re.compile(r"-(?:\s+(?P<value>\S.*)|\s*$)")
_MARKDOWN = re.compile(r"^\s{0,8}(?:[-*+]\s+\[[ xX]\]\s|#{2,6}\s|```|\*\s)|\*\*\w|\]\(\w", re.MULTILINE)
_DOCUMENT_START = re.compile(r"^---(?:\s|$)", re.MULTILINE)
_SENTENCE_END = (".", "!", "?", ",", ";")
_PROSE_WORDS = 6
_ITEM_WORDS = 4


def read_yaml(seen: Seen) -> Synopsis | None:
    """Facts where each document is a mapping or a sequence, and the text does not look like something else."""
    text = seen.text
    if not _looks_like_yaml(text):
        return None
    part = _first_part(text)
    outline = Outline()
    try:
        for event in yaml.parse(part, Loader=yaml.CSafeLoader):
            outline.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        at_the_cut = mark is not None and mark.line >= part.count("\n")
        if len(part) == len(text) or not at_the_cut:
            return None
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    if outline.first is None or outline.has_scalar_document or (outline.duplicates and not outline.nested):
        return None
    documents = outline.documents if len(part) == len(text) else max(1, len(_DOCUMENT_START.findall(text)))
    facts = YamlFacts(
        type=outline.first,
        length=outline.length,
        keys=[Field(name=clip(key), type=kind, length=length) for key, kind, length in outline.entries()],
        key_count=outline.key_count,
        documents=documents,
        parsed_chars=None if len(part) == len(text) else len(part),
    )
    return Synopsis(kind="yaml", facts=facts)


class _Evidence(msgspec.Struct):
    lines: int = 0
    keys: int = 0
    items: int = 0
    nested: int = 0
    prose: int = 0
    wordy_items: int = 0
    explicit: bool = False

    def count(self, line: str) -> None:
        bare = line.partition(" #")[0].strip()
        if not bare or bare.startswith("#"):
            return
        if bare.startswith(("---", "%YAML")):
            self.explicit = True
            return
        self.lines += 1
        match = _KEY.match(bare[:400])
        if match:
            self.keys += 1
            self.nested += line[0] in " -"
        elif match := _ITEM.match(bare[:400]):
            self.items += 1
            self.wordy_items += len((match["value"] or "").split(None, _ITEM_WORDS)) >= _ITEM_WORDS
        if match and _is_prose(match["value"] or ""):
            self.prose += 1


def _looks_like_yaml(text: str) -> bool:
    """Most lines are keys or items, and they are nested, or at least no sentences."""
    head = text[:40_000]
    evidence = _Evidence()
    for line in head.split("\n", _PROBED_LINES)[:_PROBED_LINES]:
        evidence.count(line)
    shaped = evidence.keys + evidence.items
    if shaped == 0 or shaped < 0.4 * evidence.lines or not (evidence.keys or evidence.items > 1):
        return False
    headed_list = evidence.keys and evidence.items and not evidence.wordy_items and shaped == evidence.lines
    if (evidence.nested and evidence.keys >= 2) or headed_list:
        return evidence.prose * 2 <= shaped or evidence.explicit
    flat_enough = (shaped >= 2 or evidence.explicit) and not (evidence.keys == 0 and evidence.wordy_items)
    tidy = shaped >= 0.9 * evidence.lines and evidence.prose * 3 <= shaped
    return flat_enough and tidy and not _MARKDOWN.search(head)


def _is_prose(value: str) -> bool:
    if value.startswith(("'", '"', "|", ">", "[", "{", "&", "*", "!")):
        return False
    words = value.split(None, _PROSE_WORDS)
    return len(words) >= _PROSE_WORDS or (len(words) > 1 and value.rstrip().endswith(_SENTENCE_END))


def _first_part(text: str) -> str:
    """The whole text, or its first lines where it is large."""
    if len(text) <= MAX_PARSED_CHARS:
        return text
    return text[: text.rfind("\n", 0, MAX_PARSED_CHARS) + 1]
