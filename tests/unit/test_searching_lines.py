"""Lines without a match, of a text that passes."""

from coatcheck_core.searching import InverseFinder, matcher_for


def test_the_line_with_a_match_is_gone_on_with_from_its_start_also_where_that_has_been_let_go() -> None:
    finder = InverseFinder(matcher_for("a"))
    for piece in (b"first\naaaaa", b"bbb", b"bb"):
        finder.feed(piece, is_last=False)
        assert [match.offset for match in finder.found()] == ([0] if piece.startswith(b"f") else [])
        assert finder.safe == 6
