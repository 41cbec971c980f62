"""The pieces of XML's grammar that a text which a parser has accepted is cut up by, as patterns of bytes.

Well-formed, a `<` begins nothing but a tag, a comment, a CDATA section or a processing instruction: none stands in an
attribute. No pattern gives anything back once it has taken it (possessive), so each is linear on any input.
"""

import re

NAME = rb"[^\s/>!?<]++"
ATTRIBUTES = rb"""[^>"'<]*+(?:(?:"[^"]*+"|'[^']*+')[^>"'<]*+)*+"""
"""With the slash at the end, if any."""
_EMPTY = rb"(?<=/)>"
_COMMENT = rb"!--[^-]*+(?:-(?!->)[^-]*+)*+-->"
_CDATA = rb"!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+\]\]>"
_INSTRUCTION = rb"\?[^?]*+(?:\?(?!>)[^?]*+)*+\?>"
CONSTRUCT = rb"(?:" + _COMMENT + rb"|" + _CDATA + rb"|" + _INSTRUCTION + rb")"
"""What is no tag, after its `<`."""

_NESTED_LEVELS = 3


def _content(levels: int) -> bytes:
    """An element's content, in which elements of its own name (group 1) stand so many levels deep at most."""
    inside = rb"(?!/?\1[\s/>]|[!?])|" + CONSTRUCT
    if levels:
        inside += rb"|\1(?=[\s/>])" + ATTRIBUTES + rb"(?:" + _EMPTY + rb"|>" + _content(levels - 1) + rb"</\1\s*+>)"
    return rb"[^<]*+(?:<(?:" + inside + rb")[^<]*+)*+"


CONSTRUCTS = re.compile(rb"<" + CONSTRUCT + rb"|<[!?](?s:.)*+")
"""The last may be open, to the end."""

SIBLING = re.compile(
    rb"[^<]*+(?:<" + CONSTRUCT + rb"[^<]*+)*+<(" + NAME + rb")" + ATTRIBUTES
    + rb"(?:" + _EMPTY + rb"|>" + _content(_NESTED_LEVELS) + rb"</\1\s*+>)"
)  # fmt: skip
"""A whole element and what stands before it; group 1 is its name. None where it nests itself more deeply."""

START_TAG = re.compile(rb"<(" + NAME + rb")(" + ATTRIBUTES + rb")>")
"""Its name and its attributes, with the slash at the end of an empty-element tag."""

TAG = re.compile(
    rb"[^<]*+(?:(?:<(?:" + CONSTRUCT + rb"|(" + NAME + rb")" + ATTRIBUTES
    + rb"(?:" + _EMPTY + rb"|>[^<]*+</\1\s*+>))[^<]*+)++"
    + rb"|<(?:(/)[^>]*+>|(" + NAME + rb")" + ATTRIBUTES + rb">))"
)  # fmt: skip
"""Elements without elements, as many as follow; or an end tag (group 2 is its slash); or a start tag (group 3)."""

ATTRIBUTE = re.compile(rb"""([^\s=/]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")

DECLARATION = re.compile(rb"""<\?xml(?:\s++[a-z]++\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'))++\s*+\?>""")
DOCTYPE = re.compile(
    rb"""<!DOCTYPE\s(?:[^\[\]>"'<]|"[^"]*+"|'[^']*+')*+"""
    rb"""(?:\[(?:[^\]"'<]|"[^"]*+"|'[^']*+'|<(?:""" + _COMMENT + rb"|" + _INSTRUCTION + rb"""|(?!!--|\?)))*+\]\s*+)?>"""
)
"""A quote in a comment of it opens nothing."""
PLAIN_DOCTYPE = re.compile(rb"\s*+<!DOCTYPE\s[^\[<>]*+>")
NAMED_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z_:\x80-\xff][\w.:\x80-\xff-]{0,200}+;")


def is_empty(start: re.Match[bytes]) -> bool:
    """Whether a start tag is all of its element."""
    return start[2].endswith(b"/")
