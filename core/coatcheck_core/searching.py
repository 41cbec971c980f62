"""Literal search in a text: matches that do not overlap, from left to right, in linear time."""

from collections.abc import Iterator

import msgspec


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A match. `offset`, `length` and `snippet_offset` are chars; `line` counts from 0, `byte_offset` in UTF-8."""

    offset: int
    line: int
    byte_offset: int
    length: int
    snippet: str
    snippet_offset: int


def find(text: str, query: str, *, context_chars: int, start: int = 0) -> Iterator[Found]:
    """The matches that begin at `start` or later, each with `context_chars` of the text on either side.

    `query` must not be empty. Going on at the end of a match finds the same ones as never having stopped.
    """
    if not query:
        raise ValueError("an empty query matches everywhere")
    passed = line = byte_offset = 0
    at = text.find(query, start)
    while at >= 0:
        line += text.count("\n", passed, at)
        byte_offset += _utf8_bytes(text, passed, at)
        passed = at
        end = at + len(query)
        left = max(0, at - context_chars)
        yield Found(
            offset=at,
            line=line,
            byte_offset=byte_offset,
            length=len(query),
            snippet=text[left : end + context_chars],
            snippet_offset=left,
        )
        at = text.find(query, end)


def count(text: str, query: str) -> int:
    """How many matches `find` gives from the beginning."""
    if not query:
        raise ValueError("an empty query matches everywhere")
    return text.count(query)


def narrow(snippet: str, match_start: int, match_chars: int, context_chars: int) -> tuple[str, int]:
    """A snippet with less context: the match at `match_start` of it, and how many chars were taken off its front."""
    left = max(0, match_start - context_chars)
    return snippet[left : match_start + match_chars + context_chars], left


def _utf8_bytes(text: str, start: int, end: int) -> int:
    return end - start if text.isascii() else len(text[start:end].encode())
