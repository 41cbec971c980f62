"""Twenty texts of the kinds that tools print, some kB each: eight languages, code, data and noise."""

from collections.abc import Iterator
from pathlib import Path

from tests.support.token_texts.made import MADE

_WRITTEN = Path(__file__).parent


def token_texts() -> Iterator[tuple[str, str]]:
    """A name and a text, the same every time."""
    for file in sorted(_WRITTEN.glob("*.txt")):
        yield file.name.removesuffix(".txt"), file.read_text(encoding="utf-8")
    for name, make in MADE.items():
        yield name, make()
