"""The store that the settings name."""

from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from ssl import SSLContext
from typing import TYPE_CHECKING, Any

from obstore.store import AzureStore, GCSStore, LocalStore, MemoryStore, S3Store

from coatcheck_core.settings.location import Location, locate
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import StoreRejected
from coatcheck_schemas.store import Store

from .backends import Clients, Plain
from .local import LocalFolder
from .objects import ObjectStorage
from .own import own_store
from .pace import CONNECT_SECONDS, Pace
from .s3 import S3Bucket
from .s3_endpoint import endpoint, region
from .secret import secret_key
from .tls import authorities, tls_context

if TYPE_CHECKING:
    from .s3_administered import Administered

KEPT_CONNECTIONS = 64
"""Connections of one client that wait for another request: as many as one worker answers of a kind, or results that it
handles, at a time by default. There are more while more is under way, and these are closed after it."""


def open_store(storage: StorageSettings) -> Store:
    """Nothing is connected yet.

    Raises ConfigError for a `storage.url` that is none or contradicts other settings, StoreRejected where the store
    cannot be made of what is configured.
    """
    location = locate(storage)
    match location.kind:
        case "endpoint" | "s3":
            return _s3(storage, location)
        case "gs" | "az":
            return _cloud(storage, location)
        case "file":
            return _folder(location)
        case "memory":
            return _memory(location)
        case "own":
            return own_store(storage)


def _s3(storage: StorageSettings, location: Location) -> ObjectStorage:
    url = endpoint(storage, location)
    config: dict[str, Any] = {
        "endpoint": url,
        "region": region(storage, location),
        "virtual_hosted_style_request": False,
        # Over TLS the payload needs no hash of its own to arrive as it was, and each part is spared one.
        "unsigned_payload": url.startswith("https://"),
    }
    if location.kind == "endpoint" or storage.access_key:
        config |= {"access_key_id": storage.access_key, "secret_access_key": secret_key(storage)}
    pace = Pace(storage.timeout_seconds)
    make = partial(S3Store, location.name, prefix=location.path or None, **config)
    trusted = authorities(storage)
    clients = _clients(pace, make, trusted)
    # The host is part of what is signed, so that a URL for another name needs a client of that name.
    public = {"endpoint": storage.public_url.rstrip("/")} if storage.public_url else {}
    signer = _limited(partial(make, **public), pace.small(), trusted)
    administer = partial(_administered, storage, location, pace, tls_context(storage))
    return ObjectStorage(S3Bucket(signer, administer, location.name, location.path), clients)


def _administered(storage: StorageSettings, location: Location, pace: Pace, tls: SSLContext | None) -> "Administered":
    from .s3_administered import Administered  # here, for the time that minio-py takes to import

    return Administered(storage, location, pace, tls)


def _cloud(storage: StorageSettings, location: Location) -> ObjectStorage:
    """Credentials come from the provider's own environment variables."""
    store = {"gs": GCSStore, "az": AzureStore}[location.kind]
    base = f"{location.kind}://{location.name}"
    place = f"{'bucket' if location.kind == 'gs' else 'container'} {location.name!r}"
    make = partial(store, location.name, prefix=location.path or None)
    clients = _clients(Pace(storage.timeout_seconds), make, authorities(storage))
    uri = f"{base}/{location.path}" if location.path else base
    return ObjectStorage(Plain(clients, place, uri, sorts_listings=True, signs=True), clients)


def _folder(location: Location) -> ObjectStorage:
    folder = Path(location.name)
    if not folder.is_dir():
        raise StoreRejected(f"folder {location.name!r} is missing: run `coatcheck provision`")
    store = LocalStore(folder)
    clients = Clients(small=store, bulk=store)
    return ObjectStorage(LocalFolder(clients, folder), clients)


@cache
def _memory(location: Location) -> ObjectStorage:
    """One for all of this process who name it alike."""
    store = MemoryStore()
    clients = Clients(small=store, bulk=store)
    base = f"memory://{location.name}" + (f"/{location.path}" if location.path else "")
    return ObjectStorage(Plain(clients, "this process's memory", base, sorts_listings=False, signs=False), clients)


def _clients(pace: Pace, make: Any, trusted: bytes | None) -> Clients:
    return Clients(small=_limited(make, pace.small(), trusted), bulk=_limited(make, pace.part(), trusted))


def _limited(make: Any, limit: timedelta, trusted: bytes | None) -> Any:
    """A client each of whose requests may take so long, with its retry.

    `trusted` are authorities beside the system's, as PEM. One quick second try against a connection that the server
    closed; longer waits are the queue's.
    """
    try:
        return make(
            client_options={
                "allow_http": True,
                "timeout": limit,
                "connect_timeout": min(limit, timedelta(seconds=CONNECT_SECONDS)),
                "pool_idle_timeout": timedelta(seconds=30),
                "pool_max_idle_per_host": str(KEPT_CONNECTIONS),
                **({"root_certificate": trusted} if trusted else {}),
            },
            retry_config={"max_retries": 1, "retry_timeout": limit},
        )
    except Exception as error:
        # obstore's errors have no common base but Exception; what is wrong is in their text.
        raise StoreRejected(f"storage is misconfigured: {str(error).strip().splitlines()[0][:300]}") from error
