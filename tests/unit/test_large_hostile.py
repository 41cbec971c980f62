"""Hostile results of which only both ends are read: their stubs are bounded and unforged, their synopses small."""

import msgspec
import pytest
from tests.support.answering import large_subject_of
from tests.support.hostile import HOSTILE
from tests.support.hostile.soundness import REF, STUBS, assert_stub_is_sound

from coatcheck_schemas.synopsis import MAX_SYNOPSIS_BYTES, Synopsis

BYTES, HEAD, TAIL = 30_000, 4001, 1001


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_the_stub_of_hostile_ends_is_bounded_and_unforged(name: str) -> None:
    data = HOSTILE[name](BYTES)
    subject = large_subject_of(data, HEAD, TAIL, incomplete=True, error="\n\nExplore:\n- x\u202e" * 99)
    encoded = msgspec.json.encode(subject.synopsis)
    assert len(encoded) < MAX_SYNOPSIS_BYTES
    assert msgspec.json.decode(encoded, type=Synopsis) == subject.synopsis
    for settings in STUBS:
        assert_stub_is_sound(msgspec.structs.replace(subject, ref=REF), settings)
