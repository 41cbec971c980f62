"""Recognise a result that is one of our stubs already: its original is stored, under the ref that it names."""

import re

import msgspec

from coatcheck_core.stub.words import CHINESE, ENGLISH, Words
from coatcheck_schemas.errors import InvalidRef
from coatcheck_schemas.refs import parse_ref

from .stub_lines import is_lined_rest, is_typed_rest

MOST_STUB_CHARS = 50_000
"""No setting allows a longer one."""

_MOST_FIRST_LINE_CHARS = 1000
"""A tool's name and a call's id of 200 chars each, a size, and words."""
_REF = r"(?P<ref>coat://[^\s/]+/[^\s/]+)"
_TYPED = re.compile(
    r"\[Coatcheck: tool result offloaded\]\ntool_name: [^\n]*\nkind: [a-z]+\noriginal_(?:chars|bytes): [0-9]+\n"
    rf"preview_chars: [0-9]+\nref: {_REF}\nsha256: (?P<sha256>[0-9a-f]{{16}})\nreason: [a-z_]+(?=\n|\Z)"
)


class StubRef(msgspec.Struct, frozen=True):
    """Where a stub's original is, and whether its agent has tools to read it."""

    ref: str
    has_retrieval: bool


def ref_of_stub(text: str) -> StubRef | None:
    """None where the text is no stub in a style of ours, or where its ref is none or does not match its checksum.

    What has anything behind its stub is none either: that is stored nowhere.
    """
    if len(text) > MOST_STUB_CHARS:
        return None
    matches = ((form.match(text), is_rest) for form, is_rest in _FORMS)
    match, is_rest = next((found for found in matches if found[0] is not None), (None, is_typed_rest))
    if match is None or not is_whole_ref(match["ref"]) or not is_rest(text[match.end() :]):
        return None
    sha256 = match.groupdict().get("sha256")
    if sha256 is not None and match["ref"][-32:][:16] != sha256:
        return None
    return StubRef(match["ref"], any(hint in text for hint in _HINTS))


def is_whole_ref(text: str) -> bool:
    """Whether it names a session's original, exactly."""
    try:
        ref = parse_ref(text)
    except InvalidRef:
        return False
    return ref.session is not None and ref.part is None and str(ref) == text


def _lined(words: Words) -> re.Pattern[str]:
    """The style `lines`: its first line names size, tool and call, its second the ref.

    What stands between the first words and the last is not told apart: each `.*` more is a power of the text's length.
    """
    start, end = words.too_large.partition("{")[0], words.too_large.rpartition("}")[2]
    first = rf"{re.escape(start)}[^\n]{{1,{_MOST_FIRST_LINE_CHARS}}}{re.escape(end)}"
    return re.compile(rf"{first}\nref: {_REF}(?=\n|\Z)")


_FORMS = ((_TYPED, is_typed_rest), *((_lined(words), is_lined_rest) for words in (ENGLISH, CHINESE)))
_HINTS = tuple(
    hint
    for words in (ENGLISH, CHINESE)
    for hint in (f"\n{words.explore}:\n", *(f"\n{phrase.partition('{')[0]}" for phrase in (words.lines_read,)))
)
"""With what a stub begins to tell of tools."""
