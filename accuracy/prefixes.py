"""Every prefix of the develop half's texts: what a tool that cuts anywhere may leave."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from time import monotonic

import msgspec

from coatcheck_core.settings.model import StubSettings
from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import MAX_SYNOPSIS_BYTES

from .corpus import FOLDER, data_of, load
from .figures import stub_of
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


def sampled_prefixes(seed: int, folder: Path = FOLDER) -> Iterator[tuple[Text, bytes]]:
    """Without end, any of them in a random order that the seed decides: some of all texts in whatever time there is."""
    random = Random(seed)
    texts = load(folder).half("develop")
    while True:
        text = random.choice(texts)
        data = data_of(text, folder)
        yield text, data[: random.choice(list(prefix_lengths(len(data))))]


def failures(prefixes: Iterable[tuple[Text, bytes]], seconds: float) -> Iterator[str]:
    """What is wrong with the synopsis or stub of each prefix, in words, until the time is over."""
    cap = StubSettings().max_chars
    end = monotonic() + seconds
    for text, data in prefixes:
        if monotonic() > end:
            return
        try:
            synopsis = synopsize(data, text.mime_type)
            stub = stub_of(data, synopsis)
        except Exception as error:  # whatever it is, the worker would have met it
            yield f"{type(error).__name__}: {error}: {text.sha256[:12]} cut at {len(data)} bytes"
            continue
        if len(stub) > cap or len(msgspec.json.encode(synopsis)) >= MAX_SYNOPSIS_BYTES:
            yield f"too large: {text.sha256[:12]} cut at {len(data)} bytes"
        if synopsize(data, text.mime_type) != synopsis:
            yield f"another at each call: {text.sha256[:12]} cut at {len(data)} bytes"
