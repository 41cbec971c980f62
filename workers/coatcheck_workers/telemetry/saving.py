"""What a stub keeps out of an agent's context, estimated from a piece of the original and of the stub."""

import msgspec

from coatcheck_core.contents import Contents
from coatcheck_core.tokens import estimate_tokens
from coatcheck_schemas.events import StubEvent

SAMPLE_CHARS = 1024
"""To estimate the whole of each would cost a large result more than all else that is done with it on the event loop."""


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """Chars and tokens, never less than none: what cannot be told counts as nothing."""

    chars: int
    tokens: int

    def __add__(self, other: "Saved") -> "Saved":
        return Saved(chars=self.chars + other.chars, tokens=self.tokens + other.tokens)


def saved(event: StubEvent, contents: Contents) -> Saved:
    """By one stub event; what is no text would never have come into a context, and saves nothing."""
    if contents.chars is None or event.disposition == "inline":
        return Saved(chars=0, tokens=0)
    sample = contents.data[:SAMPLE_CHARS].decode("utf-8", "ignore")
    stub = event.content if isinstance(event.content, str) else b"".join(map(bytes, event.content)).decode()
    tokens = _tokens(sample, contents.chars) - _tokens(stub[:SAMPLE_CHARS], len(stub))
    return Saved(chars=max(contents.chars - len(stub), 0), tokens=max(tokens, 0))


def _tokens(sample: str, chars: int) -> int:
    """Of so many chars which are as those of the sample."""
    return estimate_tokens(sample) * chars // len(sample) if sample else 0
