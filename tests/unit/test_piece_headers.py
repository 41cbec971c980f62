"""The headers of pieces: numbered, under ids that make a repetition harmless, and always one line of ASCII."""

from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from coatcheck_schemas import pieces


def test_a_piece_has_its_number_and_an_id_of_its_own() -> None:
    assert pieces.piece_headers("m1", 7) == {"Nats-Msg-Id": "m1", "Coat-Seq": "7"}


def test_the_last_message_says_what_there_is() -> None:
    assert pieces.final_headers("m1", count=2, size=10, sha256="ab") == {
        "Nats-Msg-Id": "m1",
        "Coat-Final": "true",
        "Coat-Count": "2",
        "Coat-Bytes": "10",
        "Coat-Sha256": "ab",
    }


def test_an_error_that_the_opening_event_did_not_know_is_told_at_the_end() -> None:
    assert pieces.final_headers("m", count=0, size=0, sha256="", is_error=True)["Coat-Is-Error"] == "true"
    assert pieces.failed_headers("m", "x", is_error=False)["Coat-Is-Error"] == "false"


@given(st.text(st.characters(), max_size=2000))
def test_a_reason_is_one_bounded_line_whatever_it_was(reason: str) -> None:
    told = pieces.failed_headers("m", reason)["Coat-Failed"]
    assert told.isascii()
    assert told.isprintable()
    assert " " not in told
    assert 0 < len(unquote(told)) <= pieces.MAX_REASON_CHARS


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=100))
def test_a_reason_comes_back_as_its_line(reason: str) -> None:
    assert unquote(pieces.failed_headers("m", reason)["Coat-Failed"]) == (
        " ".join(reason.split()) or pieces.clip_reason("")
    )
