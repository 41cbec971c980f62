"""Search a long text a window at a time, so that no one call runs for long."""

from collections.abc import Iterator

from coatcheck_core.synopsis.effort import Step

FOUND_BYTES = 64 * 1024
OPEN = -1


def find(data: bytes, wanted: bytes, at: int, end: int, step: Step) -> int:
    """Where `wanted` stands first, whole between `at` and `end`; `OPEN` where it does not.

    A single byte is found ten times as fast as two are: where its last one is rare, most windows need no other look.
    """
    last = wanted[-1:]
    while at < end:
        step()
        limit = min(at + FOUND_BYTES + len(wanted) - 1, end)
        if data.find(last, at, limit) >= 0 and (found := data.find(wanted, at, limit)) >= 0:
            return found
        at += FOUND_BYTES
    return OPEN


class Constructs:
    """The comments, CDATA sections and processing instructions before `end`; a place asked for again costs nothing."""

    def __init__(self, data: bytes, end: int, step: Step) -> None:
        self._data = data
        self.end = end
        self._step = step
        self._asked = {b"<!": (end, end), b"<?": (end, end)}

    def after(self, at: int) -> int:
        """Where the next begins, from `at` on; the end where there is none."""
        return min(self._next(opening, at) for opening in self._asked)

    def _next(self, opening: bytes, at: int) -> int:
        asked, found = self._asked[opening]
        if not asked <= at <= found:
            found = find(self._data, opening, at, self.end, self._step)
            found = self.end if found == OPEN else found
            self._asked[opening] = at, found
        return found

    def between(self, at: int) -> Iterator[tuple[int, int]]:
        """From where to where each stands, in order, from `at` on; an open one is the last, and ends at `OPEN`."""
        while at != OPEN and (start := self.after(at)) < self.end:
            at = construct_end(self._data, start, self.end, self._step)
            yield start, at


def next_tag(data: bytes, at: int, end: int, step: Step) -> int:
    """Where the next start or end tag begins; `OPEN` where there is none any more."""
    while (at := find(data, b"<", at, end, step)) != OPEN and data.startswith((b"<!", b"<?"), at):
        if (at := construct_end(data, at, end, step)) == OPEN:
            break
    return at


def construct_end(data: bytes, start: int, end: int, step: Step) -> int:
    """Behind what begins at `start` with `<!` or `<?`; `OPEN` where it is not closed."""
    opening, closing = next((pair for pair in CLOSED_BY if data.startswith(pair[0], start)), (b"<!", b">"))
    found = find(data, closing, start + len(opening), end, step)
    return OPEN if found < 0 else found + len(closing)


CLOSED_BY = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))
