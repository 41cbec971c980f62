"""Isolated deployments on real servers: settings with a prefix of their own, provisioned, taken away afterwards."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Protocol

import minio
import minio.error
import msgspec
import nats
import urllib3
from minio.lifecycleconfig import LifecycleConfig
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError

from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.keys import Keys
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.provisioning import declared, place_of, provision
from coatcheck_workers.provisioning.asking import asked
from coatcheck_workers.provisioning.lifecycle import rule_id

MIB = 1024 * 1024
BUCKET = "coatcheck-tests"
STREAMS = ("results", "chunks", "stubs", "dlq", "ledger", "held", "deleted")


class Reachable(Protocol):
    """A NATS server, or a cluster of them with its URLs comma-separated."""

    @property
    def url(self) -> str: ...


def unprovisioned(nats_server: Reachable, s3_server: S3Server, **sections: Any) -> Settings:
    """Settings for these servers under a prefix that nothing else uses; nothing is laid out yet.

    A keyword is a section with the values that differ, as `result={"threshold": 40}`.
    """
    unique = f"t{secrets.token_hex(6)}"
    tree: dict[str, Any] = {
        "nats": {"url": nats_server.url, "prefix": unique},
        "storage": _storage(s3_server, unique),
        "streams": {name: {"max_bytes": 512 * MIB} for name in STREAMS},
    }
    for section, values in sections.items():
        tree[section] = {**tree.get(section, {}), **values} if isinstance(values, dict) else values
    return msgspec.convert(tree, Settings)


def _storage(s3_server: S3Server, prefix: str) -> dict[str, str]:
    return {
        "endpoint": s3_server.endpoint,
        "access_key": s3_server.access_key,
        "secret_key": s3_server.secret_key,
        "bucket": BUCKET,
        "prefix": prefix,
    }


async def stored_on(s3_server: S3Server) -> StorageSettings:
    """A prefix of one's own in the server's bucket, for who needs no NATS."""
    storage = msgspec.convert(_storage(s3_server, f"t{secrets.token_hex(6)}"), StorageSettings)
    await _has_bucket(s3_server, storage)
    return storage


@asynccontextmanager
async def connected(settings: Settings) -> AsyncIterator[Client]:
    """An administrator's connection, closed afterwards."""
    client = await nats.connect(settings.nats.url.split(","), connect_timeout=30)
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def deployed(nats_server: Reachable, s3_server: S3Server, **sections: Any) -> AsyncIterator[Settings]:
    """As `unprovisioned`, with streams, consumers and bucket laid out; the streams are deleted afterwards.

    They are those of `provision`, without its sixty questions of what is there already and without the bucket's rule,
    which no result meets within a test: most tests begin here.
    """
    settings = unprovisioned(nats_server, s3_server, **sections)
    async with connected(settings) as client:
        await _lay_out(client.jetstream(), settings)
    await _has_bucket(s3_server, settings.storage)
    try:
        yield settings
    finally:
        async with connected(settings) as client:
            await _delete_streams(client.jetstream(), settings)


@asynccontextmanager
async def laid_by_provision(nats_server: Reachable, s3_server: S3Server, **sections: Any) -> AsyncIterator[Settings]:
    """As `unprovisioned`, with all that `coatcheck provision` lays out; withdrawn afterwards."""
    settings = unprovisioned(nats_server, s3_server, **sections)
    async with connected(settings) as client:
        await provision(client.jetstream(), place_of(settings.storage), settings)
    try:
        yield settings
    finally:
        await withdraw(settings)


async def _has_bucket(s3_server: S3Server, storage: StorageSettings) -> None:
    if s3_server.secret_key not in _with_bucket:
        await place_of(storage).create()
        _with_bucket.add(s3_server.secret_key)


_with_bucket: set[str] = set()
"""The secret keys of the servers that have the bucket; each server's is its own."""


async def withdraw(settings: Settings) -> None:
    """Delete a deployment's streams, and its rule: a bucket has room for so many only."""
    await asyncio.to_thread(_drop_rule, settings)
    async with connected(settings) as client:
        await _delete_streams(client.jetstream(), settings)


async def _lay_out(js: JetStreamContext, settings: Settings) -> None:
    for stream in declared.streams(settings):
        await asked(f"creating stream {stream.name}", partial(js.add_stream, stream))
    for one in declared.consumers(settings):
        await asked(f"laying {one}", partial(js.add_consumer, one.stream, one.config))


async def _delete_streams(js: JetStreamContext, settings: Settings) -> None:
    for name in STREAMS:
        with suppress(NotFoundError):
            await js.delete_stream(Subjects(settings.nats.prefix).stream(name))


def _drop_rule(settings: Settings) -> None:
    storage = settings.storage
    client = minio.Minio(
        storage.endpoint.partition("://")[2], storage.access_key, storage.secret_key, secure=False, region="us-east-1"
    )
    with suppress(minio.error.MinioException, urllib3.exceptions.HTTPError):
        rules = client.get_bucket_lifecycle(storage.bucket)
        others = [] if rules is None else [rule for rule in rules.rules if rule.rule_id != _rule_id(settings)]
        if others:
            client.set_bucket_lifecycle(storage.bucket, LifecycleConfig(others))
        else:
            client.delete_bucket_lifecycle(storage.bucket)


def _rule_id(settings: Settings) -> str:
    return rule_id(Keys(settings.storage.prefix).passing())
