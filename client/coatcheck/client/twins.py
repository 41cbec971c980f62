"""Results of one call whose text is the same and whose media are not: which stub is whose.

A result's id is of its call and its text. Some models repeat call ids in every turn, and a screenshot has no text: then
the second result gets an id that its parts have a share in, and who waits for its stub waits for either.
"""

import msgspec

from coatcheck_schemas.events import Part, StubEvent
from coatcheck_schemas.results import Received


class Twin(msgspec.Struct, frozen=True):
    """The other id that a result may get, and the sha256s of its parts, in their order."""

    other_id: str
    hashes: tuple[str, ...]

    def is_told_by(self, event: StubEvent) -> bool:
        """Whether the event may be of the result: it names the same parts, as far as there is room, or it failed."""
        if event.parts is None:
            return event.disposition == "failed"
        told = _hashes(event.parts)
        return told == self.hashes[: len(told)]


def twin_of(call: str, received: Received) -> Twin | None:
    """None for a result that has nothing but its text."""
    if received.blocks is None and received.structured_content is None:
        return None
    from coatcheck_core.apart import other_id
    from coatcheck_core.media_types import with_identified_media
    from coatcheck_core.parts import name_parts
    from coatcheck_core.repetition import without_repetition

    other = other_id(call, received)
    if other is None:
        return None
    return Twin(other, _hashes(name_parts(with_identified_media(without_repetition(received)), "")))


def _hashes(parts: list[Part] | None) -> tuple[str, ...]:
    return tuple(part.sha256 for part in parts or () if part.sha256 is not None)
