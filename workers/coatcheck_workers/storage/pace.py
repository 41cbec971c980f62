"""How long a request to the store may take: what it moves counts, so that a slow link is no dead one."""

from datetime import timedelta

import msgspec

MIB = 1024 * 1024

CONNECT_SECONDS = 2.0
"""Or `storage.timeout_seconds`, where that is less."""
SMALL_BYTES = MIB
"""A request that moves no more than this has `storage.timeout_seconds`, all told."""
PART_BYTES = 5 * MIB
"""The least that S3 takes as a part of a multipart upload: three of them in memory stay under 16 MiB."""
PARTS_AT_ONCE = 2
MAX_PARTS = 10_000
"""S3's limit; at PART_BYTES that is an object of 48 GiB."""
RANGE_BYTES = 4 * MIB
"""What one ranged GET of a stream asks for."""
SLOWEST_BYTES_PER_SECOND = 256 * 1024
"""A part gets a second more for each of these: 25 s at the default timeout."""
COPY_BYTES_PER_SECOND = 8 * MIB
"""What a server is given to copy within itself; those seen copy 100 MB/s and more."""
COPY_PART_BYTES = 1024 * MIB
"""CopyObject ends at 5 GiB, and a request that long says nothing until it is done."""


class Pace(msgspec.Struct, frozen=True):
    """The limits of requests, from `storage.timeout_seconds`."""

    timeout_seconds: float

    def small(self) -> timedelta:
        return timedelta(seconds=self.timeout_seconds)

    def part(self) -> timedelta:
        """Of a request that moves up to PART_BYTES."""
        return timedelta(seconds=self.timeout_seconds + PART_BYTES / SLOWEST_BYTES_PER_SECOND)

    def copy_seconds(self, size: int) -> float:
        """Of a request that copies `size` bytes within the server."""
        return self.timeout_seconds + size / COPY_BYTES_PER_SECOND
