"""What is noted of each block of an original while its bytes pass: some thousands of entries whatever its size."""

from array import array

import msgspec

from .checksums import joined_crc32

MAX_BLOCKS = 10_000
"""Where there would be more, neighbours are joined two and two, and from then on as many make one entry."""


class Columns(msgspec.Struct, frozen=True, kw_only=True):
    """One value a block each: its raw bytes, its chars and newlines (0 of no text), what it takes in storage, and the
    CRC-32 of the raw bytes.
    """

    sizes: "array[int]"
    chars: "array[int]"
    newlines: "array[int]"
    stored: "array[int]"
    checksums: "array[int]"

    def __len__(self) -> int:
        return len(self.sizes)

    def halved(self) -> "Columns":
        """Neighbours joined two and two; a last one stays as it is."""
        return Columns(
            sizes=_sums(self.sizes),
            chars=_sums(self.chars),
            newlines=_sums(self.newlines),
            stored=_sums(self.stored),
            checksums=_joined(self.checksums, self.sizes),
        )

    def uncounted(self) -> "Columns":
        """The same of what is no text."""
        nothing = counts(bytes(8 * len(self)))
        return msgspec.structs.replace(self, chars=nothing, newlines=nothing)


class Noted:
    """Entries for the blocks of an original, in order."""

    def __init__(self, max_blocks: int = MAX_BLOCKS) -> None:
        self._max = max_blocks
        self._each = 1
        self._waiting = 0
        self.columns = no_columns()

    def add(self, size: int, chars: int, newlines: int, stored: int, checksum: int) -> None:
        """One more block; `size` is at least 1."""
        columns = self.columns
        if 0 < self._waiting < self._each:
            self._waiting += 1
            columns.checksums[-1] = joined_crc32(columns.checksums[-1], checksum, size)
            for column, value in _counted(columns, size, chars, newlines, stored):
                column[-1] += value
            return
        if len(columns) == self._max:
            self.columns = columns = columns.halved()
            self._each *= 2
        self._waiting = 1
        columns.checksums.append(checksum)
        for column, value in _counted(columns, size, chars, newlines, stored):
            column.append(value)


def no_columns() -> Columns:
    return Columns(sizes=counts(), chars=counts(), newlines=counts(), stored=counts(), checksums=array("I"))


def counts(data: bytes = b"") -> "array[int]":
    return array("Q", data)


def _counted(
    columns: Columns, size: int, chars: int, newlines: int, stored: int
) -> "tuple[tuple[array[int], int], ...]":
    return (columns.sizes, size), (columns.chars, chars), (columns.newlines, newlines), (columns.stored, stored)


def _sums(column: "array[int]") -> "array[int]":
    joined = array("Q", map(sum, zip(column[::2], column[1::2], strict=False)))
    if len(column) % 2:
        joined.append(column[-1])
    return joined


def _joined(checksums: "array[int]", sizes: "array[int]") -> "array[int]":
    joined = array("I", map(joined_crc32, checksums[::2], checksums[1::2], sizes[1::2]))
    if len(checksums) % 2:
        joined.append(checksums[-1])
    return joined
