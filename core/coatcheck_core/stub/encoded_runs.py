"""Base64 in a text, as in a data URI: a model reads nothing out of it, so a sample shows its start alone."""

import re

_LEAST_CHARS = 100
_SHOWN_CHARS = 16
_CHAR = "[A-Za-z0-9+/_-]"
_RUN = re.compile(
    rf"(?:{_CHAR}{{{_LEAST_CHARS},}}+={{0,2}}+|{_CHAR}{{60,76}}(?= {_CHAR}{{60,76}}))"
    rf"(?:(?: {_CHAR}{{60,76}}+)++(?: {_CHAR}++={{0,2}}+(?=…?$))?)?…?"
)
"""In one piece, or in lines of 60 to 76 chars that were folded together."""
_LEAST_SHARES = ((re.compile("[A-Z]"), 0.2), (re.compile("[a-z]"), 0.15), (re.compile("[0-9]"), 0.03))
"""Of any data these are 40, 40 and 16 in a hundred; paths and names have fewer capitals, hashes but one case."""


def without_encoded_runs(text: str) -> str:
    """The text with each long run of base64 cut to its first chars, with a mark."""
    return _RUN.sub(_shortened, text)


def _shortened(match: re.Match[str]) -> str:
    run = match[0]
    if any(len(sort.findall(run)) < share * len(run) for sort, share in _LEAST_SHARES):
        return run
    return f"{run[:_SHOWN_CHARS]}…"
