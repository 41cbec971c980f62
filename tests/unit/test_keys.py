"""Object keys: where an original lies, and how a session's list is ordered."""

import hashlib
import inspect

import pytest

from coatcheck_schemas.keys import SESSION_FOLDERS, Keys, TimeEntry, parse_time_entry, turn_hash

RESULT_ID = "call_1-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
ENTRY = TimeEntry(1_760_000_000_123, turn_hash("t1"), RESULT_ID)


def test_a_result_lies_under_its_session() -> None:
    keys = Keys("some/where")
    root = "some/where/v1/sessions/s=2E1/"
    assert keys.session("s=2E1") == root
    assert keys.output("s=2E1", RESULT_ID) == f"{root}results/{RESULT_ID}/output"
    assert keys.metadata("s=2E1", RESULT_ID) == f"{root}results/{RESULT_ID}/metadata.json"
    assert keys.part("s=2E1", RESULT_ID, 2) == f"{root}results/{RESULT_ID}/parts/2"
    assert keys.time_entry("s=2E1", ENTRY) == f"{root}by-time/{ENTRY}"
    assert keys.facts("s=2E1", str(ENTRY)) == f"{root}listing/{ENTRY}"
    assert keys.dead_letter("s=2E1", "COAT_RESULTS-7") == f"{root}dead-letters/COAT_RESULTS-7"


def test_without_a_prefix_a_key_begins_at_the_version() -> None:
    assert Keys("").output("=", RESULT_ID) == f"v1/sessions/=/results/{RESULT_ID}/output"


def test_an_entry_is_13_digits_a_turn_and_the_result() -> None:
    turn = hashlib.sha256(b"t1").hexdigest()[:16]
    assert str(ENTRY) == f"1760000000123-{turn}-{RESULT_ID}"
    assert str(TimeEntry(7, turn, RESULT_ID)).startswith("0000000000007-")


def test_an_entry_reads_back_from_its_name() -> None:
    assert parse_time_entry(str(ENTRY)) == ENTRY


def test_entries_and_their_names_have_the_same_order() -> None:
    entries = [
        TimeEntry(2, "b" * 16, "a"),
        TimeEntry(10, "a" * 16, "b"),
        TimeEntry(2, "a" * 16, "c"),
        TimeEntry(2, "a" * 16, "=2E"),
        TimeEntry(2, "a" * 16, "B"),
    ]
    assert [str(entry) for entry in sorted(entries)] == sorted(map(str, entries))


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x",
        "1-2-3",
        f"{ENTRY.milliseconds}-{'g' * 16}-{RESULT_ID}",
        f"{ENTRY.milliseconds}-{'a' * 16}-",
        f" {ENTRY}",
    ],
)
def test_what_is_no_entry_is_none(name: str) -> None:
    assert parse_time_entry(name) is None


def test_the_folders_of_a_session_are_all_named() -> None:
    """A layout of one's own keeps out of these, so that a folder which is missing here would be written into."""
    keys, found = Keys("p"), set()
    for name, method in inspect.getmembers(keys, inspect.ismethod):
        given = {"int": 1, "str": "x", "TimeEntry": ENTRY}
        annotations = [one.annotation for one in inspect.signature(method).parameters.values()]
        key = method(*(given.get(getattr(one, "__name__", ""), "x") for one in annotations))
        if isinstance(key, str) and key.startswith(keys.session("x")) and name != "session":
            found.add(key.removeprefix(keys.session("x")).partition("/")[0])
    assert found == set(SESSION_FOLDERS)
