"""What a search gives: where a match lies, and what is shown of it."""

import msgspec

SHOWN_CHARS = 10_000
"""So much of a match its snippet shows, so that none is too large for a message."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A match. `offset`, `length` and `snippet_offset` are chars; `line` counts from 0, `byte_offset` in the text's
    encoding.

    The snippet shows at most `SHOWN_CHARS` of the match, and what comes after it only where it shows all of it.
    """

    offset: int
    line: int
    byte_offset: int
    length: int
    snippet: str
    snippet_offset: int


def narrow(snippet: str, match_start: int, match_chars: int, context_chars: int) -> tuple[str, int]:
    """A snippet with less: of the match at `match_start` of it as many chars as are said, and of what is around it.

    With it comes how many chars were taken off its front.
    """
    left = max(0, match_start - context_chars)
    return snippet[left : match_start + match_chars + context_chars], left
