"""How many messages, and how many bytes of them, a worker may have in hand; pure counting, no I/O."""


class Places:
    """At most `in_flight` messages hold a place, at most as many again have lent theirs, all within `in_flight_bytes`.

    A message whose work waits for something lends its place to one that may not have to. Its bytes stay in memory and
    so stay counted; a quarter of all bytes, or one message of the largest size, is never lent away, so that what waits
    does not stop what could go on.
    """

    def __init__(self, in_flight: int, in_flight_bytes: int, largest: int) -> None:
        self._in_flight = in_flight
        self._in_flight_bytes = in_flight_bytes
        self._most_lent_bytes = in_flight_bytes - max(in_flight_bytes // 4, largest)
        self._sizes: dict[int, int] = {}
        self._bytes = 0
        self._lent: set[int] = set()
        self._lent_bytes = 0

    @property
    def free(self) -> int:
        """Below zero where lent places were taken back while others had them."""
        return self._in_flight - len(self._sizes) + len(self._lent)

    @property
    def free_bytes(self) -> int:
        return self._in_flight_bytes - self._bytes

    def take(self, key: int, size: int) -> None:
        self._sizes[key] = size
        self._bytes += size

    def leave(self, key: int) -> None:
        self.take_back(key)
        self._bytes -= self._sizes.pop(key)

    def lend(self, key: int) -> bool:
        """Whether a place came free by it: not where too much is lent already, or nothing is held under the key."""
        size = self._sizes.get(key)
        if size is None or key in self._lent or len(self._lent) >= self._in_flight:
            return False
        if self._lent_bytes + size > self._most_lent_bytes:
            return False
        self._lent.add(key)
        self._lent_bytes += size
        return True

    def take_back(self, key: int) -> None:
        if key in self._lent:
            self._lent.remove(key)
            self._lent_bytes -= self._sizes[key]
