"""Lists of content blocks are in memory as a whole: so few come at once, and one at a time is taken apart and kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from coatcheck_workers.streams.later import Later
from coatcheck_workers.uploads.opening import NO_SEAT_SECONDS
from coatcheck_workers.uploads.seats import Seated, Seats

MOST_LISTS = 2
"""In a worker: 64 MiB each at most, and twice as much again for the one that is taken apart."""


class Lists(msgspec.Struct, frozen=True):
    """Of one worker; those that come in pieces, and those that are put into the store, do not wait for each other."""

    seats: Seats = msgspec.field(default_factory=lambda: Seats(MOST_LISTS))
    puts: asyncio.Semaphore = msgspec.field(default_factory=lambda: asyncio.Semaphore(1))
    reading: asyncio.Semaphore = msgspec.field(default_factory=lambda: asyncio.Semaphore(1))

    @asynccontextmanager
    async def seat(self, one: Seated) -> AsyncIterator[None]:
        """From its first piece until it is handled. Raises Later where there is none; one that is silent gives way."""
        if not self.seats.take(one):
            raise Later(NO_SEAT_SECONDS)
        try:
            yield
        finally:
            self.seats.leave(one)

    @asynccontextmanager
    async def room(self) -> AsyncIterator[None]:
        """For one that is put into the store. Raises Later where there is none: nobody waits with a message in hand."""
        if self.puts.locked():
            raise Later(NO_SEAT_SECONDS)
        async with self.puts:
            yield
