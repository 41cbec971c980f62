"""Every prefix of the develop half's texts: what a tool that cuts anywhere may leave."""

from collections.abc import Iterator
from pathlib import Path

from .corpus import FOLDER, data_of, load
from .texts import Text

EVERY_LENGTH = 2_000
SPREAD = 64


def prefix_lengths(length: int) -> Iterator[int]:
    """All up to `EVERY_LENGTH` bytes, then `SPREAD` more at growing distances, the whole the last."""
    yield from range(min(length, EVERY_LENGTH) + 1)
    if length > EVERY_LENGTH:
        last = EVERY_LENGTH
        for step in range(1, SPREAD + 1):
            at = round(EVERY_LENGTH * (length / EVERY_LENGTH) ** (step / SPREAD))
            if at > last:
                yield at
                last = at


def develop_prefixes(folder: Path = FOLDER) -> Iterator[tuple[Text, bytes]]:
    """The text and each of its prefixes, cut between any two bytes."""
    for text in load(folder).half("develop"):
        data = data_of(text, folder)
        for length in prefix_lengths(len(data)):
            yield text, data[:length]
