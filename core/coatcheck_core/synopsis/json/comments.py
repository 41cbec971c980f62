"""JSON as people write it into settings: with comments, and a comma behind the last item.

Such a text is JSON to whoever reads it (`tsconfig.json`), so it is told of as JSON, its format `jsonc`.
"""

import re

MOST_BYTES = 256 * 1024
"""A longer one is no settings file."""
_PART = re.compile(rb'("(?:[^"\\]++|\\[\s\S])*+"?)|(//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?)')
_LAST_COMMA = re.compile(rb'("(?:[^"\\]++|\\[\s\S])*+"?)|,(?=[ \t\r\n]*+[\]}])')
_BLANKED = bytes(byte if byte == 0x0A else 0x20 for byte in range(256))


def without_comments(data: bytes) -> bytes | None:
    """The same text with blanks in place of comments and last commas; None where it has none."""
    plain = _PART.sub(_blank_comment, data)
    plain = _LAST_COMMA.sub(lambda found: found[1] or b" ", plain)
    return None if plain == data else plain


def begins_with_comment(data: bytes, at: int) -> bool:
    return data.startswith((b"//", b"/*"), at)


def is_lenient(data: bytes, at: int) -> bool:
    """Whether what a strict parser stops at is a comment, or a bracket behind a comma."""
    return data.startswith((b"//", b"/*", b"]", b"}"), at)


def _blank_comment(found: re.Match[bytes]) -> bytes:
    return found[1] or found[0].translate(_BLANKED)
