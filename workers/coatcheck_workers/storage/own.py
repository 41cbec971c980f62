"""A store of the operator's own, named as `module:Class` by `storage.url`."""

import inspect
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Literal

from coatcheck_core.loading import load_function
from coatcheck_core.settings.errors import ConfigError
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreError, StoreUnavailable
from coatcheck_schemas.store import ObjectInfo, Store

from .remembering import Source
from .translating import first_line

SETTING = "storage.url"
METHODS = [
    "put",
    "put_stream",
    "abandon",
    "get",
    "get_range",
    "get_stream",
    "head",
    "copy",
    "list",
    "delete",
    "check",
    "uri",
    "presign",
]


def own_store(storage: StorageSettings) -> Store:
    """Make it of the storage's settings. Raises ConfigError where it is no Store."""
    try:
        make = load_function(SETTING, storage.url)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    try:
        store = make(storage)
    except StoreError:
        raise
    except Exception as error:
        raise ConfigError(
            f"{SETTING} {storage.url!r}: it is made with the storage's settings as its one argument, and that failed:"
            f" {type(error).__name__}: {first_line(error)}"
        ) from error
    missing = [name for name in METHODS if not callable(getattr(store, name, None))]
    if missing:
        raise ConfigError(
            f"{SETTING} {storage.url!r} is no store: it lacks {', '.join(missing)} (see coatcheck_schemas.store.Store)"
        )
    wrong = [name for name in METHODS if not _takes(getattr(store, name), getattr(Store, name))]
    if wrong:
        raise ConfigError(
            f"{SETTING} {storage.url!r}: {', '.join(wrong)} must take what coatcheck_schemas.store.Store's do"
        )
    return Guarded(store)


def _takes(method: object, wanted: object) -> bool:
    """Whether a call as the protocol has it fits the method."""
    try:
        signature = inspect.signature(method)  # type: ignore[arg-type]
        parameters = list(inspect.signature(wanted).parameters.values())[1:]  # type: ignore[arg-type]
        positional = [0 for one in parameters if one.kind is not one.KEYWORD_ONLY]
        signature.bind(*positional, **{one.name: 0 for one in parameters if one.kind is one.KEYWORD_ONLY})
    except ValueError:  # written in another language: it has no signature to look at
        return True
    except TypeError:
        return False
    return True


class Guarded:
    """A store of which nobody knows what it raises: what is no StoreError is taken as StoreUnavailable."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
        with _taken("put"):
            await self._store.put(key, data, exclusive=exclusive)

    async def put_stream(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        source = Source(chunks)
        try:
            with _taken("put_stream"):
                await self._store.put_stream(key, source)
        except StoreUnavailable:
            if source.error is not None:
                raise source.error from None
            raise

    async def abandon(self, key: str) -> None:
        with _taken("abandon"):
            await self._store.abandon(key)

    async def get(self, key: str) -> bytes:
        with _taken("get"):
            return _bytes("get", await self._store.get(key))

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        with _taken("get_range"):
            return _bytes("get_range", await self._store.get_range(key, start, end))

    async def get_stream(self, key: str, *, version: str | None = None) -> AsyncIterator[bytes]:
        with _taken("get_stream"):
            async for chunk in self._store.get_stream(key, version=version):
                yield _bytes("get_stream", chunk)

    async def head(self, key: str) -> ObjectInfo:
        with _taken("head"):
            return await self._store.head(key)

    async def copy(self, source: str, target: str, *, version: str | None = None) -> None:
        with _taken("copy"):
            await self._store.copy(source, target, version=version)

    async def list(self, prefix: str, *, after: str = "") -> AsyncIterator[str]:
        with _taken("list"):
            async for key in self._store.list(prefix, after=after):
                yield key

    async def delete(self, key: str) -> None:
        with _taken("delete"):
            await self._store.delete(key)

    async def check(self) -> None:
        with _taken("check"):
            await self._store.check()

    def uri(self, key: str) -> str:
        with _taken("uri"):
            return self._store.uri(key)

    async def presign(self, method: Literal["GET", "PUT"], key: str, expires_seconds: int) -> str:
        with _taken("presign"):
            return await self._store.presign(method, key, expires_seconds)


@contextmanager
def _taken(operation: str) -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        raise StoreUnavailable(
            f"{operation} of the store raises {type(error).__name__}: {first_line(error)}"
        ) from error


def _bytes(operation: str, data: object) -> bytes:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise StoreUnavailable(f"{operation} of the store gives {type(data).__name__}, not bytes")
    return bytes(data)
