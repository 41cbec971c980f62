"""What the messages of one upload come to."""

import pytest

from coatcheck_core.assembling import MAX_EARLY_BYTES, Assembly, read_ending
from coatcheck_schemas import pieces
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.refs import sha256_hex


def piece(seq: object) -> dict[str, str]:
    return {pieces.SEQ: str(seq)}


def final(count: object = 1, size: object = 1, sha256: str = sha256_hex(b"a")) -> dict[str, str]:
    return {pieces.FINAL: "true", pieces.COUNT: str(count), pieces.BYTES: str(size), pieces.SHA256: sha256}


def assembled(*messages: tuple[dict[str, str], bytes]) -> tuple[Assembly, bytes]:
    assembly = Assembly()
    ready: list[bytes] = []
    for sequence, (headers, body) in enumerate(messages, 1):
        ready += assembly.take(sequence, headers, body)
    return assembly, b"".join(ready)


def refused(*messages: tuple[dict[str, str], bytes]) -> str:
    with pytest.raises(InvalidResult) as caught:
        assembled(*messages)
    assert caught.value.reason == "invalid_upload"
    return str(caught.value)


def test_pieces_come_out_in_their_order() -> None:
    assembly, data = assembled((piece(2), b"c"), (piece(0), b"a"), (piece(1), b"b"), (final(3, 3), b""))
    assert data == b"abc"
    assert assembly.is_complete


def test_an_end_that_comes_first_waits_for_the_pieces() -> None:
    assembly, _ = assembled((final(2, 2), b""), (piece(1), b"b"))
    assert not assembly.is_complete
    assert assembly.missing() == "1 of 2 pieces are missing: 0"


def test_nothing_at_all_is_complete() -> None:
    assembly, data = assembled((final(0, 0, sha256_hex(b"")), b""))
    assert assembly.is_complete
    assembly.check(sha256_hex(data))


def test_a_repetition_changes_nothing() -> None:
    assembly, data = assembled((piece(0), b"a"), (piece(0), b"a"), (piece(2), b"c"), (piece(2), b"c"), (piece(1), b"b"))
    assert data == b"abc"
    assert assembly.size == 3


def test_a_number_that_was_taken_with_another_length_is_refused() -> None:
    assert "came twice, of 1 and of 2 bytes" in refused((piece(0), b"a"), (piece(0), b"ab"))


def test_an_early_piece_that_comes_again_otherwise_is_refused() -> None:
    assert "one upload has one producer" in refused((piece(1), b"a"), (piece(1), b"b"))


def test_other_content_of_the_same_length_is_found_by_the_hash() -> None:
    assembly, _ = assembled((piece(0), b"x"), (final(), b""))
    with pytest.raises(InvalidResult, match="the sha256 of what came is") as caught:
        assembly.check(sha256_hex(b"x"))
    assert caught.value.reason == "upload_mismatch"


def test_another_size_than_the_end_says_is_refused() -> None:
    assembly, _ = assembled((piece(0), b"a"), (final(1, 7), b""))
    with pytest.raises(InvalidResult, match="1 bytes came, the last message says 7"):
        assembly.check(sha256_hex(b"a"))


@pytest.mark.parametrize("seq", ["-1", "", "x", "1.5", "٣", "9" * 200, str(10**30)])
def test_a_number_that_is_none_is_refused(seq: str) -> None:
    assert "Coat-Seq must be a whole number" in refused((piece(seq), b"a"))


def test_a_message_without_a_number_is_refused() -> None:
    assert "a message without Coat-Seq" in refused(({}, b"a"))


def test_pieces_beyond_the_count_are_refused() -> None:
    assert "more pieces came than the 1" in refused((piece(0), b"a"), (piece(1), b"b"), (final(), b""))
    assert "more pieces came than the 1" in refused((piece(5), b"a"), (final(), b""))


def test_the_first_end_counts() -> None:
    assembly, data = assembled((final(1, 1), b""), (final(3, 3), b""), (piece(0), b"a"))
    assert assembly.is_complete
    assert data == b"a"


@pytest.mark.parametrize("after", [piece(1), piece(0), final(2, 2), piece("x"), {}], ids=str)
def test_what_comes_after_the_end_changes_nothing(after: dict[str, str]) -> None:
    """Whether it was read in the same batch must not matter."""
    for end in (final(), pieces.failed_headers("m", "no")):
        assembly, data = assembled((piece(0), b"a"), (end, b""), (after, b"bc"))
        assert data == b"a"
        assert assembly.is_complete


BLOCK = bytes(MAX_EARLY_BYTES * 2 // 5)


def test_what_comes_too_early_to_be_kept_is_to_be_read_again_once_its_turn_comes() -> None:
    assembly, _ = assembled((piece(1), BLOCK), (piece(4), BLOCK), (piece(2), BLOCK), (piece(3), BLOCK))
    wanted = [assembly.reread]
    assert assembly.take(5, piece(0), b"a") == [b"a", BLOCK, BLOCK]
    wanted.append(assembly.reread)
    assembly.read_again()
    assert [*wanted, assembly.reread] == [None, 2, None]
    assert assembly.take(2, piece(4), BLOCK) == []
    assert assembly.take(3, piece(2), BLOCK) == []
    assert assembly.take(4, piece(3), BLOCK) == [BLOCK, BLOCK]


def test_a_producer_that_gave_up_is_complete_once_what_was_too_early_is_read_again() -> None:
    end = pieces.failed_headers("m", "no")
    stream = [(piece(2), BLOCK), (piece(1), BLOCK), (piece(3), BLOCK), (piece(0), b"a"), (end, b"")]
    assembly, data = assembled(*stream)
    assert assembly.reread == 3
    complete = [assembly.is_complete]
    assembly.read_again()
    complete.append(assembly.is_complete)
    for sequence, (headers, body) in enumerate(stream[2:], 3):
        data += b"".join(assembly.take(sequence, headers, body))
    assert [*complete, assembly.is_complete] == [False, False, True]
    assert data == b"a" + 3 * BLOCK


def test_many_tiny_early_pieces_are_bounded_as_well() -> None:
    assembly, _ = assembled(*((piece(number), b"x") for number in range(1, 40_000)))
    assembly.take(40_000, piece(0), b"x")
    assert 10_000 < assembly.taken < 20_000


def test_a_producer_that_gave_up_says_why_and_is_waited_for_no_longer() -> None:
    headers = pieces.failed_headers("m", "Платa\nnot found", is_error=True)
    assembly, _ = assembled((piece(0), b"a"), (headers, b""))
    assert assembly.is_complete
    assert assembly.ending is not None
    assert (assembly.ending.error, assembly.ending.is_error) == ("Платa not found", True)
    assembly.check("whatever came is what there is")


def test_a_reason_that_is_no_percent_encoding_is_told_all_the_same() -> None:
    ending = read_ending({pieces.FAILED: "100 % full %FF"})
    assert ending is not None
    assert ending.error == "100 % full \ufffd"


@pytest.mark.parametrize("digest", ["", "abc", "z" * 64, "a" * 65])
def test_an_end_without_a_hash_is_refused(digest: str) -> None:
    assert "must be 64 hex digits" in refused((final(sha256=digest), b""))


def test_a_message_that_says_it_is_not_the_last_is_a_piece() -> None:
    assembly, data = assembled(({pieces.FINAL: "false"} | piece(0), b"a"), (final(), b""))
    assert data == b"a"
    assert assembly.is_complete


def test_a_final_that_is_neither_true_nor_false_is_refused() -> None:
    assert "must be true" in refused(({pieces.FINAL: "yes"} | piece(0), b"a"))


def test_bytes_in_the_last_message_are_refused_rather_than_lost() -> None:
    assert "publish its bytes as a piece" in refused((piece(0), b"a"), (final(), b"b"))
