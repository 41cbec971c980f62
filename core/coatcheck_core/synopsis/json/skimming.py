"""Past a value with more levels than the compiled parser takes: token by token, without recursion."""

import re

from coatcheck_core.synopsis.effort import Step

from .faults import Fault, cut, no_value, wrong

_TOKEN = re.compile(
    rb"[ \t\r\n]*+(?:"
    rb'((?:\[|\{"[^"\\\[{\x00-\x1f]{0,100}+":){1,4096}+)'
    rb"|(\{)|([\]}]{1,4096}+)|(,)|(:)"
    rb'|("(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    rb"|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![0-9.eE+-])|true|false|null)"
    rb")"
)
"""The first is a run of levels, each with its first key, since a deep text has little else."""
_RUN, _OBJECT, _ENDS, _COMMA, _COLON, _STRING, _SCALAR = range(1, 8)
_BYTES_A_STEP = 16 * 1024
_BLANKS = re.compile(rb"[ \t\r\n]*+")

# What may come next; a set of the tokens above.
_VALUE = frozenset({_RUN, _OBJECT, _STRING, _SCALAR})
_ITEM_OR_END = _VALUE | {_ENDS}
_KEY_OR_END = frozenset({_STRING, _ENDS})
_KEY = frozenset({_STRING})
_COLON_ONLY = frozenset({_COLON})
_COMMA_OR_END = frozenset({_COMMA, _ENDS})
_NO_OPENING = bytes(byte for byte in range(256) if byte not in b"[{")
_CLOSING = bytes.maketrans(b"[{", b"]}")


def skim(data: bytes, at: int, step: Step) -> int | Fault:
    """Behind the array or object that begins at `at`, or where it stops."""
    open_ones = bytearray()
    expected = _VALUE
    is_key = False
    stepped = at
    while True:
        if at - stepped > _BYTES_A_STEP:
            step()
            stepped = at
        token = _TOKEN.match(data, at)
        kind = 0 if token is None or token.lastindex is None else token.lastindex
        if token is None or kind not in expected:
            return _fault(data, at, len(open_ones))
        start, at = token.start(kind), token.end()
        if kind == _COMMA:
            expected = _KEY if open_ones.endswith(b"{") else _VALUE
            is_key = open_ones.endswith(b"{")
        elif kind == _COLON:
            expected, is_key = _VALUE, False
        elif kind == _RUN:
            run = token[kind]
            open_ones += run.translate(None, _NO_OPENING)
            expected = _ITEM_OR_END if run.endswith(b"[") else _VALUE
        elif kind == _OBJECT:
            open_ones += b"{"
            expected, is_key = _KEY_OR_END, True
        elif is_key and kind == _STRING:
            expected = _COLON_ONLY
        else:
            if kind == _ENDS:
                closed = _close(open_ones, token[kind])
                at = start + closed
                if not open_ones and closed:
                    return at
                if at < token.end():
                    return _fault(data, at, len(open_ones))
            is_key = False
            expected = _COMMA_OR_END


def _close(open_ones: bytearray, run: bytes) -> int:
    """How many of a run of closing brackets close what is open."""
    closing = bytes(open_ones[: -len(run) - 1 : -1]).translate(_CLOSING)
    closed = len(closing)
    if not run.startswith(closing):
        closed = next(at for at, pair in enumerate(zip(run, closing, strict=False)) if pair[0] != pair[1])
    del open_ones[len(open_ones) - closed :]
    return closed


def _fault(data: bytes, at: int, depth: int) -> Fault:
    found = _BLANKS.match(data, at)
    at = at if found is None else found.end()
    if at == len(data):
        return cut(data, f"{depth} levels deep")
    if data[at : at + 1] == b'"':
        return cut(data, "inside a string") if data.find(b'"', at + 1) < 0 else wrong(data, at, "another token")
    fault = no_value(data, at)
    return fault if fault.is_cut else wrong(data, at, "another token")
