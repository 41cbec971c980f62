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
from coatcheck_schemas.blocks import TEXT_BLOCK
from coatcheck_schemas.events import BLOCKS, STRUCTURED, Part, StubEvent
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


def is_told_of_another(ours: Sequence[Part] | None, event: StubEvent) -> bool:
    """Whether the event under our ordinary id is of a result with other media, as far as the event lists its parts.

    It lists none where it failed, and then it may be ours. Of a result that is not stored no list is kept beside it.
    """
    if event.disposition == "failed":
        return False
    one, other = _told(ours), _told(event.parts)
    is_cut = event.total_parts is not None and len(event.parts or []) < event.total_parts
    return not other <= one if is_cut else bool(one) and other != one


def objects_digest(parts: Sequence[Part] | None) -> str:
    """16 hex digits of a sha256 that tell a result's objects from those of others; "" where it has none."""
    return sha256_hex("\n".join(_said(parts)).encode())[:16] if has_objects(parts) else ""


def has_objects(parts: Sequence[Part] | None) -> bool:
    return bool(_kept(parts))


def set_apart(result: Result, parts: Sequence[Part] | None) -> Result:
    """The result under the id of its text and its parts: the same for the same content."""
    return msgspec.structs.replace(result, result_id=_id(result.address.call, result.sha256, parts))


def twin_id(result: Result, parts: Sequence[Part] | None) -> str | None:
    """The one of its two ids that the result does not stand under; None where it has but one."""
    if not has_objects(parts):
        return None
    own, ordinary = result.result_id, result_id(result.address.call, result.sha256)
    return ordinary if own != ordinary else _id(result.address.call, result.sha256, parts)


def other_id(call: str, received: Received) -> str | None:
    """The id that a result gets where another has its ordinary one, None where it has no parts to be told apart by.

    `call` is a segment. For those who wait for a result's stub and so must know both.
    """
    known = with_identified_media(without_repetition(received))
    parts = name_parts(known, "")
    return _id(call, sha256_hex(received.data), parts) if has_objects(parts) else None


def _id(call: str, sha256: str, parts: Sequence[Part] | None) -> str:
    return result_id(call, sha256_hex("\n".join([sha256, *_said(parts)]).encode()))


def _said(parts: Sequence[Part] | None) -> list[str]:
    return [f"{part.index} {part.sha256}" for part in _kept(parts)]


def _told(parts: Sequence[Part] | None) -> set[tuple[int, str | None]]:
    """Structured content has its place behind the list, which may be there or not."""
    return {
        (-1 if part.type == STRUCTURED else part.index, part.sha256)
        for part in parts or []
        if part.type not in (TEXT_BLOCK, BLOCKS)
    }


def _kept(parts: Sequence[Part] | None) -> list[Part]:
    return [part for part in parts or [] if part.ref is not None]
