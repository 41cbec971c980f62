"""How long a text is, in the unit that budgets are set in."""

import re
from collections.abc import Callable

from coatcheck_core.loading import load_function

_CHARS_PER_TOKEN = 4

_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u4dbf\u4e00-\ua4cf\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001f000-\U0003ffff]+"
)
"""Hangul, Kana, Han, full-width forms and emoji: about one token each."""
_OTHER = re.compile(
    "[\u0370-\u10ff\u1200-\u1dff\u1f00-\u1fff\u2c00-\u2dff\ua4d0-\ua95f\ua980-\uabff\ufb1d-\ufdff\ufe70-\ufeff]+"
)
"""Greek, Cyrillic, Hebrew, Arabic, the scripts of India and others: about one token for two to three chars."""


def estimate_tokens(text: str) -> int:
    """A quarter of the chars, rounded up; wide scripts count one a char, other scripts two for five chars."""
    chars = len(text)
    if text.isascii():
        return -(-chars // _CHARS_PER_TOKEN)
    wide = sum(map(len, _WIDE.findall(text)))
    other = sum(map(len, _OTHER.findall(text)))
    twentieths = 20 * wide + 8 * other + 5 * (chars - wide - other)
    return -(-twentieths // 20)


def counter(unit: str) -> Callable[[str], int]:
    """The measure for `budget.unit`: `chars`, `tokens` (the estimate) or `module:function`.

    Raises ValueError where the unit is none of these, or its function cannot be loaded.
    """
    if unit == "chars":
        return len
    if unit == "tokens":
        return estimate_tokens
    if not all(unit.partition(":")):
        raise ValueError(f"budget.unit is chars, tokens or module:function, not {unit!r}")
    return load_function("budget.unit", unit)
