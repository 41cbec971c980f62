"""Strings and numbers of any length, a bounded part at a time."""

import re

from .faults import Fault, cut, wrong
from .parsing import RAW, Stopped, parse

PART_BYTES = 64 * 1024
_LONGEST_ESCAPE = 12
_SHORT = re.compile(rb'"[^"\\\x00-\x1f]{0,200}+"')
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![0-9.eE+-])")


def string_end(data: bytes, at: int) -> int | Fault:
    """Behind the closing quote of the string that begins at `at`."""
    if (short := _SHORT.match(data, at)) is not None:
        return short.end()
    at += 1
    while True:
        part = data[at : at + PART_BYTES]
        is_last = at + PART_BYTES >= len(data)
        try:
            parse(RAW, b'"' + part)
            return at + len(part)
        except Stopped as stopped:
            if stopped.why == "trailing":
                return _quote(part, at, stopped.at - 1)
            if stopped.why == "wrong":
                return wrong(data, min(at + max(stopped.at - 1, 0), len(data) - 1), "no such character in a string")
            if is_last:
                return cut(data, "inside a string")
        whole = _whole(part)
        if whole is None:
            return wrong(data, at, "a whole surrogate pair")
        at += whole


def number_end(data: bytes, at: int) -> int | None:
    """Behind the number that begins at `at`; None where none does."""
    found = _NUMBER.match(data, at)
    return None if found is None else found.end()


def _quote(part: bytes, at: int, limit: int) -> int:
    """The parser skips white space behind a value too."""
    return at + part.rfind(b'"', 0, limit) + 1


def _whole(part: bytes) -> int | None:
    """How much of a part of a string can be gone by, so that no escape is cut; None where one is no pair."""
    for length in range(len(part), len(part) - _LONGEST_ESCAPE - 1, -1):
        try:
            parse(RAW, b'"%b"' % bytes(part[:length]))
            return length
        except Stopped:
            continue
    return None
