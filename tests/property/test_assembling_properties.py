"""Pieces in any order, repeated at will, come to what was sent."""

from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.assembling import Assembly
from coatcheck_schemas import pieces
from coatcheck_schemas.refs import sha256_hex


@st.composite
def sent(draw: st.DrawFn) -> tuple[list[bytes], list[int]]:
    """Pieces, and the order in which the stream has them; -1 is the last message."""
    parts = draw(st.lists(st.binary(max_size=4), max_size=8))
    order = draw(st.permutations([*range(len(parts)), -1]))
    again = draw(st.lists(st.sampled_from(order), max_size=4))
    return parts, [*order, *again]


@given(sent(), st.sampled_from([0, 260, 600, 2000]))
@settings(max_examples=120)
def test_any_order_gives_what_was_sent(case: tuple[list[bytes], list[int]], room: int) -> None:
    """Read as a worker does: from the start, and again from where pieces came too early to be kept."""
    parts, order = case
    data = b"".join(parts)
    end = pieces.final_headers("m", count=len(parts), size=len(data), sha256=sha256_hex(data))
    messages = [(end, b"") if seq < 0 else (pieces.piece_headers("m", seq), parts[seq]) for seq in order]
    assembly = Assembly(room)
    got: list[bytes] = []
    reads = 0
    start = 1
    while not assembly.is_complete:
        reads += 1
        assert reads <= len(parts) + 2, "it does not come to an end"
        for sequence, (headers, body) in enumerate(messages[start - 1 :], start):
            got += assembly.take(sequence, headers, body)
        start = assembly.reread or start
        assembly.read_again()
    assert b"".join(got) == data
    assembly.check(sha256_hex(data))


@given(sent(), st.sampled_from([0, 260, 600, 2000]), st.integers(0, 8), st.data())
@settings(max_examples=120)
def test_what_a_producer_left_that_gave_up_does_not_depend_on_when_it_is_read(
    case: tuple[list[bytes], list[int]], room: int, given_up: int, data: st.DataObject
) -> None:
    """All at once, or some after another as it comes: it is what lies before the end, up to the first gap."""
    parts, order = case
    order = [seq for seq in order if seq >= 0]
    order.insert(min(given_up, len(order)), -1)
    end = pieces.failed_headers("m", "no")
    messages = [(end, b"") if seq < 0 else (pieces.piece_headers("m", seq), parts[seq]) for seq in order]
    before = set(order[: order.index(-1)])
    wanted = b"".join(parts[seq] for seq in range(next(n for n in range(9) if n not in before)))
    assembly = Assembly(room)
    got: list[bytes] = []
    position, there = 0, 0
    while not assembly.is_complete:
        there = data.draw(st.integers(min(there + 1, len(messages)), len(messages)))
        while position < there and not assembly.is_complete:
            got += assembly.take(position + 1, *messages[position])
            position += 1
        if assembly.reread is not None:
            position = assembly.reread - 1
            assembly.read_again()
    assert b"".join(got) == wanted
