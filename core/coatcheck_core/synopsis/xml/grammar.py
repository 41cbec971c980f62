"""The pieces of XML's grammar that a text which a parser has accepted is cut up by, as patterns of bytes.

Well-formed, a `<` begins nothing but a tag, a comment, a CDATA section or a processing instruction: none stands in an
attribute. No pattern gives anything back once it has taken it (possessive), so each is linear on any input.
"""

import re

NAME = rb"[^\s/>!?<]++"
ATTRIBUTES = rb"""[^>"'<]*+(?:(?:"[^"]*+"|'[^']*+')[^>"'<]*+)*+"""
"""With the slash at the end, if any."""
_COMMENT = rb"!--[^-]*+(?:-(?!->)[^-]*+)*+-->"
_CDATA = rb"!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+\]\]>"
_INSTRUCTION = rb"\?[^?]*+(?:\?(?!>)[^?]*+)*+\?>"
CONSTRUCT = rb"(?:" + _COMMENT + rb"|" + _CDATA + rb"|" + _INSTRUCTION + rb")"
"""What is no tag, after its `<`."""

_BANGS = re.compile(b"<!(?:" + b"|".join((_COMMENT[1:], _CDATA[1:], rb"[A-Z][^\[<>]*+>", rb"((?s:.)*+)")) + b")")
CDATA_SECTIONS = re.compile(rb"<!(?:" + _CDATA[1:] + rb"|((?s:.)*+))")
"""Up to the first construct that is another, or not closed: group 1 is what follows its first two bytes."""
_CONSTRUCTS = re.compile(rb"<(?:" + CONSTRUCT + rb"|![A-Z][^\[<>]*+>|[!?]((?s:.)*+))")


def constructs_in(block: bytes) -> re.Pattern[bytes] | None:
    """What finds all in the block that is no tag, a plain DOCTYPE too; None where there is nothing.

    Of one that is not closed, which goes on to the end, group 1 is what follows its first two bytes. A literal of two
    is found faster.
    """
    if b"?" in block and b"<?" in block:
        return _CONSTRUCTS
    return _BANGS if b"!" in block and b"<!" in block else None


START_TAG = re.compile(rb"<(" + NAME + rb")(" + ATTRIBUTES + rb")>")
"""Its name and its attributes, with the slash at the end of an empty-element tag."""

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
