"""What is no event of ours on a session's subjects: passed over, and told in one line however much comes."""

import logging

import pytest

from coatcheck.client import unreadable
from coatcheck.client.manifests import decode_settled
from coatcheck.client.stubs import decode_stub
from coatcheck_core.tally import TELL_SECONDS, Tally


@pytest.fixture(autouse=True)
def nothing_told_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unreadable, "_TALLY", Tally())
    monkeypatch.setattr(unreadable, "monotonic", lambda: 5.0)


def test_a_flood_of_what_is_no_stub_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        assert [decode_stub("coat.stubs.b.t.x", b'{"error": 1}') for _ in range(1000)] == [None] * 1000
    (line,) = caplog.messages
    assert line.startswith("passed over 1 that came as stub events")
    assert "coat.stubs.b.t.x" in line


def test_what_went_on_is_told_as_a_sum_later(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(10):
        decode_settled("coat.settled.b.t", b"no")
    monkeypatch.setattr(unreadable, "monotonic", lambda: 5.0 + TELL_SECONDS)
    decode_settled("coat.settled.b.t", b"no")
    assert [line.split(" and ")[0] for line in caplog.messages] == [
        "passed over 1 that came as manifests",
        "passed over 10 that came as manifests",
    ]


def test_stubs_and_manifests_are_told_each(caplog: pytest.LogCaptureFixture) -> None:
    decode_stub("s", b"no")
    decode_settled("s", b"no")
    assert len(caplog.messages) == 2
