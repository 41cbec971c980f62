"""What a unit's name counts."""

import importlib
from collections.abc import Callable

from coatcheck_core.loading import load_function

from .encodings import Encoding, count_with
from .estimate import estimate_tokens


def counter(unit: str) -> Callable[[str], int]:
    """The measure that a unit names, such as `budget.unit`.

    `chars`; `tokens`, the estimate; `package:encoding`, exactly, by a tokenizer package that is installed and has
    `get_encoding`, such as `tiktoken:o200k_base`; or `module:function`, a function of a text that gives a number.
    Raises ValueError where the unit is none of these, or what it names cannot be loaded.
    """
    if unit == "chars":
        return len
    if unit == "tokens":
        return estimate_tokens
    module_name, _, name = unit.partition(":")
    if not (module_name and name):
        raise ValueError(f"budget.unit is chars, tokens, package:encoding or module:function, not {unit!r}")
    encoding = _encoding(unit, module_name, name)
    return load_function("budget.unit", unit) if encoding is None else count_with(encoding)


def _encoding(unit: str, module_name: str, name: str) -> Encoding | None:
    """None where the module is not a tokenizer's, has a function of the name itself, or is not there."""
    try:
        module = importlib.import_module(module_name)
    except Exception:  # load_function says it, in the setting's terms
        return None
    get_encoding = getattr(module, "get_encoding", None)
    if hasattr(module, name) or not callable(get_encoding):
        return None
    try:
        encoding = get_encoding(name)
    except Exception as error:  # whatever the package raises: an unknown name, or a vocabulary it could not fetch
        raise ValueError(f"budget.unit {unit!r}: {module_name!r} cannot load the encoding {name!r}: {error}") from error
    if not callable(getattr(encoding, "encode_ordinary", None)):
        raise ValueError(f"budget.unit {unit!r}: what get_encoding gives has no encode_ordinary; name a function")
    loaded: Encoding = encoding
    return loaded
