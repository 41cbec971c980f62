"""What a unit's name counts."""

from collections.abc import Callable
from operator import index
from typing import Any

from coatcheck_core.loading import load_function, load_module

from .encodings import Encoding, count_with
from .estimate import estimate_tokens

_PROBE = "A line of text.\n"


def counter(unit: str) -> Callable[[str], int]:
    """The measure that a unit names, such as `budget.unit`.

    `chars`; `tokens`, the estimate; `package:encoding`, exactly, by a tokenizer package that is installed and has
    `get_encoding`, such as `tiktoken:o200k_base`; or `module:function`, a function of a text that gives a number.
    Raises ValueError where the unit is none of these, or what it names cannot be loaded or does not count; the counter
    of a function raises TypeError or ValueError where that gives no whole number of at least 0.
    """
    if unit == "chars":
        return len
    if unit == "tokens":
        return estimate_tokens
    if not all(unit.partition(":")):
        raise ValueError(f"budget.unit is chars, tokens, package:encoding or module:function, not {unit!r:.100}")
    encoding = _encoding(unit)
    count = _checked(unit, load_function("budget.unit", unit)) if encoding is None else count_with(encoding)
    try:
        count(_PROBE)
    except Exception as error:  # better said at the start than of each result
        raise ValueError(f"budget.unit {unit!r} cannot count {_PROBE!r}: {error}") from error
    return count


def named_counter(unit: str) -> Callable[[str], int] | None:
    """Of a unit that names a counter by package or module, that counter; None of `chars` and `tokens`.

    For clearing, whose own measure is a quarter of the chars unless a counter is named. Raises ValueError as `counter`.
    """
    return None if unit in ("chars", "tokens") else counter(unit)


def _checked(unit: str, function: Callable[[str], Any]) -> Callable[[str], int]:
    def count(text: str) -> int:
        found = function(text)
        try:
            number = index(found)
        except TypeError:
            raise TypeError(f"budget.unit {unit!r} gave {found!r:.80} for a text, not a whole number") from None
        if number < 0:
            raise ValueError(f"budget.unit {unit!r} gave {number} for a text, less than 0")
        return number

    return count


def _encoding(unit: str) -> Encoding | None:
    """None where the module has a function of the name itself, or is not a tokenizer's."""
    module = load_module("budget.unit", unit)
    name = unit.partition(":")[2]
    get_encoding = getattr(module, "get_encoding", None)
    if hasattr(module, name) or not callable(get_encoding):
        return None
    try:
        encoding = get_encoding(name)
    except Exception as error:  # whatever the package raises: an unknown name, or a vocabulary that it could not fetch
        raise ValueError(f"budget.unit {unit!r}: {module.__name__!r} cannot load {name!r}: {error}") from error
    if not callable(getattr(encoding, "encode_ordinary", None)):
        raise ValueError(f"budget.unit {unit!r}: what get_encoding gives has no encode_ordinary; name a function")
    loaded: Encoding = encoding
    return loaded
