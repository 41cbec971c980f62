"""A stream of which a test says what is asked of it; whatever else is asked fails the test."""

from coatcheck_workers.streams.ports import Kept


class UnusedLog:
    """A Log; a test's own stream overrides what its subject is to ask."""

    async def read(self, pattern: str, after: int, max_bytes: int) -> list[Kept]:
        raise AssertionError("read was not to be asked")

    async def last(self, subject: str) -> Kept | None:
        raise AssertionError("last was not to be asked")

    async def first(self, pattern: str, after: int = 0) -> Kept | None:
        raise AssertionError("first was not to be asked")

    async def purge(self, pattern: str, through: int | None = None) -> None:
        raise AssertionError("purge was not to be asked")
