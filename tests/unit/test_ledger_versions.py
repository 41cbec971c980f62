"""Entries of a ledger that this version did not write."""

import pytest

from coatcheck_core.turns import EndEntry, encode_entry, is_of_another_version


@pytest.mark.parametrize("body", [b'{"entry":"pieces","n":1}', b'{"n": 1, "entry": "x"}'])
def test_a_kind_that_only_a_newer_version_knows_is_told(body: bytes) -> None:
    assert is_of_another_version(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"garbage",
        b"\xff",
        b"[]",
        b"{}",
        b'{"entry": 1}',
        b'{"entry":"result"}',
        b"[" * 100_000,
        encode_entry(EndEntry(turn_size=2)),
    ],
)
def test_what_is_no_entry_or_one_of_ours_is_of_no_other_version(body: bytes) -> None:
    assert not is_of_another_version(body)
