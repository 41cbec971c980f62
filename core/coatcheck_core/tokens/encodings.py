"""Counting with a tokenizer package's encoding, in bounded memory and time."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

PIECE_CHARS = 64 * 1024
"""A tokenizer makes a number of each token, and some take the square of a word's length, or refuse a long text."""
_LEEWAY = 4096
_BORDER = re.compile(r"\n(?=[^\W\d_])")
"""No token of the common encodings reaches over an end of line before a letter."""
_SURROGATES = re.compile("[\ud800-\udfff]")


class Encoding(Protocol):
    """As the packages `tiktoken` and `bpe_openai` have it."""

    def encode_ordinary(self, text: str, /) -> Sequence[int]:
        """The tokens; what looks like a control token is text like any other."""


def count_with(encoding: Encoding) -> Callable[[str], int]:
    """A lone surrogate counts as U+FFFD, which is what stands in its place wherever it is sent."""

    def count(text: str) -> int:
        return sum(len(encoding.encode_ordinary(_SURROGATES.sub("\ufffd", piece))) for piece in pieces(text))

    return count


def pieces(text: str) -> Iterator[str]:
    """The text in pieces of at most `PIECE_CHARS`, cut where no token is if there is such a place nearby."""
    start = 0
    while len(text) - start > PIECE_CHARS:
        most = start + PIECE_CHARS
        end = max((found.end() for found in _BORDER.finditer(text, most - _LEEWAY, most)), default=most)
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]
