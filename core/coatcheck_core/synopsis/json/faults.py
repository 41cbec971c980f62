"""Where a text stops being JSON, and why."""

import re

import msgspec

from coatcheck_core.synopsis.bounds import clip

_EXCERPT_BYTES = 80
_EXCERPT_CHARS = 20
_LITERALS = (b"true", b"false", b"null", b"NaN", b"Infinity", b"-Infinity")
_NUMBER_START = re.compile(rb"-?(?:[0-9]++(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]*+)?)?")


class Fault(msgspec.Struct):
    """`at` is the byte where it stops; `path` leads to what is not whole, innermost step first."""

    is_cut: bool
    at: int
    reason: str
    path: list[str | int] = []


def cut(data: bytes, inside: str) -> Fault:
    return Fault(True, len(data), f"ends {inside}")


def wrong(data: bytes, at: int, expected: str) -> Fault:
    """What stands there in place of what was expected."""
    found = bytes(data[at : at + _EXCERPT_BYTES]).decode(errors="ignore").partition("\n")[0]
    return Fault(False, at, f"expected {expected}, found {clip(found, _EXCERPT_CHARS)!r}")


def no_value(data: bytes, at: int) -> Fault:
    """Of what begins like no value, or like one that the end cuts."""
    rest = bytes(data[at : at + _EXCERPT_BYTES])
    begins_one = any(literal.startswith(rest) for literal in _LITERALS) or _NUMBER_START.fullmatch(rest)
    if begins_one and at + len(rest) == len(data):
        return cut(data, "inside a number" if rest[:1] in b"-0123456789" else "inside a word")
    return wrong(data, at, "a value")
