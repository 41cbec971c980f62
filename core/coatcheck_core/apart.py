"""Results of one call with the same text and other media: a result id is of the text alone, and must not mix them.

Call ids are repeated in every turn by some models, and a screenshot has no text at all. The first such result has the
ordinary id; one whose parts are others gets an id of text and parts.
"""

from collections.abc import Sequence

import msgspec

from coatcheck_core.arrival import Result
from coatcheck_core.media_types import with_identified_media
from coatcheck_core.parts import name_parts
from coatcheck_core.repetition import without_repetition
from coatcheck_schemas.events import BLOCKS, Part
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_schemas.results import Received


def is_apart(ours: Sequence[Part] | None, there: Sequence[Part] | None) -> bool:
    """Whether the parts that are objects of their own are others than those that are there.

    Parts that were stored before they had hashes are told by their bytes' length, and had no list beside them.
    """
    one, other = _kept(ours), _kept(there)
    if all(part.sha256 is None for part in other):
        one = [part for part in one if part.type != BLOCKS]
    if len(one) != len(other):
        return True
    return any(
        a.index != b.index or a.bytes != b.bytes or b.sha256 not in (None, a.sha256)
        for a, b in zip(one, other, strict=True)
    )


def has_objects(parts: Sequence[Part] | None) -> bool:
    return bool(_kept(parts))


def set_apart(result: Result, parts: Sequence[Part] | None) -> Result:
    """The result under the id of its text and its parts: the same for the same content."""
    return msgspec.structs.replace(result, result_id=_id(result.address.call, result.sha256, parts))


def other_id(call: str, received: Received) -> str | None:
    """The id that a result gets where another has its ordinary one, None where it has no parts to be told apart by.

    `call` is a segment. For those who wait for a result's stub and so must know both.
    """
    known = with_identified_media(without_repetition(received))
    parts = name_parts(known, "")
    return _id(call, sha256_hex(received.data), parts) if has_objects(parts) else None


def _id(call: str, sha256: str, parts: Sequence[Part] | None) -> str:
    said = [sha256, *(f"{part.index} {part.sha256}" for part in _kept(parts))]
    return result_id(call, sha256_hex("\n".join(said).encode()))


def _kept(parts: Sequence[Part] | None) -> list[Part]:
    return [part for part in parts or [] if part.ref is not None]
