"""What the doctor says of streams, consumers, what is held, letters, the clock and the workers."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from coatcheck_workers.deployment.states import ConsumerState, StreamState
from coatcheck_workers.deployment.workers import HeardEndpoint, WorkerFigures, WorkerStats
from coatcheck_workers.doctor.clocks import judge_clock
from coatcheck_workers.doctor.finding import Finding, worst
from coatcheck_workers.doctor.laid_out import judge_drift
from coatcheck_workers.doctor.streams import judge_account, judge_consumers, judge_held, judge_letters, judge_streams
from coatcheck_workers.doctor.workers import judge_workers, unseen
from coatcheck_workers.provisioning import Drift

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def stream(name: str = "results", fill: float = 0.0, **changes: Any) -> StreamState:
    fields = {"messages": 1, "bytes": int(fill * 1000), "max_bytes": 1000, **changes}
    return StreamState(name=name, stream=f"COAT_{name.upper()}", **fields)


def consumer(**changes: int) -> ConsumerState:
    fields = {"pending": 0, "ack_pending": 0, "redelivered": 0, "waiting": 1, **changes}
    return ConsumerState(stream="COAT_RESULTS", **fields)


def worker(version: str = "1.0.0", **figures: Any) -> WorkerStats:
    return WorkerStats(name="coatcheck", id="a", version=version, data=WorkerFigures(**figures))


def told(found: list[Finding]) -> str:
    return " ".join(f"{one.found} -> {one.mend}" for one in found)


@pytest.mark.parametrize(("fill", "status"), [(0.0, "ok"), (0.79, "ok"), (0.8, "warn"), (0.95, "fail"), (1.0, "fail")])
def test_a_stream_is_looked_at_before_it_is_full(fill: float, status: str) -> None:
    assert worst(judge_streams([stream(fill=fill), stream("held")])) == status


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("results", "add some, or raise streams.results.max_bytes"),
        ("chunks", "streams.chunks.max_bytes"),
        ("stubs", "streams.stubs.max_bytes; then `coatcheck provision`"),
        ("dlq", "coatcheck dlq list"),
        ("ledger", "streams.ledger.max_bytes"),
        ("held", "turn.deadline_seconds"),
    ],
)
def test_each_full_stream_has_its_own_advice(name: str, words: str) -> None:
    found = judge_streams([stream(name, 0.99)])
    assert worst(found) == "fail"
    assert words in told(found)


def test_who_holds_a_full_stream_is_named_and_moves_no_terminal() -> None:
    found = told(judge_streams([stream("chunks", 0.99, holders=(("mallory", 40_000), ("\x9b31mb", 2)))]))
    assert "mallory (40,000)" in found
    assert "\x9b" not in found


def test_the_stream_that_lets_the_oldest_go_may_be_full() -> None:
    assert worst(judge_streams([stream("deleted", 1.0)])) == "ok"


def test_a_copy_that_is_behind_is_named() -> None:
    found = judge_streams([stream(replicas_behind=("n2",))])
    assert (worst(found), "n2" in told(found)) == ("warn", True)


@pytest.mark.parametrize(
    ("changes", "oldest", "status", "words"),
    [
        ({}, 0, "ok", "0 wait"),
        ({"pending": 5}, 1, "ok", "5 wait"),
        ({"pending": 5, "waiting": 0}, 600, "fail", "start workers"),
        ({"pending": 5, "waiting": 0, "ack_pending": 64}, 1, "ok", "64 in hand"),
        ({"pending": 5000}, 1, "warn", "add workers"),
        ({"pending": 5}, 400, "warn", "7 minutes: the workers are behind"),
        ({"redelivered": 3}, 0, "warn", "tried again"),
    ],
)
def test_a_queue_that_nobody_takes_from_or_that_grows(
    changes: dict[str, int], oldest: float, status: str, words: str
) -> None:
    found = judge_consumers([consumer(**changes)], timedelta(seconds=oldest))
    assert worst(found) == status
    assert words in told(found)


@pytest.mark.parametrize(
    ("used", "limit", "status"),
    [(10**12, -1, "ok"), (10**12, 0, "ok"), (79, 100, "ok"), (80, 100, "warn"), (95, 100, "fail")],
)
def test_an_account_is_looked_at_before_its_disk_is_full(used: int, limit: int, status: str) -> None:
    assert worst(judge_account(used, limit)) == status


@pytest.mark.parametrize(("age", "status"), [(10, "ok"), (100, "ok"), (106, "fail"), (9000, "fail")])
def test_a_held_result_that_is_overdue_fails(age: float, status: str) -> None:
    held = stream("held", first_at=NOW - timedelta(seconds=age))
    assert judge_held(held, NOW, timedelta(seconds=60)).status == status


def test_nothing_held_is_well() -> None:
    assert judge_held(stream("held", messages=0), NOW, timedelta(seconds=60)).status == "ok"


def test_letters_are_counted_by_reason_with_the_way_back() -> None:
    found = judge_letters(7, {"invalid_json": 2, "store_failure": 4})
    assert found.status == "warn"
    assert found.found == "7 wait: 4 store_failure, 2 invalid_json (of the first 6)"
    assert "coatcheck dlq retry" in found.mend


def test_no_letters_are_well() -> None:
    assert judge_letters(0, {}).status == "ok"


@pytest.mark.parametrize(
    ("ahead", "status", "words"),
    [(0.5, "ok", "within"), (-3, "warn", "behind NATS"), (3, "warn", "ahead of NATS"), (900, "fail", "signatures")],
)
def test_a_clock_is_judged_by_nats_s(ahead: float, status: str, words: str) -> None:
    ours = NOW + timedelta(seconds=ahead)
    found = judge_clock(NOW, ours - timedelta(milliseconds=5), ours + timedelta(milliseconds=5))
    assert found.status == status
    assert words in found.found


def test_a_slow_answer_is_no_wrong_clock() -> None:
    assert judge_clock(NOW, NOW, NOW + timedelta(seconds=8)).status == "ok"


def test_drift_names_every_field_of_each_stream_and_says_provision() -> None:
    drifts = [
        Drift(what="stream COAT_STUBS", field="max_bytes", declared="2", actual="1"),
        Drift(what="stream COAT_STUBS", field="max_age", declared="7", actual="8"),
        Drift(what="stream COAT_DLQ", field="", declared="there", actual="missing"),
    ]
    stubs, dlq = judge_drift("layout", drifts, "")
    assert stubs.found == "stream COAT_STUBS: max_bytes is 1, not 2; stream COAT_STUBS: max_age is 8, not 7"
    assert dlq.found == "stream COAT_DLQ is missing, not there"
    assert stubs.mend == dlq.mend == "run `coatcheck provision` with the same configuration"


def test_drift_that_no_provisioning_mends_says_what_does() -> None:
    drift = Drift(what="stream COAT_STUBS", field="retention", declared="limits", actual="interest")
    (found,) = judge_drift("layout", [drift], "")
    assert "delete it" in found.mend


@pytest.mark.parametrize(
    ("workers", "status", "words"),
    [
        ([worker()], "ok", "1 answers"),
        ([worker(host="a"), worker(host="b")], "ok", "2 answer on 2 hosts"),
        ([worker("0.9.0")], "warn", "this command is of 1.0.0"),
        ([worker(), worker("0.9.0")], "warn", "1 of 0.9.0, 1 of 1.0.0"),
        ([worker(loop_lag_seconds=2.0)], "warn", "more CPU"),
    ],
)
def test_workers_are_judged_by_what_they_say(workers: list[WorkerStats], status: str, words: str) -> None:
    found = judge_workers(workers, "1.0.0")
    assert worst(found) == status
    assert words in told(found)


def test_workers_that_say_nothing_are_started_or_upgraded() -> None:
    assert unseen(answered=None).status == "fail"
    assert "coatcheck worker" in unseen(answered=None).mend
    assert unseen(answered="ok").status == "warn"
    assert "administrator" in unseen(answered=None, is_denied=True).mend


def test_a_worker_s_requests_and_errors_are_those_of_all_its_endpoints() -> None:
    one = WorkerStats(
        name="coatcheck",
        id="a",
        endpoints=[HeardEndpoint(num_requests=3, num_errors=1), HeardEndpoint(num_requests=4)],
    )
    assert (one.requests, one.errors) == (7, 1)
