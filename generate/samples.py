"""The golden samples, as examples: by what they are samples of."""

import json
from typing import Any

from .places import GOLDEN

_HEADERS = ".headers"


def samples(start: str, among: tuple[str, ...]) -> dict[str, Any]:
    """By name, the samples of which `start` says what they are, and no longer one `among` all that say so."""
    longer = tuple(f"{one}." for one in among if one.startswith(f"{start}."))
    return {
        name: json.loads((GOLDEN / f"{name}.json").read_text())
        for name in _names()
        if (name == start or name.startswith(f"{start}.")) and not f"{name}.".startswith(longer or ("\0",))
    }


def headers(name: str) -> dict[str, str]:
    """Of the sample with this name."""
    found: dict[str, str] = json.loads((GOLDEN / f"{name}{_HEADERS}.json").read_text())
    return found


def _names() -> list[str]:
    found = (path.name.removesuffix(".json") for path in sorted(GOLDEN.glob("*.json")))
    return [name for name in found if not name.endswith(_HEADERS)]
