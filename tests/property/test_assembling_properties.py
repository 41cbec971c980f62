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


@given(sent(), st.integers(0, 12))
@settings(max_examples=300)
def test_any_order_gives_what_was_sent(case: tuple[list[bytes], list[int]], room: int) -> None:
    """Read as a worker does: from the start, and again from where pieces came too early to be kept."""
    parts, order = case
    data = b"".join(parts)
    end = pieces.final_headers("u", count=len(parts), size=len(data), sha256=sha256_hex(data))
    messages = [(end, b"") if seq < 0 else (pieces.piece_headers("u", seq), parts[seq]) for seq in order]
    assembly = Assembly(room)
    got: list[bytes] = []
    reads = 0
    start = 1
    while not assembly.is_complete:
        reads += 1
        assert reads <= len(parts) + 2, "it does not come to an end"
        assembly.reread = None
        for sequence, (headers, body) in enumerate(messages[start - 1 :], start):
            got += assembly.take(sequence, headers, body)
        start = assembly.reread or start
    assert b"".join(got) == data
    assembly.check(sha256_hex(data))
