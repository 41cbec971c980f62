"""The first and the last bytes of what passes."""

HEAD_BYTES = 4 * 1024 * 1024
TAIL_BYTES = 512 * 1024


class Ends:
    """Keeps `HEAD_BYTES` and `TAIL_BYTES` of it, or all where it is not more; some bytes may be in both."""

    def __init__(self) -> None:
        self._head: list[bytes] = []
        self._room = HEAD_BYTES
        self._tail = bytearray()

    def feed(self, data: bytes | memoryview) -> None:
        if self._room:
            piece = bytes(data[: self._room])
            self._head.append(piece)
            self._room -= len(piece)
        self._tail += data[-TAIL_BYTES:]
        if len(self._tail) > 2 * TAIL_BYTES:
            del self._tail[:-TAIL_BYTES]

    def head(self) -> bytes:
        self._head = [b"".join(self._head)]
        return self._head[0]

    def tail(self) -> bytes:
        return bytes(self._tail[-TAIL_BYTES:])
