"""Whether a line reads like a section's title, in the scripts and languages that number or name their chapters."""

import re

LONGEST = 120
MOST_WORDS = 12

_SENTENCE_END = (".", "!", "?", ",", ";", "。", "！", "？", "，", "；", "、", "।", "؟", "…")
_LEAST_UNMARKED = 5
"""Shorter is what a number counts: `500 GB`."""
_STAMPED = re.compile(r"\d{1,2}:\d{2}|\d{4}-\d{2}-\d{2}")
_NUMBERED = re.compile(
    r"(?P<number>\d{1,3}(?:[.．]\d{1,3}){0,5}|[IVXLC]{1,6}(?=\.))(?P<mark>[.)．、]?)\s*(?P<title>\S.*)"
)
_NAMED = re.compile(
    r"(?:chapter|section|part|appendix|annex|article|book|volume|lesson|unit|kapitel|teil|abschnitt|anhang"
    r"|chapitre|partie"
    r"|annexe|cap[ií]tulo|secci[oó]n|se[cç][aã]o|parte|anexo|capitolo|sezione|hoofdstuk|deel|rozdzia[łl]"
    r"|kapitola|b[oö]l[uü]m|ch[uư]ơng"
    r"|bab|глава|раздел|часть|приложение|розділ|частина|κεφάλαιο|ενότητα|μέρος|παράρτημα|הפרק|פרק|חלק|الفصل"
    r"|الباب|القسم|الجزء|المبحث"
    r"|فصل|بخش|अध्याय|खंड|भाग|परिशिष्ट|অধ্যায়|บทที่|ภาคที่|luku|fejezet|capitolul)\s+(?:\d{1,3}|[IVXLCDM]{1,7}"
    r"|[A-Z]|\S{1,20})(?![\w/])[.:\s—–-]?",
    re.IGNORECASE,
)
_CHAPTER = re.compile(
    r"[ \t\u3000]*(?:第[\d０-９一二三四五六七八九十百零〇两]{1,6}[章节節篇部编編卷回讲講課课]"
    r"|제\s?\d{1,3}\s?[장절편부]|附录|附錄|付録|부록"
    r"|[一二三四五六七八九十]{1,3}、|（[一二三四五六七八九十]{1,3}）)[\s\u3000:：、.]*(?P<title>.*)"
)
_FRAMED = re.compile(
    r"(?P<open>={2,}|-{2,}|\*{2,}|#{3,}|\[)\s*(?P<title>\w.*?)\s*(?P<close>={2,}|-{2,}|\*{2,}|#{3,}|\])$"
)
_COUNTED = re.compile(r"\d+(?:\s|$|%|/)")


def is_title(line: str, *, alone: bool) -> bool:
    """A line behind a blank one; `alone` where a blank one follows too."""
    bare = line.strip()
    if not 2 <= len(bare) <= LONGEST or bare.endswith(_SENTENCE_END) or "  " in bare or "\t" in bare or "|" in bare:
        return False
    return (
        _is_like_one(bare, alone=alone)
        and len(bare.split(None, MOST_WORDS)) <= MOST_WORDS
        and not _STAMPED.search(bare)
    )


def _is_like_one(bare: str, *, alone: bool) -> bool:
    first = bare[0]
    if first in "=-*#[":
        return _is_framed(bare)
    if first.isdigit() or (first in "IVXLC" and "." in bare[:7]):
        return _is_numbered(bare, alone=alone) or (not first.isdigit() and _is_capitals(bare))
    if bare.isupper() and _is_capitals(bare):
        return True
    return _NAMED.match(bare) is not None or is_chapter(bare)


def is_chapter(line: str) -> bool:
    """A chapter of a Chinese, Japanese or Korean text: those stand without blank lines around them."""
    match = _CHAPTER.match(line)
    return match is not None and len(match["title"]) <= 40 and not match["title"].rstrip().endswith(_SENTENCE_END)


def underlined(above: str, title: str, rule: str) -> bool:
    """A title with a rule below it, and a blank line or the same rule above."""
    bare, rule, above = title.strip(), rule.strip(), above.strip()
    if not 1 < len(bare) <= LONGEST or "|" in bare or "  " in bare or "\t" in bare or bare[0] in "-=~*+#>":
        return False
    if above and not (above == rule and len(rule) >= len(bare)):
        return False
    if rule[0] in '*^"' and len(rule) < len(bare):
        return False
    return any(char.isalnum() for char in bare) and not bare.endswith((";", "{", "}"))


def _is_framed(bare: str) -> bool:
    match = _FRAMED.match(bare)
    if match is None or (match["open"] == "[") != (match["close"] == "]"):
        return False
    return (match["open"] == "[" or match["open"][0] == match["close"][0]) and any(map(str.isalpha, match["title"]))


def _is_numbered(bare: str, *, alone: bool) -> bool:
    """`2.1 Details`, `3. Results`, `IV. Of Law`; a single number needs a blank line below, for items have one too."""
    match = _NUMBERED.match(bare)
    if match is None:
        return False
    title, levels = match["title"], len(re.findall(r"\d+", match["number"]))
    if not match["mark"] and levels == 1 and not (alone and len(title) >= _LEAST_UNMARKED):
        return False
    first = next((char for char in title if char.isalpha()), "")
    if not first or first.islower() or _COUNTED.match(title) or title[0] in "-+*/=<>%[({|&":
        return False
    spaced = bare[len(match["number"]) + len(match["mark"]) :][:1].isspace()
    return (spaced or ord(first) > 0x2E7F) and (levels > 1 or alone or match["mark"] in (".", "．", "、"))


def _is_capitals(bare: str) -> bool:
    """`SEE ALSO`, `ОБЗОР`, and no shouted sentence, constant or table head."""
    words = bare.rstrip(":").split(" ")
    if not bare.isupper() or len(words) > 8:
        return False
    letters = sum(char.isalpha() for char in bare)
    return letters >= 4 and letters + bare.count(" ") >= 0.85 * len(bare) and words[0][:1].isalpha()
