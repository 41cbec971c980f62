"""What stands in place of a cleared result, and how it is known again.

It depends on the result and the rules alone, so that a conversation once cleared keeps its bytes.
"""

import re
from collections.abc import Callable

from coatcheck_core.settings.model import MOST_PLACEHOLDER_CHARS
from coatcheck_core.stub.escaping import one_line
from coatcheck_core.stub.words import CHINESE, ENGLISH, words

from .rules import Rules
from .stubs import is_whole_ref

_MOST_CHARS_BELOW = 1000
"""What comes below the words of the placeholder is shorter than this: a ref, two tools' names and a sentence."""
_LONGEST = MOST_PLACEHOLDER_CHARS + _MOST_CHARS_BELOW

Recognise = Callable[[str], bool]


def with_ref(placeholder: str, ref: str, rules: Rules, *, has_retrieval: bool = True) -> str:
    """The placeholder, the ref on a line of its own, and how to read it where the agent has tools for that."""
    above = f"{placeholder}\nref: {ref}"
    if not (has_retrieval and rules.has_retrieval):
        return above
    read, search = (one_line(name) for name in (rules.retrieval.read_tool, rules.retrieval.search_tool))
    return f"{above}\n{words(rules.language).cleared_read.format(read=read, search=search)}"


def ref_in(placeholder: str) -> str | None:
    """The ref that a placeholder made here names."""
    found = re.search(r"^ref: (coat://\S+)$", placeholder, re.MULTILINE)
    return found[1] if found is not None and is_whole_ref(found[1]) else None


def recogniser(rules: Rules) -> Recognise:
    """Tells whether a result's whole text is a placeholder: one of the rules' or the default, with a ref or without.

    With a ref it is one in either language and whatever the tools are called, since settings may have changed; with the
    ref and the sentence below it, it is one whatever the words above, since another request may have had other ones. A
    text in which a placeholder merely occurs is a result like any other.
    """
    placeholders = rules.placeholders

    def is_placeholder(text: str) -> bool:
        if len(text) > _LONGEST:
            return False
        if text in placeholders or _has_ref_and_hint(text):
            return True
        above, found, ref = text.rpartition("\nref: ")
        return bool(found) and above in placeholders and is_whole_ref(ref)

    return is_placeholder


def _has_ref_and_hint(text: str) -> bool:
    """Whether any words are followed by both, as the last two lines."""
    above, ref, hint = ("", "", *text.rsplit("\n", 2))[-3:]
    return (
        bool(above.strip())
        and len(above) <= MOST_PLACEHOLDER_CHARS
        and ref.startswith("ref: ")
        and _HINT.fullmatch(hint) is not None
        and is_whole_ref(ref.removeprefix("ref: "))
    )


_NAME = "[^\n]{1,200}"
_HINT = re.compile(
    "|".join(
        re.escape(language.cleared_read.format(read="\0", search="\0")).replace("\0", _NAME)
        for language in (ENGLISH, CHINESE)
    )
)
