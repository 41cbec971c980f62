"""What counts as drift."""

from nats.js.api import RetentionPolicy, StreamConfig

from coatcheck_core.settings import load
from coatcheck_schemas.subjects import NOWHERE, CallAddress, Subjects, TurnAddress
from coatcheck_workers.provisioning import declared
from coatcheck_workers.provisioning.comparing import differences


def _found(actual: StreamConfig, **wanted: object) -> list[str]:
    return [str(one) for one in differences("stream S", StreamConfig(**wanted), actual, wanted)]  # type: ignore[arg-type]


def test_what_a_server_leaves_out_is_the_same_as_nothing() -> None:
    assert _found(StreamConfig(max_age=None, allow_direct=None), max_age=0, allow_direct=False) == []


def test_seconds_compare_by_value() -> None:
    assert _found(StreamConfig(max_age=60.0), max_age=60) == []


def test_a_policy_compares_with_the_word_for_it() -> None:
    assert _found(StreamConfig(retention="workqueue"), retention=RetentionPolicy.WORK_QUEUE) == []  # type: ignore[arg-type]


def test_a_difference_names_field_and_both_values() -> None:
    assert _found(StreamConfig(subjects=["a", "b"]), subjects=["a"]) == ["stream S: subjects is a, b, not a"]


def test_subjects_and_streams_bear_the_prefix() -> None:
    settings, _ = load(assignments=["nats.prefix=my-coat"])
    made = {config.name: config.subjects for config in declared.streams(settings)}
    assert made == {
        "MY-COAT_RESULTS": ["my-coat.results.>", "my-coat.turns.>"],
        "MY-COAT_CHUNKS": ["my-coat.chunks.>"],
        "MY-COAT_STUBS": ["my-coat-internal.out.>"],
        "MY-COAT_DLQ": ["my-coat.dlq.>"],
        "MY-COAT_LEDGER": ["my-coat-internal.ledger.>", "my-coat-internal.failures.>"],
        "MY-COAT_HELD": ["my-coat-internal.held.>", "my-coat-internal.due.>"],
        "MY-COAT_DELETED": ["my-coat-internal.deleted.>"],
    }


def test_every_subject_of_the_contract_lies_in_one_stream() -> None:
    subjects, turn = Subjects("my-coat"), TurnAddress("s", "t")
    published = {
        subjects.results(CallAddress("s", "t", "c")): "RESULTS",
        subjects.turn_end(turn): "RESULTS",
        subjects.chunks(CallAddress("s", "t", "c"), "u"): "CHUNKS",
        subjects.to_outbound(subjects.stubs("s", "t", "r")): "STUBS",
        subjects.to_outbound(subjects.settled(turn)): "STUBS",
        subjects.dlq(NOWHERE): "DLQ",
        subjects.ledger(turn, "settled", "="): "LEDGER",
        subjects.failures("COAT_RESULTS", 7): "LEDGER",
        subjects.held(turn, "result", "r"): "HELD",
        subjects.due(turn, "result", "r"): "HELD",
    }
    settings, _ = load(assignments=["nats.prefix=my-coat"])
    for subject, stream in published.items():
        keepers = [
            one.name
            for one in declared.streams(settings)
            if any(subject.startswith(pattern.removesuffix(">")) for pattern in one.subjects or [])
        ]
        assert keepers == [f"MY-COAT_{stream}"], subject


def test_every_request_and_every_inbox_is_to_stay_out_of_streams() -> None:
    settings, _ = load(assignments=["requests.inbox_prefixes=[_INBOX., mine.inbox.]"])
    assert {"coat.read.*", "coat.replay.*", "_INBOX.>", "mine.inbox.>", "_R_.>"} <= set(declared.uncaptured(settings))
