"""What a page of HTML tells, well-formed or not: its title and headings, and how much there is of what."""

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .finding import OPEN, find

MAX_HEADINGS = 18
_TITLE_CHARS = 160
_CONTENT_BYTES = 2000
_WINDOW_BYTES = 32 * 1024
"""Each tag takes a microsecond or two, and there may be one each three bytes."""
_COUNTED = {b"a": "links", b"table": "tables", b"form": "forms", b"img": "images", b"script": "scripts"}
_TAG = re.compile(rb"<(?:(!--)|(a|form|h[1-3]|img|script|style|table|textarea|title)(?=[\s/>]))", re.IGNORECASE)
_TAG_START_BYTES = 16
_ITS_END = {
    name: re.compile(rb"</" + name + rb"(?=[\s>])", re.IGNORECASE)
    for name in (b"script", b"style", b"textarea", b"title")
}
"""In these no tag is one, up to their own end tag."""
_HEADING_END = re.compile(rb"</h[1-6]|<h[1-6][\s>]|<(?:p|div|body|section)[\s>]", re.IGNORECASE)
_LINK_WITH_TARGET = re.compile(rb"<a\s[^<>]{0,1000}?\bhref\s*=", re.IGNORECASE)
_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|<[^>]*+(?:>|\Z)", re.DOTALL)


def html_details(seen: Seen) -> list[Detail]:
    """Title, headings `h1` to `h3` in their order, and the counts of links, tables, forms, images and scripts."""
    counts: Counter[bytes] = Counter()
    titles: list[str] = []
    headings: list[str] = []
    heading_count = 0
    for name, behind in _tags(seen):
        if name == b"title" and not titles:
            titles.append(_text(seen, behind, _ITS_END[name]))
        elif name[:1] == b"h":
            heading_count += 1
            if len(headings) < MAX_HEADINGS:
                headings.append(f"{name.decode()} {_text(seen, behind, _HEADING_END)}")
        counts[name] += 1
    details = [Detail(name="title", values=[title]) for title in titles if title]
    if heading_count:
        details.append(Detail(name="headings", count=heading_count, values=headings))
    return details + [Detail(name=shown, count=counts[name]) for name, shown in _COUNTED.items() if counts[name]]


def _tags(seen: Seen) -> Iterator[tuple[bytes, int]]:
    """Each tag's name in lower case, and where it goes on behind that; none in comments, scripts and styles."""
    data, at = seen.data, 0
    while at < len(data):
        seen.step()
        limit = min(at + _WINDOW_BYTES, len(data))
        while (match := _TAG.search(data, at, min(limit + _TAG_START_BYTES, len(data)))) and match.start() < limit:
            at = match.end()
            if match[1]:
                at = _behind(find(data, b"-->", at, len(data), seen.step), len(data))
                continue
            name = match[2].lower()
            if name != b"a" or _LINK_WITH_TARGET.match(data, match.start()):
                yield name, at
            if name in _ITS_END:
                at = _behind(_search(_ITS_END[name], seen, at), len(data))
        at = max(at, limit)


def _behind(found: int, end: int) -> int:
    """What is not closed goes on to the end."""
    return end if found == OPEN else found


def _search(pattern: re.Pattern[bytes], seen: Seen, at: int) -> int:
    while at < len(seen.data):
        seen.step()
        match = pattern.search(seen.data, at, min(at + _WINDOW_BYTES + _TAG_START_BYTES, len(seen.data)))
        if match is not None:
            return match.start()
        at += _WINDOW_BYTES
    return OPEN


def _text(seen: Seen, at: int, end: re.Pattern[bytes]) -> str:
    """What can be read from behind a tag's name up to its end, without markup."""
    limit = min(at + _CONTENT_BYTES, len(seen.data))
    opened = seen.data.find(b">", at, limit)
    if opened < 0:
        return ""
    closed = end.search(seen.data, opened, limit)
    inside = seen.data[opened + 1 : limit if closed is None else closed.start()].decode(errors="ignore")
    return clip(" ".join(unescape(_MARKUP.sub(" ", inside)).split()), _TITLE_CHARS)
