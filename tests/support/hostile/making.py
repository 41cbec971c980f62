"""How a hostile input of a wanted size is made: every maker takes bytes and gives about so many."""

from collections.abc import Callable, Iterator

Maker = Callable[[int], bytes]
"""`maker(size)` is at most `size` bytes and a frame of some more; it depends on the size alone."""

PIECE_BYTES = 1 << 20


def filled(unit: str | bytes, before: str | bytes = b"", after: str | bytes = b"") -> Maker:
    """`unit` over and over between two ends."""
    unit, before, after = _bytes(unit), _bytes(before), _bytes(after)

    def make(size: int) -> bytes:
        return before + unit * max(1, (size - len(before) - len(after)) // len(unit)) + after

    return make


def nested(opening: str, closing: str, inner: str = "", levels: int | None = None) -> Maker:
    """As deep as the size allows, or so many levels; closed in reverse where `closing` is given."""
    each = len(opening.encode()) + len(closing.encode())

    def make(size: int) -> bytes:
        depth = max(1, (size - len(inner)) // each)
        depth = depth if levels is None else min(depth, levels)
        return opening.encode() * depth + inner.encode() + closing.encode() * depth

    return make


def numbered(template: str, before: str = "", after: str = "") -> Maker:
    """`template` with `{i}` counting up, so that no two are the same."""

    def make(size: int) -> bytes:
        pieces = [before.encode(), *_numbered(template, size - len(before) - len(after)), after.encode()]
        return b"".join(pieces)

    return make


def once(text: str | bytes) -> Maker:
    """What hurts at its own small size, whatever size is asked for."""
    data = _bytes(text)
    return lambda _size: data


def beside(first: Maker, second: Maker) -> Maker:
    """Half of one, then half of the other: what begins as one kind and goes on as another."""
    return lambda size: first(size // 2) + second(size // 2)


def _numbered(template: str, size: int) -> Iterator[bytes]:
    head, _, tail = template.partition("{i}")
    at = 0
    while size > 0:
        count = max(1, min(size, PIECE_BYTES) // (len(template.encode()) + 4))
        piece = "".join([f"{head}{i}{tail}" for i in range(at, at + count)]).encode()
        yield piece
        at += count
        size -= len(piece)


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
