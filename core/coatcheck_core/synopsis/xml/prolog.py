"""What stands before the root element: a declaration, comments, a DOCTYPE."""

import re

import msgspec

from coatcheck_core.synopsis.blocks import BLOCK_BYTES
from coatcheck_core.synopsis.effort import Step

from .finding import find
from .grammar import DECLARATION, DOCTYPE

_SPACES = re.compile(rb"[ \t\r\n]*+")
_ROOT = re.compile(rb"<[A-Za-z_:\x80-\xff]")
_DOCTYPE_BYTES = 1024 * 1024
"""The longest DOCTYPE that is looked through."""
_PHP = re.compile(rb"<\?(?:php|=)", re.IGNORECASE)


class Prolog(msgspec.Struct, frozen=True):
    """Offsets in bytes. What a parser is to read begins at `body`, behind the declaration: its encoding is no news.

    `doctype` is from where to where; `declared` is whether there is an XML declaration.
    """

    body: int
    root: int
    declared: bool
    doctype: tuple[int, int] | None = None


def read_prolog(data: bytes, at: int, step: Step) -> Prolog | None:
    """Up to the start of the root's tag; None where the text goes on as no XML does."""
    declaration = DECLARATION.match(data, at, at + BLOCK_BYTES)
    body = at = declaration.end() if declaration else at
    doctype: tuple[int, int] | None = None
    while True:
        step()
        at = _behind_spaces(data, at, step)
        if _ROOT.match(data, at):
            return Prolog(body, at, declaration is not None, doctype)
        if data.startswith(b"<!--", at):
            at = _behind(data, b"-->", at + 4, step)
        elif data.startswith(b"<?", at) and not _PHP.match(data, at):
            at = _behind(data, b"?>", at + 2, step)
        elif doctype is None and (found := DOCTYPE.match(data, at, at + _DOCTYPE_BYTES)):
            doctype, at = found.span(), found.end()
        else:
            return None


def _behind(data: bytes, closing: bytes, at: int, step: Step) -> int:
    found = find(data, closing, at, len(data), step)
    return len(data) if found < 0 else found + len(closing)


def _behind_spaces(data: bytes, at: int, step: Step) -> int:
    while (spaces := _SPACES.match(data, at, at + BLOCK_BYTES)) is not None and spaces.end() > at:
        step()
        at = spaces.end()
    return at
