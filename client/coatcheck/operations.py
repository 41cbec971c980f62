"""How messages of the service name operations for files, for those who know them by other names."""

import re
from collections.abc import Callable

from coatcheck_schemas.filesystem import OPERATIONS

_NAMED = re.compile(rf"`({'|'.join(OPERATIONS)})( /[^\s`]*)?`")
"""As `ls`, or `ls /PATH`."""


def renamed(message: str, name: Callable[[str, str], str]) -> str:
    """The message with `name(operation, path)` for each operation; the path has a blank before it, or is empty."""
    return _NAMED.sub(lambda found: name(found[1], found[2] or ""), message)


def names_operation(message: str, operation: str) -> bool:
    """Whether the message names it."""
    return any(found[1] == operation for found in _NAMED.finditer(message))
