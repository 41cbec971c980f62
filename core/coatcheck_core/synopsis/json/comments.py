"""JSON as people write it into settings: with comments, and a comma behind the last item.

Such a text is JSON to whoever reads it (`tsconfig.json`), so it is told of as JSON, its format `jsonc`.
"""

import re

from coatcheck_core.synopsis.effort import Step

MOST_BYTES = 256 * 1024
"""A longer one is no settings file."""
_STRING = rb'"(?:[^"\\]++|\\[\s\S])*+"?'
_COMMENT = re.compile(rb'(?:[^"/]++|%b|/(?![/*]))*+(//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?)?' % _STRING)
_LAST_COMMA = re.compile(rb'(?:[^",]++|%b|,(?![ \t\r\n]*+[\]}]))*+(,)?' % _STRING)
"""Each goes over what it does not look for, so that the next one is found at once, and always matches."""
_BLANKED = bytes(byte if byte == 0x0A else 0x20 for byte in range(256))


def without_comments(data: bytes, step: Step) -> bytes | None:
    """The same text with blanks in place of comments and last commas; None where it has none."""
    plain = bytes(data)
    for pattern in (_COMMENT, _LAST_COMMA):
        step()
        plain = _blanked(pattern, plain)
    return None if plain == data else plain


def _blanked(pattern: re.Pattern[bytes], data: bytes) -> bytes:
    copy = bytearray(data)
    for found in pattern.finditer(data):
        if found[1]:
            copy[found.start(1) : found.end(1)] = found[1].translate(_BLANKED)
    return bytes(copy)


def begins_with_comment(data: bytes, at: int) -> bool:
    return data.startswith((b"//", b"/*"), at)


def is_lenient(data: bytes, at: int) -> bool:
    """Whether what a strict parser stops at is a comment, or a bracket behind a comma."""
    return data.startswith((b"//", b"/*", b"]", b"}"), at)
