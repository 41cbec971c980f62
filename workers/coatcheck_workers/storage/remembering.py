"""A stream's source that remembers what it raised, which may look like an error of the store's."""

from collections.abc import AsyncIterator


class Source:
    """The chunks of another iterator; `error` is what it has raised."""

    def __init__(self, inner: AsyncIterator[bytes]) -> None:
        self._inner = inner
        self.error: Exception | None = None

    def __aiter__(self) -> "Source":
        return self

    async def __anext__(self) -> bytes:
        try:
            return await anext(self._inner)
        except StopAsyncIteration:
            raise
        except Exception as error:
            self.error = error
            raise
