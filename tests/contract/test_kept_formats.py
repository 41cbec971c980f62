"""What workers keep among themselves, and another version reads: samples as they were written, only ever added to.

Entries of a ledger are kept for a week, held results for up to a day, failures as long as their message fails. A worker
that passes over an entry decides otherwise than those that know it, so a new kind of entry is for workers that all do.
"""

from datetime import UTC, datetime

import msgspec
import pytest

from coatcheck_core.turns import (
    EndEntry,
    Entry,
    FailedEntry,
    RawEntry,
    ResultEntry,
    ResultsEntry,
    SettledEntry,
    encode_entry,
    read_entry,
)
from coatcheck_workers.flow.failures import Failures
from coatcheck_workers.streams.arriving import Arrived, pack, unpack

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
LEAST = ResultEntry(result_id="c-1", call_id="c", length=7, budget=100)
FULL = ResultEntry(
    result_id="c-2",
    call_id="c",
    length=9,
    budget=100,
    stub_length=5,
    at_once="offloaded",
    reason="single_threshold",
    turn_size=2,
    original_chars=9,
    may_wait=False,
    session_id="s" * 5,
    turn_id="t" * 5,
    settles=SettledEntry(settled_by="size", budget=100, offloaded=(0,)),
)
LEAST_SAMPLE = b'{"entry":"result","result_id":"c-1","call_id":"c","length":7,"budget":100}'
FULL_SAMPLE = (
    b'{"entry":"result","result_id":"c-2","call_id":"c","length":9,"budget":100,"stub_length":5,'
    b'"at_once":"offloaded","reason":"single_threshold","turn_size":2,"original_chars":9,"may_wait":false,'
    b'"session_id":"sssss","turn_id":"ttttt","settles":{"entry":"settled","settled_by":"size","budget":100,'
    b'"offloaded":[0]}}'
)
TWIN = ResultEntry(result_id="c-3", call_id="c", length=7, budget=100, objects="0a1b", twin_id="c-4")
TWIN_SAMPLE = (
    b'{"entry":"result","result_id":"c-3","call_id":"c","length":7,"budget":100,"objects":"0a1b","twin_id":"c-4"}'
)
ENTRIES: list[tuple[bytes, Entry]] = [
    (TWIN_SAMPLE, TWIN),
    (LEAST_SAMPLE, LEAST),
    (FULL_SAMPLE, FULL),
    (b'{"entry":"results","results":[%b,%b]}' % (LEAST_SAMPLE, FULL_SAMPLE), ResultsEntry(results=(LEAST, FULL))),
    (b'{"entry":"failed","call_id":"c","length":3}', FailedEntry(call_id="c", length=3)),
    (
        b'{"entry":"failed","call_id":"c","length":3,"result_id":"c-1"}',
        FailedEntry(call_id="c", length=3, result_id="c-1"),
    ),
    (
        b'{"entry":"failed","call_id":"c","length":3,"turn_size":2,"session_id":"sssss","turn_id":"ttttt"}',
        FailedEntry(call_id="c", length=3, turn_size=2, session_id="s" * 5, turn_id="t" * 5),
    ),
    (b'{"entry":"end"}', EndEntry()),
    (b'{"entry":"end","session_id":"sssss","turn_id":"ttttt"}', EndEntry(session_id="s" * 5, turn_id="t" * 5)),
    (b'{"entry":"end","turn_size":4}', EndEntry(turn_size=4)),
    (
        b'{"entry":"raw","result_id":"c-1","length":7,"stub_length":5,"budget":100}',
        RawEntry(result_id="c-1", length=7, stub_length=5, budget=100),
    ),
    (b'{"entry":"settled","settled_by":"deadline","budget":100}', SettledEntry(settled_by="deadline", budget=100)),
]


@pytest.mark.parametrize(("sample", "entry"), ENTRIES)
def test_entries_of_a_ledger_are_read_and_written_as_ever(sample: bytes, entry: Entry) -> None:
    assert read_entry(sample) == entry
    assert encode_entry(entry) == sample


def test_held_results_are_read_and_written_as_ever() -> None:
    sample = (
        b"\x84\xa7subject\xb2coat.results.s.t.c\xa7headers\x81\xabNats-Msg-Id\xa2m1\xa4body\xc4\x03\xff{}"
        b"\xabreceived_at\xd6\xffi}\xee\xc0"
    )
    arrived = Arrived(subject="coat.results.s.t.c", headers={"Nats-Msg-Id": "m1"}, body=b"\xff{}", received_at=NOON)
    assert unpack(sample) == arrived
    assert pack(arrived) == sample


def test_failures_are_read_as_ever() -> None:
    sample = b'{"first_at":"2026-01-31T12:00:00Z","store_since":null,"total":3,"unexpected":1,"killed":1}'
    failures = Failures(first_at=NOON, total=3, unexpected=1, killed=1)
    assert msgspec.json.decode(sample, type=Failures) == failures
    assert msgspec.json.encode(failures) == sample
