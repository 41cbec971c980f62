"""Whether the first lines look like YAML. A guess is cautious: prose, logs, headers and reports have colons too."""

import re

import msgspec

_TIDY_LINES = 6
_PROBED_LINES = 200
_KEY = re.compile(
    r"""(?:-\s+)*(?P<key>[A-Za-z0-9_./$@<*][\w./$@()\[\]{}*+~-]{0,100}|"[^"\n]{1,100}"|'[^'\n]{1,100}')\s?:(?:(?P<gap>\s+)(?P<value>\S.*)|\s*$)"""
)
_ITEM = re.compile(r"-(?:\s+(?P<value>\S.*)|\s*$)")
_BLOCK = re.compile(r"(?:[&!]\S+\s+)*[|>][-+0-9]{0,2}$")
_MARKDOWN = re.compile(r"^\s{0,8}(?:[-*+]\s+\[[ xX]\]\s|#{2,6}\s|```|\*\s)|\*\*\w|\]\(\w", re.MULTILINE)
_REPORT_KEY = re.compile(r"[A-Z][\w.]*(?:-\w+)*$")
"""`Content-Type`, `MemTotal`, `Name`: the keys of headers and reports, seldom those of flat YAML."""
_CAMEL = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+$")
_NOT_PLAIN = ("'", '"', "|", ">", "[", "{", "&", "*", "!", "")
_SENTENCE_END = (".", "!", "?", ",", ";")
_PROSE_WORDS = 6
_ITEM_WORDS = 4
_TELLING_STARTS = frozenset({"-", "#", "%", ""})
"""A line without a colon that begins otherwise is neither key nor item nor comment, nor blank."""


class Evidence(msgspec.Struct):
    """Counts over the lines probed, comments and blank ones left out."""

    lines: int = 0
    keys: int = 0
    items: int = 0
    nested: int = 0
    prose: int = 0
    wordy_items: int = 0
    report_keys: int = 0
    wide_gaps: int = 0
    commas: int = 0
    """Keys with a comma after their value: the inside of an object of JSON or Python."""
    comments: int = 0
    explicit: bool = False
    block_indent: int = -1
    """Of the key whose value is a block of text: deeper lines are that text, whatever it is."""
    quote: str = ""
    """The one that is open: the lines until it is closed are text, too."""

    def count(self, line: str) -> None:
        if self._is_inside(line):
            return
        bare = line.partition(" #")[0].strip()
        if not bare or bare.startswith("#"):
            self.comments += line.startswith("# ")
            return
        if bare.startswith(("---", "%YAML")):
            self.explicit = True
            return
        self.lines += 1
        if match := _KEY.match(bare[:400]):
            self._count_key(match, line)
        elif match := _ITEM.match(bare[:400]):
            self.items += 1
            value = match["value"] or ""
            self.wordy_items += value[:1] not in _NOT_PLAIN and len(value.split(None, _ITEM_WORDS)) >= _ITEM_WORDS
        if match:
            value = match["value"] or ""
            self.prose += _is_prose(value)
            self._open(value, line)

    def _open(self, value: str, line: str) -> None:
        if _BLOCK.match(value):
            self.block_indent = len(line) - len(line.lstrip(" "))
        elif value[:1] in ("'", '"') and len(value.replace('\\"', "").split(value[0])) % 2 == 0:
            self.quote = value[0]

    def _is_inside(self, line: str) -> bool:
        if self.quote:
            if len(line.replace('\\"', "").split(self.quote)) % 2 == 0:
                self.quote = ""
            return True
        if self.block_indent >= 0:
            if not line.strip() or len(line) - len(line.lstrip(" ")) > self.block_indent:
                return True
            self.block_indent = -1
        return False

    def _count_key(self, match: re.Match[str], line: str) -> None:
        self.keys += 1
        self.nested += line[0] in " -"
        self.commas += (match["value"] or "").endswith(",")
        self.wide_gaps += len(match["gap"] or "") > 1
        key = match["key"]
        self.report_keys += line[0] != " " and _REPORT_KEY.match(key) is not None and not _CAMEL.match(key)

    @property
    def is_report(self) -> bool:
        """Flat, with capital keys or its values in a column: headers, control files, `/proc`."""
        return self.nested == 0 and (self.report_keys * 2 > self.keys or self.wide_gaps * 2 > self.keys > 2)

    @property
    def is_sure(self) -> bool:
        """Nearly every line is one of a nested document: enough to believe in one that was cut."""
        return (
            self.keys >= 4
            and self.nested >= 2
            and self.keys + self.items >= 0.75 * self.lines
            and self.prose * 3 <= self.keys
            and self.commas * 2 <= self.keys
        )

    @property
    def is_tidy(self) -> bool:
        """Each line is a key or an item, none of them a sentence."""
        return self.lines >= _TIDY_LINES and self.keys + self.items == self.lines and self.keys > 0 and not self.prose


def evidence_of(head: str) -> Evidence:
    evidence = Evidence()
    for line in head.split("\n", _PROBED_LINES)[:_PROBED_LINES]:
        if ":" in line or evidence.quote or evidence.block_indent >= 0 or line.lstrip()[:1] in _TELLING_STARTS:
            evidence.count(line)
        else:
            evidence.lines += 1
    return evidence


def looks_like_yaml(head: str, evidence: Evidence) -> bool:
    """Most lines are keys or items, and they are nested, or at least no sentences."""
    shaped = evidence.keys + evidence.items
    if head.lstrip().startswith(("{", "[")) or evidence.commas * 2 > evidence.keys:  # JSON, or some language's objects
        return False
    if shaped == 0 or shaped < 0.4 * evidence.lines or not (evidence.keys or evidence.items > 1):
        return False
    headed_list = evidence.keys > 0 and evidence.items and not evidence.wordy_items and shaped == evidence.lines
    if (evidence.nested and evidence.keys >= 2) or headed_list:
        return evidence.prose * 2 <= shaped or evidence.explicit
    flat_enough = (shaped >= 2 or evidence.explicit or evidence.comments > 0) and not (
        evidence.keys == 0 and evidence.wordy_items
    )
    tidy = shaped >= 0.9 * evidence.lines and evidence.prose * 3 <= shaped
    return flat_enough and tidy and (evidence.explicit or not evidence.is_report) and not _MARKDOWN.search(head)


def _is_prose(value: str) -> bool:
    if value.startswith("="):
        return True
    if value[:1] in _NOT_PLAIN:
        return False
    words = value.split(None, _PROSE_WORDS)
    return len(words) >= _PROSE_WORDS or (len(words) > 1 and value.rstrip().endswith(_SENTENCE_END))
